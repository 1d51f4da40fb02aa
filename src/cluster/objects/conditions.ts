import * as z from 'zod';
import type { Condition } from '../client/object-types.js';

/** A condition of a status, as Kubernetes has them. */
export const conditionSchema = z.object({
  type: z.string().min(1).max(63),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().max(1024),
  message: z.string().max(32_768),
  observedGeneration: z.int().min(0).optional(),
  lastTransitionTime: z.string().meta({ format: 'date-time' }),
});

/** A condition before it is known whether anything changed. */
export interface ConditionDraft {
  readonly type: 'Planned' | 'Approved' | 'Progressing' | 'Ready' | 'Degraded' | 'Stuck' | 'Infeasible' | 'Invalid' | 'AgentMissing';
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The conditions with their times: a time changes only with the status. `at` is an RFC 3339 time. */
export function setConditions(
  known: readonly Condition[] | undefined,
  drafts: readonly ConditionDraft[],
  observedGeneration: number,
  at: string,
): Condition[] {
  return drafts.map(({ type, status, reason, message }) => {
    const before = known?.find((condition) => condition.type === type);
    const value = status ? 'True' : 'False';
    const lastTransitionTime = before?.status === value ? (before.lastTransitionTime ?? at) : at;
    return { type, status: value, reason, message: message.slice(0, 2000), observedGeneration, lastTransitionTime };
  });
}
