/**
 * Generated changes of 5 to 100 services on 4 to 200 GPUs with one extra GPU: pod starts proven, seconds at most 40 above the
 * bound of the waves, every transition replayed. `generated.ts 1 24` runs one seed a change with at most 24 services.
 */
import { generateWorkload } from '../../src/demand/generate-workload.js';
import { createSeededRandom, type SeededRandom } from '../../src/demand/seeded-random.js';
import type { Workload } from '../../src/demand/workload.js';
import { builtInCatalogue } from '../../src/gpu/catalogue.js';
import { plan } from '../../src/plan/plan.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { toState } from '../../src/transition/transition.fixture.js';
import { transition } from '../../src/transition/transition.js';
import { verifyTransition } from '../../src/verify/verify-transition.js';
import { readDataRows, resolveDocument, table24 } from '../read-data.js';
import { type Cell, report, timed } from '../report.js';

const seeds = Number(process.argv[2] ?? 2);
const mostServices = Number(process.argv[3] ?? 100);
const firstSeed = 900;
const sizes = [
  { services: 5, gpus: 4 },
  { services: 12, gpus: 12 },
  { services: 24, gpus: 50 },
  { services: 24, gpus: 190 },
  { services: 50, gpus: 80 },
  { services: 100, gpus: 66 },
  { services: 100, gpus: 200 },
].filter(({ services }) => services <= mostServices);
const profiles = ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'];
/** Seconds above the bound of the waves that an order may take. */
const mostAboveBoundS = 40;
/** Seconds that planning may take, by services. */
const mostPlanningS = (services: number): number => (services <= 24 ? 10 : 60);

type Service = Workload['services'][number];
type Change = (services: readonly Service[], random: SeededRandom) => readonly Service[];
const scaled =
  (least: number, most: number): Change =>
  (services, random) =>
    services.map((service) => ({ ...service, rateRps: service.rateRps * (least + (most - least) * random.uniform()) }));
/** A fifth of the services is not there at first; another fifth not at the end. */
const fifthOf = (services: readonly Service[], part: number): readonly Service[] => services.filter((_, i) => i % 5 !== part);
const changes: Readonly<Record<string, { readonly before?: Change; readonly after: Change }>> = {
  '± 20 %': { after: scaled(0.8, 1.2) },
  'to night': { after: scaled(0.21, 0.39) },
  'to day': { before: scaled(0.21, 0.39), after: (services) => services },
  'services come and go': {
    before: (services) => fifthOf(services, 1),
    after: (services, random) => scaled(0.9, 1.1)(fifthOf(services, 3), random),
  },
};

const solver = await createInlineSolver();
const table = readDataRows(table24);
const misses: string[] = [];
const rows: Cell[][] = [];
for (const { services, gpus } of sizes) {
  for (const [name, { before = (all: readonly Service[]) => all, after }] of Object.entries(changes)) {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) await runCase(services, gpus, name, { before, after }, seed);
  }
}
report(
  `Generated changes with one extra GPU: seeds ${firstSeed} to ${firstSeed + seeds - 1}`,
  ['change', 'seed', 'services', 'GPUs', 'pod starts', 'proven', 'seconds', 'bound', 'above', 'temporary', 'planning, CPU s'],
  rows,
  misses,
);

async function runCase(
  services: number,
  gpus: number,
  name: string,
  change: Required<(typeof changes)[string]>,
  seed: number,
): Promise<void> {
  const random = createSeededRandom(seed);
  const recipe = {
    name: `generated-${seed}`,
    services,
    targetGpus: gpus,
    distribution: (['normal', 'lognormal', 'heavy'] as const)[seed % 3] ?? 'normal',
    seed: seed + services,
    latency: seed % 2 === 0 ? { factor: 0.45 } : { percentile: 99 },
    maxProcesses: 3,
  };
  const pool = { name: 'a100', gpu: 'A100-80GB', profiles };
  const all = resolveDocument(generateWorkload({ ...recipe, performance: [table24], pool }, table, builtInCatalogue), table);
  const before = { ...all, services: change.before(all.services, random) };
  const after = { ...all, services: change.after(all.services, random) };
  const now = await plan(before, { solver });
  if (now.kind !== 'plan') throw new Error(`${recipe.name} cannot be planned`);
  const state = toState(now.plan, before);
  const where = `${name}, ${services} services on ${gpus} GPUs, seed ${seed}`;
  const { value: result, cpuMs } = await timed(() => transition(state, after, { solver, maxExtraGpus: 1 }));
  const planningS = cpuMs / 1000;
  if (planningS > mostPlanningS(services)) misses.push(`${where}: planning took ${planningS.toFixed(1)} s`);
  if (result.kind === 'infeasible') {
    misses.push(`${where}: ${result.conflicts.map(({ message }) => message).join('; ')}`);
    rows.push([name, seed, services, gpus, '–', '–', '–', '–', '–', '–', planningS.toFixed(1)]);
    return;
  }
  const { bounds, counts } = result.transition;
  const { podStarts, makespanS } = bounds;
  if (podStarts?.gap !== 0) misses.push(`${where}: ${podStarts?.achieved} pod starts, proven limit ${podStarts?.limit}`);
  if ((makespanS?.gap ?? Infinity) > mostAboveBoundS) misses.push(`${where}: ${makespanS?.achieved} s, bound ${makespanS?.limit} s`);
  for (const { name: check, violations } of verifyTransition(state, result.transition, after).checks) {
    for (const { message } of violations) misses.push(`${where}: ${check}: ${message}`);
  }
  rows.push([
    name,
    seed,
    services,
    state.gpus.length,
    podStarts?.achieved ?? '–',
    podStarts?.limit ?? '–',
    makespanS?.achieved ?? '–',
    makespanS?.limit ?? '–',
    (makespanS?.gap ?? 0).toFixed(1),
    counts.temporaryPods,
    planningS.toFixed(1),
  ]);
  console.error(rows.at(-1)?.join(' '));
}
