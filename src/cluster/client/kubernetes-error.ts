import { type InlayError, inlayError } from '../../errors.js';

/** Why the API server refused, as it says itself in a `Status` object. */
export interface KubernetesErrorDetails {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Machine-readable, such as `AlreadyExists`, `Conflict`, `Expired`, `TooManyRequests`; empty when unknown. */
  readonly reason: string;
  /** `GET /api/v1/nodes`. */
  readonly request: string;
  /** From `Retry-After`. */
  readonly retryAfterSeconds?: number | undefined;
  /** Field by field, when an object is invalid. */
  readonly causes?: readonly { readonly field?: string; readonly message?: string; readonly reason?: string }[] | undefined;
}

/** A request that the API server refused or never answered. Callers look at `status` and `reason`, never at the text. */
export class KubernetesError extends Error implements KubernetesErrorDetails {
  readonly status: number;
  readonly reason: string;
  readonly request: string;
  readonly retryAfterSeconds: number | undefined;
  readonly causes: KubernetesErrorDetails['causes'];

  constructor(message: string, details: KubernetesErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.name = 'KubernetesError';
    this.status = details.status;
    this.reason = details.reason;
    this.request = details.request;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.causes = details.causes;
  }
}

/** Whether the API server answered with this HTTP status. */
export function hasStatus(error: unknown, ...statuses: readonly number[]): error is KubernetesError {
  return error instanceof KubernetesError && statuses.includes(error.status);
}

/** The object is not there (404). */
export const isNotFound = (error: unknown): error is KubernetesError => hasStatus(error, 404);

/** The object exists already, or is not as the precondition says (409). */
export const isConflict = (error: unknown): error is KubernetesError => hasStatus(error, 409);

/** The version asked for is too old to continue from (410). */
export const isExpired = (error: unknown): error is KubernetesError => hasStatus(error, 410);

/** Asked to come back later: throttled, or an eviction that a PodDisruptionBudget does not allow now (429). */
export const isTooManyRequests = (error: unknown): error is KubernetesError => hasStatus(error, 429);

/** Whether the same request may succeed later without anyone changing anything: no answer, 429 or a fault of the server. */
export function isTransient(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** The coded error that a command ends with, and anything else unchanged. */
export function toInlayError(error: unknown): InlayError | unknown {
  if (!(error instanceof KubernetesError)) return error;
  const received = `${error.status === 0 ? 'no answer' : error.status} ${error.reason}`.trim();
  const message = `${error.request}: ${error.message}`;
  if (error.status === 0) return inlayError('CLUSTER_UNREACHABLE', { message, received }, { cause: error });
  if (error.status === 401 || error.status === 403) return inlayError('CLUSTER_FORBIDDEN', { message, received }, { cause: error });
  return inlayError('CLUSTER_REFUSED', { message, received }, { cause: error });
}
