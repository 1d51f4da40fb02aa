/**
 * Random transitions under every backend: each one that is found is replayed, with every floor held whatever the delays.
 * `random.ts 100` runs the first 100 a backend only.
 */
import { generateWorkload, type LoadDistribution } from '../../src/demand/generate-workload.js';
import { createSeededRandom } from '../../src/demand/seeded-random.js';
import type { Workload } from '../../src/demand/workload.js';
import { builtInCatalogue } from '../../src/gpu/catalogue.js';
import { plan } from '../../src/plan/plan.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { backends, toState } from '../../src/transition/transition.fixture.js';
import { transition } from '../../src/transition/transition.js';
import { verifyTransition } from '../../src/verify/verify-transition.js';
import { readDataRows, resolveDocument, table24 } from '../read-data.js';
import { type Cell, median, report, timed } from '../report.js';

const count = Number(process.argv[2] ?? 1000);
const firstSeed = 5000;
const distributions: readonly LoadDistribution[] = ['normal', 'lognormal', 'heavy'];
const profiles = ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'];
/** Seconds above the bound of the waves that an order may take. */
const mostAboveBoundS = 40;

const solver = await createInlineSolver();
const table = readDataRows(table24);
const misses: string[] = [];
const rows: Cell[][] = [];
for (const backend of backends) {
  const times: number[] = [];
  const starts: number[] = [];
  const above: number[] = [];
  const unproven: number[] = [];
  let found = 0;
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { before, after, maxExtraGpus } = draw(seed);
    const now = await plan(before, { solver });
    if (now.kind !== 'plan') continue;
    const plain = toState(now.plan, before);
    // Three GPUs a node, so that the backend `node` has something to wait for.
    const state = { ...plain, gpus: plain.gpus.map((gpu, g) => ({ ...gpu, node: `node-${Math.floor(g / 3)}` })) };
    const { value: result, ms } = await timed(() => transition(state, after, { solver, backend, maxExtraGpus }));
    times.push(ms);
    if (result.kind === 'infeasible') continue;
    found++;
    const { bounds, counts } = result.transition;
    if (bounds.podStarts?.gap !== 0) unproven.push(seed);
    starts.push(counts.podStarts);
    above.push(bounds.makespanS?.gap ?? 0);
    if (backend === 'instance' && maxExtraGpus > 0 && (bounds.makespanS?.gap ?? 0) > mostAboveBoundS) {
      misses.push(`seed ${seed}: ${bounds.makespanS?.achieved} s, bound ${bounds.makespanS?.limit} s`);
    }
    for (const { name, violations } of verifyTransition(state, result.transition, after).checks) {
      for (const { message } of violations) misses.push(`seed ${seed}, ${backend}: ${name}: ${message}`);
    }
  }
  if (unproven.length > 0) misses.push(`${backend}: pod starts not proven in ${unproven.length} of ${found}: seed ${unproven.join(', ')}`);
  rows.push([
    backend,
    times.length,
    found,
    found - unproven.length,
    median(starts),
    median(above).toFixed(1),
    Math.max(...above).toFixed(1),
    Math.round(median(times)),
    Math.round(Math.max(...times)),
  ]);
}
report(
  `Random transitions: ${count} seeds from ${firstSeed} a backend`,
  ['backend', 'cases', 'with an order', 'starts proven', 'median pod starts', 'median s above bound', 'most', 'median ms', 'longest ms'],
  rows,
  misses,
);

function draw(seed: number): { readonly before: Workload; readonly after: Workload; readonly maxExtraGpus: number } {
  const random = createSeededRandom(seed);
  const recipe = {
    name: `random-${seed}`,
    services: 3 + random.below(14),
    targetGpus: 2 * 10 ** random.uniform(),
    distribution: distributions[random.below(distributions.length)] as LoadDistribution,
    seed,
    latency: random.uniform() < 0.5 ? { factor: 0.45 } : { percentile: 99 },
    maxProcesses: 3,
  };
  const pool = { name: 'a100', gpu: 'A100-80GB', profiles };
  const before = resolveDocument(generateWorkload({ ...recipe, performance: [table24], pool }, table, builtInCatalogue), table);
  const services = before.services.map((service) => ({ ...service, rateRps: service.rateRps * (0.6 + 0.9 * random.uniform()) }));
  return { before, after: { ...before, services }, maxExtraGpus: random.below(3) };
}
