import type { PointFinder } from '../../demand/operating-points.js';
import { type BuiltProblem, buildProblem } from '../build-problem.js';
import type { DealtPlan } from '../deal-instances.js';
import { dealPlan } from '../deal-plan.js';
import { finishPlan } from '../finish-plan.js';
import type { Cut } from '../list-cuts.js';
import type { PackingProblem } from '../packing-problem.js';
import type { PlanResult } from '../plan-result.js';
import { proveBound, type SearchContext, solveProblem } from '../solve-problem.js';
import { cannotApply } from './cannot-apply.js';
import { listConfigurationSpace } from './configurations/configuration-space.js';
import { fillGreedily } from './configurations/fill-greedily.js';
import { ServiceNeeds } from './configurations/service-needs.js';
import { settleDeployment } from './configurations/settle-deployment.js';
import { pauseAt } from './pauses.js';
import { explainShortage, refuseMaxMin } from './plan-deployment.js';
import type { PlanRequest } from './strategy.js';

/** What a naive strategy leaves out. */
export interface Restriction {
  /** The cuts in the same order; those that are not used have limit 0. */
  readonly cuts: readonly Cut[];
  /** Where operating points come from when rows are left out. Default: the request's. */
  readonly finder?: PointFinder;
  /** Whether a service may use a size, given the sizes it has a point on. Default: always. */
  readonly allows?: (size: number, usable: readonly boolean[]) => boolean;
}

/**
 * Plans with fewer choices than there are: the remaining ones are made as well as the exact planner can, so that the
 * comparison measures the restriction and not the packing. The bound is that of the whole problem.
 */
export async function planRestricted(
  request: PlanRequest,
  context: SearchContext,
  strategy: string,
  { cuts, finder = request.finder, allows = () => true }: Restriction,
): Promise<PlanResult> {
  const { workload, objective } = request;
  if (objective === 'max-min') return refuseMaxMin(strategy);
  const factors = workload.services.map(() => 1);
  const whole = buildProblem(workload, request.finder, request.cuts, objective, factors);
  const { prices, bound, tooMuch } = await proveBound(whole.problem, context);
  if (tooMuch) return explainShortage(request, whole.problem, context);
  const built = restrict(buildProblem(workload, finder, cuts, objective, factors), cuts, allows);
  const { problem, points } = built;
  const stuck = workload.services.filter((service, i) => service.rateRps > 0 && points[i]?.every((point) => point === undefined) !== false);
  if (stuck.length > 0) {
    const reason = 'has no usable row on the slices it leaves';
    return cannotApply(
      strategy,
      stuck.map(({ name }) => ({ service: name, message: `service ${name} ${reason}` })),
    );
  }
  const own = { ...request, cuts };
  const inner = {
    ...context,
    onProgress: ({ best }: { readonly best?: number }) => context.onProgress?.(best === undefined ? { bound } : { bound, best }),
  };
  const { packing } = await solveProblem(problem, inner);
  const fits = packing !== undefined && packing.excess === 0;
  const dealt = fits ? await dealPlan(own, problem, packing, context) : await dealGreedily(own, problem);
  if (dealt === undefined || dealt.crowded.length > 0) {
    const message = 'found no plan within the limits of the pools, on the slices it leaves';
    return cannotApply(strategy, [{ message }]);
  }
  const { signal } = context;
  const facts = { built: { problem: whole.problem, points }, dealt, prices, bound, strategy, ...(signal && { signal }) };
  return finishPlan(own, facts);
}

/** Keeps limits that the integer programs could not keep within their nodes, at the cost of some GPUs. */
async function dealGreedily(request: PlanRequest, problem: PackingProblem): Promise<DealtPlan | undefined> {
  const space = listConfigurationSpace(request.cuts, problem);
  if (space === undefined) return undefined;
  const rules = { mix: Infinity, lastMix: Infinity, capCredit: true, onGpu: pauseAt };
  const gpus = await fillGreedily(request.cuts, new ServiceNeeds(problem, space), rules);
  return gpus === undefined ? undefined : settleDeployment(request, problem, gpus);
}

/** Takes away the sizes that no cut can hold and those that a service may not use. */
function restrict({ problem, points }: BuiltProblem, cuts: readonly Cut[], allows: Required<Restriction>['allows']): BuiltProblem {
  const { sizeCount } = problem;
  const offered = Array.from({ length: sizeCount }, (_, k) =>
    cuts.some(({ limit, layouts }) => limit > 0 && layouts.some(({ counts }) => (counts[k] as number) > 0)),
  );
  const throughput = problem.throughput.slice();
  const kept = points.map((own, i) => {
    const usable = own.map((point, k) => point !== undefined && (offered[k] as boolean));
    return own.map((point, k) => {
      if (usable[k] === true && allows(k, usable)) return point;
      throughput[i * sizeCount + k] = 0;
      return undefined;
    });
  });
  return { problem: { ...problem, throughput }, points: kept };
}
