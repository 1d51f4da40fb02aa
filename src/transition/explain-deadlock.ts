import { problem } from '../errors.js';
import { bindTarget } from './bind-target.js';
import type { ChosenTarget } from './choose-target.js';
import type { BestOrderContext } from './find-best-order.js';
import { findDip, type ServiceDip } from './find-dip.js';
import { findOrder } from './find-order.js';
import { buildMoveProblem } from './move-problem.js';
import type { InfeasibleTransition } from './transition.js';

/** Extra GPUs up to which an order is looked for. */
const mostMoreGpus = 8;

/** Names the services whose floors stand in the way, the smallest dip found, and the extra GPUs with which there is an order. */
export async function explainDeadlock(chosen: ChosenTarget, extra: number, context: BestOrderContext): Promise<InfeasibleTransition> {
  const target = bindTarget(chosen.problem, chosen.found.counts);
  const moveWith = (gpus: number) => buildMoveProblem(chosen.problem, target, context.workload, { ...context, extra: gpus });
  const dipping = await findDip(moveWith(extra), context);
  let needed: number | undefined;
  for (let more = 1; more <= mostMoreGpus && needed === undefined && context.signal?.aborted !== true; more++) {
    const { order } = await findOrder(moveWith(extra + more), context, { gapWaves: 2 });
    if (order !== undefined) needed = extra + more;
  }
  const dips = dipping?.dips ?? [];
  const conflicts = dips.length === 0 ? [describe(undefined, extra, needed)] : dips.map((dip) => describe(dip, extra, needed));
  return {
    kind: 'infeasible',
    conflicts,
    ...(dips.length > 0 && { dips }),
    ...(needed !== undefined && { neededExtraGpus: needed }),
  };
}

function describe(dip: ServiceDip | undefined, extra: number, needed: number | undefined): InfeasibleTransition['conflicts'][number] {
  const within = `within ${countExtra(extra)}`;
  const message =
    dip === undefined
      ? `no order of steps was found that keeps every floor, and replicas on as many GPUs as asked for, ${within}`
      : `no order of steps was found that keeps service ${dip.service} at its floor ${within}: the smallest dip found misses ${show(dip.rps)} rps for ${show(dip.seconds)} s (${show(dip.requests)} requests)`;
  const hint =
    needed === undefined ? problem('FLOOR_CANNOT_BE_KEPT', { message }).hint : `Allow ${countExtra(needed)} (--max-extra-gpus ${needed}).`;
  return {
    code: 'FLOOR_CANNOT_BE_KEPT',
    ...(dip && { service: dip.service }),
    message,
    ...(needed !== undefined && { needed }),
    available: extra,
    ...(hint !== undefined && { hint }),
  };
}

function countExtra(gpus: number): string {
  return `${gpus} extra ${gpus === 1 ? 'GPU' : 'GPUs'}`;
}

function show(value: number): string {
  return String(Math.round(value * 10) / 10);
}
