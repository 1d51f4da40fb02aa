import type { Conflict } from '../../demand/conflict.js';
import { problem } from '../../errors.js';
import type { InfeasiblePlan } from '../plan-result.js';

/** The answer of a strategy that has none for this input, although another may. */
export function cannotApply(strategy: string, reasons: readonly Omit<Conflict, 'code' | 'hint'>[]): InfeasiblePlan {
  return {
    kind: 'infeasible',
    conflicts: reasons.map(
      (reason): Conflict => ({
        ...problem('STRATEGY_CANNOT_APPLY', { message: `strategy ${strategy}: ${reason.message}` }),
        ...reason,
        message: `strategy ${strategy}: ${reason.message}`,
      }),
    ),
  };
}
