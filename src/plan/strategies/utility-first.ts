import type { StateDocument } from '../../demand/documents/state.js';
import type { PlanResult } from '../plan-result.js';
import type { SearchContext } from '../solve-problem.js';
import { type DeployedGpu, layoutOf } from './configurations/deployment.js';
import { fillGreedily } from './configurations/fill-greedily.js';
import type { Configuration } from './configurations/rank-configurations.js';
import { ServiceNeeds } from './configurations/service-needs.js';
import { pauseAt } from './pauses.js';
import { type DeploymentTask, planDeployment } from './plan-deployment.js';
import type { PlanRequest } from './strategy.js';
import { resolveOptions } from './strategy-options.js';

/**
 * Jormungandr's allocator (SYSTOR'24, doi 10.1145/3688351.3689156): weights start at 1 and fall by the utility a service is
 * given; the configuration of highest Σ weight · utility is taken until all weights are 0. At most three services share a
 * GPU, four once a weight is 0.10 or less. With a running deployment, the one among the `topK` best configurations is taken
 * that has most in common with any one GPU that runs now, counting (size, service, batch). Ours: a service's credit is capped
 * at its weight unless `capCredit` is off, and a running GPU that was matched is not matched again.
 */
export async function planByUtility(request: PlanRequest, context: SearchContext): Promise<PlanResult> {
  const { maxMix, lastMix, capCredit, topK } = resolveOptions(request.strategyOptions, { maxMix: 3, lastMix: 4 });
  return planDeployment(request, context, 'utility-first', async (task) => {
    const running = request.current === undefined ? [] : listRunning(request, task, request.current);
    const gpus = await fillGreedily(request.cuts, new ServiceNeeds(task.problem, task.space), {
      mix: maxMix,
      lastMix,
      capCredit,
      ...(running.length > 0 && { keep: topK, choose: (ranked, gpuOf) => chooseSimilar(request, running, ranked, gpuOf) }),
      onGpu: pauseAt,
    });
    return gpus === undefined ? [] : [gpus];
  });
}

/** What a running GPU holds: how often each (size, service) runs there with the batch that the plan would use. */
type Running = Map<string, number>;

function listRunning({ workload, finder }: PlanRequest, { built }: DeploymentTask, current: StateDocument): Running[] {
  const serviceOf = new Map(workload.services.map(({ name }, i) => [name, i]));
  return current.gpus.flatMap((gpu): Running[] => {
    const pool = workload.pools.findIndex(({ name }) => name === gpu.pool);
    const running: Running = new Map();
    for (const { profile, service, batch, reserved } of gpu.instances) {
      const i = service === null ? undefined : serviceOf.get(service);
      if (pool < 0 || i === undefined || gpu.reserved === true || reserved === true) continue;
      const size = finder.index.sizes.findIndex(
        (other) => other.pool === pool && workload.pools[pool]?.profiles[other.profile]?.name === profile,
      );
      if (size < 0 || built.points[i]?.[size]?.row.batch !== batch) continue;
      const key = keyOf(size, i);
      running.set(key, (running.get(key) ?? 0) + 1);
    }
    return running.size === 0 ? [] : [running];
  });
}

/** The first of the most similar configurations; its running GPU leaves the list. */
function chooseSimilar(
  { cuts }: PlanRequest,
  running: Running[],
  ranked: readonly Configuration[],
  gpuOf: (configuration: Configuration) => DeployedGpu,
): Configuration {
  let best = ranked[0] as Configuration;
  let most = 0;
  let matched = -1;
  for (const configuration of ranked) {
    const wanted: Running = new Map();
    const gpu = gpuOf(configuration);
    for (const [n, { size }] of layoutOf(cuts, gpu).slots.entries()) {
      const service = gpu.services[n] as number;
      if (service >= 0) wanted.set(keyOf(size, service), (wanted.get(keyOf(size, service)) ?? 0) + 1);
    }
    for (const [at, other] of running.entries()) {
      let overlap = 0;
      for (const [key, count] of wanted) overlap += Math.min(count, other.get(key) ?? 0);
      if (overlap <= most) continue;
      best = configuration;
      most = overlap;
      matched = at;
    }
  }
  if (matched >= 0) running.splice(matched, 1);
  return best;
}

function keyOf(size: number, service: number): string {
  return `${size} ${service}`;
}
