/** Four GPU models with prices and limits: bound and cost against the published ones, each within 15 s. */
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { planOrFail } from '../plan-and-verify.js';
import { mixedPoolNames, readDataJson, readDataWorkload } from '../read-data.js';
import { report } from '../report.js';

interface KnownCost {
  readonly name: string;
  readonly lb_cost: number;
  readonly best_known_cost: number;
}

const mostMs = 15_000;
const { workloads } = readDataJson<{ readonly workloads: readonly KnownCost[] }>('workloads/bounds-mixed.json');
const solver = await createInlineSolver();
const misses: string[] = [];
const rows = [];
for (const name of mixedPoolNames) {
  const known = workloads.find((entry) => entry.name === name);
  if (known === undefined) throw new Error(`bounds-mixed.json has no ${name}`);
  const workload = readDataWorkload(name);
  const { plan, ms } = await planOrFail(workload, { solver, objective: 'cost' });
  const { cost } = plan.totals;
  if (plan.bound.value < known.lb_cost * (1 - 1e-4)) misses.push(`${name}: bound ${plan.bound.value}, published ${known.lb_cost}`);
  if (cost > known.best_known_cost + 1e-9) misses.push(`${name}: cost ${cost}, best known ${known.best_known_cost}`);
  if (ms > mostMs) misses.push(`${name}: ${Math.round(ms)} ms, allowed ${mostMs}`);
  rows.push([
    name,
    workload.services.length,
    cost,
    known.best_known_cost,
    plan.bound.value.toFixed(4),
    known.lb_cost.toFixed(4),
    `${(100 * plan.gap).toFixed(3)} %`,
    plan.totals.gpus,
    Math.round(ms),
  ]);
}
report(
  'Mixed pools: lowest cost',
  ['workload', 'services', 'cost', 'best known', 'bound', 'published bound', 'gap', 'GPUs', 'solve, ms'],
  rows,
  misses,
);
