/**
 * Workloads with published best plans: GPUs must equal the best known, proven, with a bound within 0.1 % of the published
 * service-plan bound, and every plan must verify.
 */
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { planOrFail } from '../plan-and-verify.js';
import { readDataJson, readDataWorkload, singlePoolNames } from '../read-data.js';
import { median, report } from '../report.js';

interface KnownBound {
  readonly name: string;
  readonly lb_service_plan: number;
  readonly best_known_gpus: number;
}

const repeats = 5;
const { workloads } = readDataJson<{ readonly workloads: readonly KnownBound[] }>('workloads/bounds.json');
const solver = await createInlineSolver();
const misses: string[] = [];
const rows = [];
for (const name of singlePoolNames) {
  const known = workloads.find((entry) => entry.name === name);
  if (known === undefined) throw new Error(`bounds.json has no ${name}`);
  const workload = readDataWorkload(name);
  const { plan, ms: firstMs } = await planOrFail(workload, { solver });
  const times: number[] = [];
  for (let i = 0; i < repeats; i++) times.push((await planOrFail(workload, { solver })).ms);
  const { gpus } = plan.totals;
  if (gpus !== known.best_known_gpus || !plan.optimal) misses.push(`${name}: ${gpus} GPUs, best known ${known.best_known_gpus}`);
  const off = plan.bound.value / known.lb_service_plan - 1;
  // Published with four decimals.
  if (Math.abs(off) > 1e-3) misses.push(`${name}: bound ${plan.bound.value}, published ${known.lb_service_plan}`);
  rows.push([
    name,
    workload.services.length,
    gpus,
    known.best_known_gpus,
    plan.bound.value.toFixed(4),
    known.lb_service_plan.toFixed(4),
    plan.optimal ? 'yes' : 'no',
    Math.round(firstMs),
    Math.round(median(times)),
  ]);
}
report(
  'Known workloads: fewest GPUs',
  ['workload', 'services', 'GPUs', 'best known', 'bound', 'published bound', 'proven', 'first solve, ms', `median of ${repeats}, ms`],
  rows,
  misses,
);
