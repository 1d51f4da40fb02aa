/**
 * The tight rule alone, without any simulation while planning: how often a service that it says meets its limit misses it (at most 0.5 %),
 * and how far predictions are from what is simulated.
 */
import { createSimulationThreads } from '../../src/cli/simulation-threads.js';
import { describeServices } from '../../src/simulate/describe-services.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { planOrFail } from '../plan-and-verify.js';
import { readPercentileWorkload } from '../read-percentile-workload.js';
import { median, report } from '../report.js';

const names = ['scenario-1', 'scenario-2', 'scenario-3', 'scenario-4', 'w01', 'w02', 'w03', 'w04', 'w05'];
const mostWrong = 0.005;
const solver = await createInlineSolver();
const threads = createSimulationThreads();
const rows = [];
const misses: string[] = [];
let services = 0;
let wrong = 0;
const allRatios: number[] = [];
for (const router of ['round-robin', 'random'] as const) {
  for (const burstiness of [1, 2, 4]) {
    let count = 0;
    let missing = 0;
    const ratios: number[] = [];
    for (const name of names) {
      const workload = readPercentileWorkload(name, { burstiness, router, rule: 'tight' });
      const { plan } = await planOrFail(workload, { solver });
      const length = { kind: 'decided', precision: 0.05, stretch: 1 } as const;
      const requests = describeServices(workload, plan).map((service) => ({
        service,
        batching: { delayMs: 0, batchVariation: 0 },
        length,
        seed: 1,
      }));
      const outcomes = await threads.simulate(requests);
      const predicted = new Map<string, number>();
      for (const { service, predictedP99Ms } of plan.gpus.flatMap(({ instances }) => instances)) {
        predicted.set(service, Math.max(predicted.get(service) ?? 0, predictedP99Ms ?? Number.NaN));
      }
      for (const outcome of outcomes) {
        count += 1;
        if (outcome.verdict !== 'meets') missing += 1;
        if (outcome.kind === 'measured') ratios.push((predicted.get(outcome.name) as number) / outcome.percentileMs.value);
      }
      console.error(
        `${router} ${burstiness} ${name}: ${outcomes
          .filter(({ verdict }) => verdict !== 'meets')
          .map(({ name, verdict, load }) => `${name} ${verdict} at ${load.toFixed(2)}`)
          .join(', ')}`,
      );
    }
    services += count;
    wrong += missing;
    allRatios.push(...ratios);
    rows.push([
      router,
      burstiness,
      count,
      missing,
      Number(median(ratios).toFixed(2)),
      Number(ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 20)]?.toFixed(2)),
    ]);
  }
}
await threads.close();
rows.push(['all', '', services, wrong, Number(median(allRatios).toFixed(2)), '']);
if (wrong > mostWrong * services) misses.push(`${wrong} of ${services} services miss what the rule promised`);
report(
  'The tight rule without a check',
  ['router', 'CV', 'services', 'wrongly called met', 'predicted ÷ simulated p99, median', 'its 5 % quantile'],
  rows,
  misses,
);
