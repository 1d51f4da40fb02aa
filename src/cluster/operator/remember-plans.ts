import { InlayError } from '../../errors.js';
import { hashOf, type MadePlan, type PlanInput, type Planner } from '../decide/make-plan.js';

/** Wait after a first fault, doubled after each further one with the same input up to the most. Planning may take long itself. */
const firstPauseMs = 10_000;
const mostPauseMs = 600_000;

/** Codes of what is wrong with the planner, not with the input: it may go well another time. */
const faults: ReadonlySet<string> = new Set(['INTERNAL', 'SOLVER_FAILED']);

interface KnownAnswer {
  readonly made: MadePlan;
  /** Only after a fault: until when it is given, and how long it was waited. */
  readonly fault?: { readonly untilMs: number; readonly pauseMs: number };
}

/**
 * A planner that answers a question it has answered before without planning again. A fault of the planner becomes a conflict that the
 * workloads show, so that one group does not stop the others; it is tried again after a pause.
 */
export function rememberPlans(
  planner: Planner,
  options: {
    readonly most: number;
    /** A clock that never goes back, ms. */
    readonly now: () => number;
    readonly onPlanned: (group: string, seconds: number) => void;
    readonly onFault: (error: unknown) => void;
  },
): Planner {
  const { most, now, onPlanned, onFault } = options;
  const known = new Map<string, KnownAnswer>();
  return async (input) => {
    const key = keyOf(input);
    const before = known.get(key);
    const startMs = now();
    if (before !== undefined && (before.fault === undefined || startMs < before.fault.untilMs)) return answer(before, startMs);
    let found: KnownAnswer;
    try {
      found = { made: await planner(input) };
    } catch (error) {
      onFault(error);
      const pauseMs = Math.min(mostPauseMs, (before?.fault?.pauseMs ?? firstPauseMs / 2) * 2);
      found = { made: describe(error), ...(isFault(error) && { fault: { untilMs: now() + pauseMs, pauseMs } }) };
    }
    onPlanned(input.group.name, (now() - startMs) / 1000);
    known.delete(key);
    known.set(key, found);
    for (const oldest of known.keys()) {
      if (known.size <= most) break;
      known.delete(oldest);
    }
    return answer(found, now());
  };
}

function answer({ made, fault }: KnownAnswer, nowMs: number): MadePlan {
  return made.kind === 'infeasible' && fault !== undefined ? { ...made, againInMs: Math.max(1, fault.untilMs - nowMs) } : made;
}

function isFault(error: unknown): boolean {
  return !(error instanceof InlayError) || error.problems.some(({ code }) => faults.has(code));
}

function describe(error: unknown): MadePlan {
  const problems = error instanceof InlayError ? error.problems : [];
  if (problems.length > 0) return { kind: 'infeasible', conflicts: problems.map(({ code, message }) => ({ code, message })) };
  return { kind: 'infeasible', conflicts: [{ code: 'INTERNAL', message: String(error) }] };
}

function keyOf({ group, state, keep }: PlanInput): string {
  return hashOf({
    state,
    keep,
    workloads: group.workloads.map(({ hash }) => hash),
    pools: group.pools.map(({ pool }) => ({ name: pool.metadata.name, spec: pool.spec })),
  });
}
