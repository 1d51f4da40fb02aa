/**
 * Fresh random workloads under both latency rules: the plan must equal the bound rounded up in at least 99.5 %, never be more
 * than one GPU above it, and every plan and certificate must verify. `random.ts 60` runs the first 60 only.
 */
import { generateWorkload, type LoadDistribution } from '../../src/demand/generate-workload.js';
import { createSeededRandom } from '../../src/demand/seeded-random.js';
import { builtInCatalogue } from '../../src/gpu/catalogue.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { planOrFail } from '../plan-and-verify.js';
import { readDataRows, resolveDocument, table24 } from '../read-data.js';
import { median, report } from '../report.js';

const count = Number(process.argv[2] ?? 500);
const firstSeed = 1000;
const distributions: readonly LoadDistribution[] = ['normal', 'lognormal', 'heavy'];
const rules = { factor: { factor: 0.45 }, percentile: { percentile: 99 } } as const;
const leastShareMet = 0.995;

interface Outcome {
  readonly above: number;
  readonly gpus: number;
  readonly ms: number;
}

const solver = await createInlineSolver();
const table = readDataRows(table24);
const misses: string[] = [];
const outcomes = new Map<string, Outcome[]>();
const missedSeeds: string[] = [];
for (let seed = firstSeed; seed < firstSeed + count; seed++) {
  const random = createSeededRandom(seed);
  const services = 4 + random.below(57);
  // Evenly spread in the logarithm, 2 to 200 GPUs.
  const targetGpus = 2 * 100 ** random.uniform();
  const distribution = distributions[random.below(distributions.length)] as LoadDistribution;
  for (const [rule, latency] of Object.entries(rules)) {
    const recipe = { name: `random-${seed}-${rule}`, services, targetGpus, distribution, seed, latency, maxProcesses: 3 };
    const document = generateWorkload(
      { ...recipe, performance: [table24], pool: { name: 'a100', gpu: 'A100-80GB' } },
      table,
      builtInCatalogue,
    );
    const { plan, ms } = await planOrFail(resolveDocument(document, table), { solver });
    const above = plan.gapGpus ?? Number.NaN;
    if (above > 0) {
      const found = `${plan.totals.gpus} GPUs, bound ${plan.bound.value.toFixed(4)}`;
      missedSeeds.push(`- seed ${seed}, ${rule}: ${services} services, ${distribution}, ${found}, ${Math.round(ms)} ms`);
    }
    if (above > 1) misses.push(`seed ${seed}, ${rule}: ${above} GPUs above the bound`);
    const key = `${rule}, ${distribution}`;
    outcomes.set(key, [...(outcomes.get(key) ?? []), { above, gpus: plan.totals.gpus, ms }]);
  }
}

const all = [...outcomes.values()].flat();
const shareMet = shareAtBound(all);
if (shareMet < leastShareMet) misses.push(`only ${(100 * shareMet).toFixed(2)} % of the plans are at the bound`);
const lines = [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1));
report(
  `Random workloads: ${count} seeds from ${firstSeed}, both latency rules`,
  ['rule, distribution', 'plans', 'at ⌈bound⌉, %', 'worst GPUs above', 'GPUs', 'median ms', 'longest ms'],
  [...lines, ['all', all] as const].map(([key, group]) => [
    key,
    group.length,
    (100 * shareAtBound(group)).toFixed(2),
    Math.max(...group.map(({ above }) => above)),
    `${Math.min(...group.map(({ gpus }) => gpus))}–${Math.max(...group.map(({ gpus }) => gpus))}`,
    Math.round(median(group.map(({ ms }) => ms))),
    Math.round(Math.max(...group.map(({ ms }) => ms))),
  ]),
  misses,
  missedSeeds.length === 0 ? [] : ['Above the bound:', ...missedSeeds, ''],
);

function shareAtBound(group: readonly Outcome[]): number {
  return group.filter(({ above }) => above === 0).length / group.length;
}
