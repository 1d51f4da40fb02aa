/** Why a search ended without a proof. */
export function stopReason(signal: AbortSignal | undefined): 'time' | 'interrupt' | 'rounds' {
  if (signal?.aborted !== true) return 'rounds';
  return signal.reason === 'interrupt' ? 'interrupt' : 'time';
}
