/**
 * Large fleets. 1000 services on about 4800 GPUs: planning ≤ 0.5 s, the whole command ≤ 1.5 s and < 400 MB.
 * 10 000 services on about 48 000 GPUs: planning ≤ 12 s, at most one GPU above the bound.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkloadDocument } from '../../src/demand/documents/workload.js';
import { generateWorkload } from '../../src/demand/generate-workload.js';
import { builtInCatalogue } from '../../src/gpu/catalogue.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { peakOfBuiltCommand, timeBuiltCommand } from '../built-command.js';
import { planOrFail } from '../plan-and-verify.js';
import { dataFolder, readDataDocument, readDataRows, resolveDocument, table24 } from '../read-data.js';
import { median, report } from '../report.js';

interface Target {
  readonly document: WorkloadDocument;
  readonly repeats: number;
  readonly solveMs: number;
  readonly commandMs: number;
  readonly peakMiB: number;
}

const table = readDataRows(table24);
const targets: readonly Target[] = [
  { document: readDataDocument('w06'), repeats: 5, solveMs: 500, commandMs: 1500, peakMiB: 400e6 / 2 ** 20 },
  ...(['lognormal', 'normal', 'heavy'] as const).map((distribution) => ({
    document: generateWorkload(
      {
        name: `10 000 services, ${distribution}`,
        services: 10_000,
        targetGpus: 52_000,
        distribution,
        seed: 7,
        performance: [join(dataFolder(), table24)],
        pool: { name: 'a100', gpu: 'A100-80GB' },
        latency: { factor: 0.45 },
        maxProcesses: 3,
      },
      table,
      builtInCatalogue,
    ),
    repeats: 1,
    solveMs: 12_000,
    commandMs: Number.POSITIVE_INFINITY,
    peakMiB: Number.POSITIVE_INFINITY,
  })),
];

const solver = await createInlineSolver();
const folder = mkdtempSync(join(tmpdir(), 'inlay-bench-'));
const misses: string[] = [];
const rows = [];
try {
  for (const [i, { document, repeats, solveMs, commandMs, peakMiB }] of targets.entries()) {
    const { name } = document.metadata;
    const workload = resolveDocument(document, table);
    const runs = [];
    for (let run = 0; run < repeats; run++) runs.push(await planOrFail(workload, { solver }));
    const [{ plan }] = runs as [(typeof runs)[number]];
    const file = join(folder, `${i}.json`);
    writeFileSync(file, JSON.stringify(document));
    const args = ['plan', file, '-o', join(folder, 'plan.json')];
    const command = median(Array.from({ length: repeats }, () => timeBuiltCommand(...args)));
    const peak = peakOfBuiltCommand(...args);
    const solve = median(runs.map(({ ms }) => ms));
    if ((plan.gapGpus ?? Number.NaN) > 1) misses.push(`${name}: ${plan.gapGpus} GPUs above the bound`);
    if (solve > solveMs) misses.push(`${name}: planning takes ${Math.round(solve)} ms, allowed ${solveMs}`);
    if (command > commandMs) misses.push(`${name}: the command takes ${Math.round(command)} ms, allowed ${commandMs}`);
    if (peak > peakMiB) misses.push(`${name}: ${Math.round(peak)} MiB, allowed ${Math.round(peakMiB)}`);
    rows.push([
      name,
      workload.services.length,
      plan.totals.gpus,
      plan.bound.value.toFixed(3),
      plan.gapGpus ?? '–',
      Math.round(solve),
      Math.round(command),
      Math.round(peak),
    ]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report(
  'Scale',
  ['workload', 'services', 'GPUs', 'bound', 'GPUs above', 'solve, ms', 'whole command, ms', 'peak memory, MiB'],
  rows,
  misses,
);
