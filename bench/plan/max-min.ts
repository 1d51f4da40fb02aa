/** The largest common share of every rate on 80 % of the fleet that is needed: within 0.2 % of its proven limit. */
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { planOrFail } from '../plan-and-verify.js';
import { readDataDocument, readDataRows, resolveDocument, table24 } from '../read-data.js';
import { report } from '../report.js';

const fleetShare = 0.8;
const mostGap = 0.002;
const rules = { factor: { factor: 0.45 }, percentile: { percentile: 99 } } as const;

const solver = await createInlineSolver();
const table = readDataRows(table24);
const misses: string[] = [];
const rows = [];
for (const name of ['w01', 'w04', 'w06']) {
  for (const [rule, latency] of Object.entries(rules)) {
    const { spec, ...rest } = readDataDocument(name);
    const whole = { ...rest, spec: { ...spec, latency } };
    const needed = (await planOrFail(resolveDocument(whole, table), { solver })).plan.totals.gpus;
    const count = Math.floor(needed * fleetShare);
    const limited = { ...whole, spec: { ...whole.spec, pools: spec.pools.map((pool) => ({ ...pool, count })) } };
    const { plan, ms } = await planOrFail(resolveDocument(limited, table), { solver, objective: 'max-min' });
    if (plan.gap > mostGap) misses.push(`${name}, ${rule}: ${(100 * plan.gap).toFixed(3)} % below the limit`);
    const factor = plan.totals.factor ?? Number.NaN;
    rows.push([
      name,
      rule,
      needed,
      count,
      factor.toFixed(5),
      plan.bound.value.toFixed(5),
      `${(100 * plan.gap).toFixed(3)} %`,
      Math.round(ms),
    ]);
  }
}
report(
  'Max-min: the largest common share of every rate on 80 % of the fleet',
  ['workload', 'rule', 'GPUs needed', 'GPUs', 'share', 'proven limit', 'gap', 'solve, ms'],
  rows,
  misses,
);
