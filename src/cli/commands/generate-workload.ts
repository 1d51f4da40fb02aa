import { dirname, extname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { WorkloadDocument } from '../../demand/documents/workload.js';
import { generateNight, generateWorkload } from '../../demand/generate-workload.js';
import type { RawPerformanceRow } from '../../demand/raw-performance-row.js';
import { inlayError } from '../../errors.js';
import { readPerformanceTable } from '../../formats/read-performance-table.js';
import { formatDocument } from '../../formats/write-document.js';
import { formatCount } from '../format-number.js';
import type { CliIo } from '../io.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { resolveGpu } from '../resolve-hardware.js';
import { writeResult } from '../write-result.js';
import type { GenerateWorkloadOptions } from './generate.js';

/** Runs `inlay generate workload`: the document goes to stdout, or to the file that `-o` names. */
export async function runGenerateWorkload(options: GenerateWorkloadOptions, io: CliIo): Promise<void> {
  const { services, targetGpus, distribution, seed, performance, maxProcesses, night, out, format = 'json' } = options;
  if (night !== undefined && out === undefined)
    throw inlayError('USAGE', { message: '--night writes a second file, so it needs -o FILE.', hint: 'Add -o FILE.' });
  const catalogue = await readCatalogue(options.gpuModels);
  const { rows, notes } = await readPerformanceTable(performance);
  reportNotes(notes, io, options);
  const gpu = resolveGpu(catalogue, options.gpu ?? onlyGpuOf(rows, performance)).name;
  const day = generateWorkload(
    {
      name: options.name ?? `${distribution}-${services}-seed-${seed}`,
      services,
      targetGpus,
      distribution,
      seed,
      performance: [pathFrom(out, performance)],
      pool: { name: gpu.toLowerCase(), gpu },
      latency: latencyOf(options),
      ...(maxProcesses === undefined ? {} : { maxProcesses }),
    },
    rows,
    catalogue,
  );
  const write = (document: WorkloadDocument, file: string | undefined) => writeResult(io, formatDocument(document, format), file);
  const written = out === undefined ? [] : [out];
  if (out !== undefined || options.json !== true) await write(day, out);
  if (night !== undefined && out !== undefined) {
    const nightFile = besideOf(out);
    await write(generateNight(day, night, seed), nightFile);
    written.push(nightFile);
  }
  if (options.json === true) writeJson(io, day);
  else if (out !== undefined) {
    const what = `${formatCount(services, 'service')} for about ${formatCount(targetGpus, 'GPU')} of ${gpu}, ${distribution}, seed ${seed}`;
    io.stdout.write(`${written.join(' and ')}: ${what}\n`);
  }
}

function latencyOf({ latencyFactor, latencyPercentile }: GenerateWorkloadOptions) {
  return latencyFactor === undefined ? { percentile: latencyPercentile ?? 99 } : { factor: latencyFactor };
}

function onlyGpuOf(rows: readonly RawPerformanceRow[], file: string): string {
  const [gpu = '', ...others] = new Set(rows.map((row) => row.gpu));
  if (others.length === 0) return gpu;
  throw inlayError('USAGE', {
    message: `${file} has rows of several GPU models: ${[gpu, ...others].join(', ')}.`,
    hint: 'Choose one with --gpu MODEL.',
  });
}

/** The path from the document to the table; an absolute one stays as it is. */
function pathFrom(out: string | undefined, table: string): string {
  if (out === undefined || isAbsolute(table)) return table;
  return relative(dirname(resolve(out)), resolve(table))
    .split(sep)
    .join('/');
}

/** `day.json` → `day-night.json`. */
function besideOf(file: string): string {
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}-night${extension}`;
}
