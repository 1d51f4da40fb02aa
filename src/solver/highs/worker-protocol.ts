import type { Problem } from '../../errors.js';

/** A call sent to the worker: a method of the solver (`session` absent) or of one of its sessions. */
export interface WorkerRequest {
  readonly id: number;
  readonly session?: number;
  readonly method: 'solve' | 'open' | 'addRows' | 'addColumns' | 'close';
  readonly args: readonly unknown[];
}

/** The answer to the request of the same id; `open` answers with the number of the new session. */
export type WorkerResponse =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly problems: readonly Problem[] };
