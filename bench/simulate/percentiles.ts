/**
 * Plans for a percentile: tight rule, simulation, verification with another seed and three times the length. Every service must be
 * green, and w01, w02 and w04 together may take 3, 6 and 12 % more GPUs than the least (Poisson, CV 2, CV 4). `percentiles.ts w01,w04` runs some.
 */
import { createSimulationThreads } from '../../src/cli/simulation-threads.js';
import { plan } from '../../src/plan/plan.js';
import { planAndCheck } from '../../src/simulate/check-plan.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { verifyPlan } from '../../src/verify/verify-plan.js';
import { planOrFail } from '../plan-and-verify.js';
import { readDataWorkload } from '../read-data.js';
import { readPercentileWorkload } from '../read-percentile-workload.js';
import { report } from '../report.js';

const names = process.argv[2]?.split(',') ?? ['scenario-1', 'scenario-2', 'scenario-3', 'scenario-4', 'w01', 'w02', 'w04'];
const large = ['w01', 'w02', 'w04'];
const allowedShare: Readonly<Record<number, number>> = { 1: 0.03, 2: 0.06, 4: 0.12 };
const solver = await createInlineSolver();
const misses: string[] = [];
const rows = [];
for (const burstiness of [1, 2, 4]) {
  const sums = { least: 0, gpus: 0 };
  for (const name of names) {
    const { plan: smallest } = await planOrFail(readDataWorkload(name), { solver });
    const workload = readPercentileWorkload(name, { burstiness });
    const cells = [];
    for (const depth of ['quick', 'full'] as const) {
      const threads = createSimulationThreads();
      const start = { ms: performance.now(), cpu: process.cpuUsage() };
      const result = await planAndCheck(workload, {
        plan: (asked, request) => plan(asked, { solver, spare: 'spread', ...request }),
        simulate: threads.simulate,
        depth,
        seed: 1,
      });
      const seconds = (performance.now() - start.ms) / 1000;
      const { user, system } = process.cpuUsage(start.cpu);
      await threads.close();
      if (result.kind === 'infeasible') throw new Error(`${name} has no plan`);
      const green = result.outcomes.filter(({ verdict }) => verdict === 'meets').length;
      if (!result.passed) misses.push(`${name}, CV ${burstiness}, ${depth}: ${green} of ${result.outcomes.length} green`);
      if (verifyPlan(workload, result.plan).kind !== 'holds') misses.push(`${name}, CV ${burstiness}, ${depth}: the plan does not verify`);
      const { gpus } = result.plan.totals;
      cells.push(
        gpus,
        `${green}/${result.outcomes.length}`,
        result.rounds,
        Number((result.requests / 1e6).toFixed(1)),
        Number(seconds.toFixed(1)),
        Number(((user + system) / 1e6).toFixed(1)),
      );
      if (depth === 'full' && large.includes(name)) {
        sums.least += smallest.totals.gpus;
        sums.gpus += gpus;
      }
    }
    rows.push([name, burstiness, smallest.totals.gpus, ...cells]);
    console.error(rows.at(-1)?.join(' '));
  }
  const share = sums.gpus / sums.least - 1;
  if (sums.least === 0) continue;
  rows.push([
    'w01 + w02 + w04',
    burstiness,
    sums.least,
    '',
    '',
    '',
    '',
    '',
    '',
    `${sums.gpus} (+${(100 * share).toFixed(1)} %)`,
    '',
    '',
    '',
    '',
    '',
  ]);
  if (share > (allowedShare[burstiness] as number)) misses.push(`CV ${burstiness}: ${(100 * share).toFixed(1)} % more GPUs`);
}
const titles = ['GPUs', 'green', 'rounds', 'M requests', 's', 'CPU s'];
report(
  'Plans for the 99th percentile',
  ['workload', 'CV', 'least GPUs', ...titles.map((title) => `quick: ${title}`), ...titles.map((title) => `verified: ${title}`)],
  rows,
  misses,
);
