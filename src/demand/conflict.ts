import type { ErrorCode } from '../errors.js';

/** One reason why a demand cannot be met: whom it concerns, what is needed and what there is (in the unit the message names), and what would help. */
export interface Conflict {
  readonly code: ErrorCode;
  readonly service?: string;
  readonly pool?: string;
  readonly message: string;
  readonly needed?: number;
  readonly available?: number;
  readonly hint?: string;
}
