/** scenario-4 with the moving rate of recorded conversation calls: planned for the mean, for quantiles of the windows, and for the peak. */
import { join } from 'node:path';
import { createSimulationThreads } from '../../src/cli/simulation-threads.js';
import { resolveWorkload } from '../../src/demand/resolve-workload.js';
import type { Workload } from '../../src/demand/workload.js';
import { readTrace } from '../../src/formats/traces/read-trace.js';
import { builtInCatalogue } from '../../src/gpu/catalogue.js';
import { plan } from '../../src/plan/plan.js';
import { planAndCheck } from '../../src/simulate/check-plan.js';
import { describeServices } from '../../src/simulate/describe-services.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { planOrFail } from '../plan-and-verify.js';
import { dataFolder, readDataDocument, readDataRows } from '../read-data.js';
import { report } from '../report.js';

/** The case that is also planned with the check. */
const checkedCase = '99 % quantile';

const trace = await readTrace(join(dataFolder(), 'traces/azure-llm-2023-conv.requests.csv'));
const document = readDataDocument('scenario-4');
const [table = ''] = document.spec.performance;
const tableRows = readDataRows(table.slice(dataFolder().length + 1));
const solver = await createInlineSolver();
const threads = createSimulationThreads();
const rows = [];
const misses: string[] = [];

function workloadAt(quantile: number, window: string) {
  const spec = { ...document.spec, latency: { percentile: 99, rule: 'tight' as const, trace: 'conv', window, quantile } };
  const { workload, problems } = resolveWorkload({ ...document, spec }, tableRows, builtInCatalogue, () => trace);
  if (workload === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return workload;
}

async function check(workload: Workload) {
  const result = await planAndCheck(workload, {
    plan: (asked, request) => plan(asked, { solver, spare: 'spread', ...request }),
    simulate: threads.simulate,
    depth: 'full',
    seed: 1,
  });
  if (result.kind === 'infeasible') throw new Error('no plan');
  return { gpus: result.plan.totals.gpus, green: result.outcomes.filter(({ verdict }) => verdict === 'meets').length };
}

for (const window of ['30s', '60s']) {
  const peak = workloadAt(1, window);
  const mean = { ...peak, services: peak.services.map((service) => ({ ...service, rateRps: service.traffic?.meanRps ?? 0 })) };
  const cases = [
    { name: 'mean', workload: mean },
    { name: '95 % quantile', workload: workloadAt(0.95, window) },
    { name: '99 % quantile', workload: workloadAt(0.99, window) },
    { name: 'peak', workload: peak },
  ];
  for (const { name, workload } of cases) {
    const { plan: alone } = await planOrFail(workload, { solver });
    const requests = describeServices(workload, alone).map((service) => ({
      service,
      batching: { delayMs: 0, batchVariation: 0 },
      length: { kind: 'decided', precision: 0.05, stretch: 1 } as const,
      seed: 1,
    }));
    const outcomes = await threads.simulate(requests);
    const green = outcomes.filter(({ verdict }) => verdict === 'meets').length;
    const worst = Math.min(...outcomes.map((outcome) => (outcome.kind === 'measured' ? outcome.within.value : 0)));
    const checked = name === checkedCase ? await check(workload) : undefined;
    const [first] = workload.services;
    const factor = (first?.rateRps ?? 0) / (first?.traffic?.meanRps ?? 1);
    const all = outcomes.length;
    const checkedCells = checked === undefined ? ['', ''] : [checked.gpus, `${checked.green}/${all}`];
    const worstCell = `${(100 * worst).toFixed(1)} %`;
    rows.push([window, name, Number(factor.toFixed(2)), alone.totals.gpus, `${green}/${all}`, worstCell, ...checkedCells]);
    if (checked !== undefined && checked.green < all) misses.push(`window ${window}: ${checked.green} of ${all} green`);
  }
}
await threads.close();
report(
  'scenario-4 with the rate of recorded conversation calls',
  ['window', 'planned for', '× mean', 'GPUs, rule alone', 'green', 'worst service in time', 'GPUs, checked', 'green, checked'],
  rows,
  misses,
);
