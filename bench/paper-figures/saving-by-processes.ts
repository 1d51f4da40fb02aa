/** What is saved over whole GPUs when more processes of a model may share an instance. */
import type { Workload } from '../../src/demand/workload.js';
import type { StrategyName } from '../../src/plan/plan.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { distributions, figureDocument, figureWorkload } from '../figure-workloads.js';
import { planOrFail } from '../plan-and-verify.js';
import { writeFigure } from '../write-figure.js';

const scale = 100;
const seeds = [1, 2, 3, 4];
const processCounts = [1, 2, 3, 4, 5];
const strategies: readonly StrategyName[] = ['exact', 'static-mix', 'whole'];

const solver = await createInlineSolver();

async function countGpus(workload: Workload, strategy: StrategyName): Promise<number> {
  const { plan } = await planOrFail(workload, { solver, strategy });
  return plan.totals.gpus;
}

const rows: (string | number)[][] = [];
const panels = [];
for (const distribution of distributions) {
  const documents = seeds.map((seed) => figureDocument(distribution, scale, seed));
  let asTheyAre = 0;
  for (const document of documents) asTheyAre += await countGpus(figureWorkload(document), 'whole');
  const savings = new Map<StrategyName, number[]>(strategies.map((strategy) => [strategy, []]));
  for (const processes of processCounts) {
    const cells: string[] = [];
    for (const strategy of strategies) {
      let gpus = 0;
      for (const document of documents) gpus += await countGpus(figureWorkload(document, processes), strategy);
      const saving = 100 * (1 - gpus / asTheyAre);
      savings.get(strategy)?.push(saving);
      cells.push(`${gpus} (${saving.toFixed(1)} %)`);
    }
    rows.push([distribution, processes, ...cells]);
  }
  panels.push({
    name: `${distribution} demands`,
    positions: processCounts.map(String),
    series: [...savings].map(([name, values]) => ({ name, values })),
  });
}

writeFigure({
  name: 'saving-by-processes',
  finding: `GPUs of all ${seeds.length} workloads of a kind together, and what that saves over whole GPUs with one process each.`,
  setting: `24 services of the measured table on A100-80GB for about ${scale} GPUs; latency below 0.45 of the limit; seeds ${seeds.join(', ')}. Every plan was verified.`,
  titles: ['demands', 'processes at most', ...strategies],
  rows,
  chart: {
    title: 'Saving over whole GPUs by processes per instance',
    kind: 'lines',
    yTitle: '% of the GPUs saved, against whole GPUs with one process each',
    xTitle: 'most processes of a model in an instance',
    panels,
  },
});
