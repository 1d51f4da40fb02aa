import type { Conflict } from '../demand/conflict.js';
import type { PlanDocument } from '../demand/documents/plan.js';
import type { Workload } from '../demand/workload.js';
import type { PlanOptions, StrategyName } from '../plan/plan.js';
import { verifyPlan } from '../verify/verify-plan.js';
import type { CliIo } from './io.js';
import { planWithLimits } from './plan-with-limits.js';
import type { RunLimits } from './run-with-solver.js';

/** How one strategy did on a workload. `broken` is a plan that does not keep its promises: a bug of the strategy. */
export type Outcome =
  | { readonly kind: 'planned'; readonly plan: PlanDocument }
  | { readonly kind: 'broken'; readonly plan: PlanDocument; readonly violations: readonly string[] }
  | { readonly kind: 'infeasible'; readonly conflicts: readonly Conflict[] };

/** One strategy on one workload. */
export interface ComparedStrategy {
  readonly strategy: StrategyName;
  readonly outcome: Outcome;
  /** Of the planning call alone: reading, verifying and starting the solver are left out. */
  readonly seconds: number;
}

/** Every strategy that was run on a workload, and the strongest bound that any of them proved. */
export interface Comparison {
  readonly workload: string;
  readonly objective: PlanDocument['objective'];
  /** Absent when no strategy has a plan. */
  readonly bound?: PlanDocument['bound'];
  readonly strategies: readonly ComparedStrategy[];
  readonly interrupted: boolean;
}

/** What every strategy is asked for. */
export interface ComparisonOptions extends Pick<PlanOptions, 'strategyOptions'> {
  readonly strategies: readonly StrategyName[];
  readonly objective: PlanDocument['objective'];
}

/** Plans a workload with one strategy after another and verifies every plan. Ctrl-C ends the strategy that runs and leaves out the rest. */
export async function compareStrategies(
  workload: Workload,
  { strategies, ...options }: ComparisonOptions,
  limits: RunLimits,
  io: CliIo,
): Promise<Comparison> {
  const compared: ComparedStrategy[] = [];
  let interrupted = false;
  for (const strategy of strategies) {
    const run = await planWithLimits(workload, { ...options, strategy }, { ...limits, warmUp: true }, io);
    const outcome: Outcome = run.result.kind === 'infeasible' ? run.result : judge(workload, run.result.plan);
    compared.push({ strategy, outcome, seconds: run.planMs / 1000 });
    interrupted = run.interrupted;
    if (interrupted) break;
  }
  const bound = strongestBound(compared, options.objective);
  return { workload: workload.name, objective: options.objective, ...(bound && { bound }), strategies: compared, interrupted };
}

/** How far a plan is from the bound: GPUs ÷ bound rounded up, cost ÷ bound, or (max-min) share ÷ bound, which is at most 1. */
export function ratioToBound(plan: PlanDocument, bound: PlanDocument['bound']): number {
  const { gpus, cost, factor = 0 } = plan.totals;
  const [achieved, limit] = { gpus: [gpus, bound.gpus ?? 0], cost: [cost, bound.value], 'max-min': [factor, bound.value] }[
    plan.objective
  ] as [number, number];
  return achieved === limit ? 1 : achieved / limit;
}

function judge(workload: Workload, plan: PlanDocument): Outcome {
  const report = verifyPlan(workload, plan);
  if (report.kind === 'holds') return { kind: 'planned', plan };
  return { kind: 'broken', plan, violations: report.checks.flatMap(({ violations }) => violations.map(({ message }) => message)) };
}

/** Only bounds of plans that verify count: the certificate is what makes them a proof. */
function strongestBound(compared: readonly ComparedStrategy[], objective: PlanDocument['objective']): PlanDocument['bound'] | undefined {
  const bounds = compared.flatMap(({ outcome }) => (outcome.kind === 'planned' ? [outcome.plan.bound] : []));
  const isStronger = (a: number, b: number) => (objective === 'max-min' ? a < b : a > b);
  return bounds.reduce<PlanDocument['bound'] | undefined>(
    (best, bound) => (best === undefined || isStronger(bound.value, best.value) ? bound : best),
    undefined,
  );
}
