/** GPUs of each strategy relative to whole GPUs, for normal and lognormal demands of 24 services at several scales. */
import type { Workload } from '../../src/demand/workload.js';
import type { StrategyName } from '../../src/plan/plan.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { distributions, figureDocument, figureWorkload } from '../figure-workloads.js';
import { planAndVerify } from '../plan-and-verify.js';
import { writeFigure } from '../write-figure.js';

const scales = [10, 40, 160, 640];
const workloads = 4;
const rounds = 8;
const strategies: readonly StrategyName[] = [
  'whole',
  'smallest',
  'static-mix',
  'balanced',
  'utility-first',
  'greedy',
  'mig-serving',
  'exact',
];

const solver = await createInlineSolver();

/** GPUs by strategy; undefined when a strategy has no answer, as the fixed mix has none for a service that needs a larger slice. */
async function countGpus(workload: Workload, seed: number): Promise<readonly number[] | undefined> {
  const counts: number[] = [];
  for (const strategy of strategies) {
    const found = await planAndVerify(workload, { solver, strategy, strategyOptions: { seed, rounds } });
    if (found.kind === 'infeasible') return undefined;
    counts.push(found.plan.totals.gpus);
  }
  return counts;
}

/** GPUs by strategy of so many workloads together, of the first seeds that every strategy has an answer for. */
async function sumGpus(distribution: (typeof distributions)[number], scale: number): Promise<readonly number[]> {
  const sums = strategies.map(() => 0);
  for (let seed = 1, accepted = 0; accepted < workloads; seed++) {
    const counts = await countGpus(figureWorkload(figureDocument(distribution, scale, seed)), seed);
    if (counts === undefined) continue;
    accepted++;
    for (const [i, gpus] of counts.entries()) sums[i] = (sums[i] as number) + gpus;
  }
  return sums;
}

const rows: (string | number)[][] = [];
const panels = [];
for (const distribution of distributions) {
  const shares: number[][] = strategies.map(() => []);
  for (const scale of scales) {
    const sums = await sumGpus(distribution, scale);
    const whole = sums[strategies.indexOf('whole')] as number;
    const cells = sums.map((gpus, i) => {
      shares[i]?.push((100 * gpus) / whole);
      return `${gpus} (${((100 * gpus) / whole).toFixed(1)} %)`;
    });
    rows.push([distribution, scale, ...cells]);
  }
  panels.push({
    name: `${distribution} demands`,
    positions: scales.map((scale) => `≈ ${scale} GPUs`),
    series: strategies.map((name, i) => ({ name, values: shares[i] as number[] })),
  });
}

writeFigure({
  name: 'gpus-by-strategy',
  finding: `GPUs of ${workloads} workloads of a kind together, and as a share of what whole GPUs need. One process runs on each instance, as in the papers.`,
  setting: `24 services of the measured table on A100-80GB; latency below 0.45 of the limit; the first ${workloads} seeds from 1 on which every strategy has an answer, each both for the workload and for mig-serving, which had ${rounds} rounds. Every plan was verified.`,
  titles: ['demands', 'GPUs aimed at', ...strategies],
  rows,
  chart: {
    title: 'GPUs relative to whole GPUs',
    kind: 'bars',
    yTitle: '% of the GPUs that are needed when GPUs are used as they are',
    xTitle: 'size of the fleet that the demand was made for',
    panels,
  },
});
