import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiVersion } from '../src/demand/documents/common.js';
import type { WorkloadDocument } from '../src/demand/documents/workload.js';
import type { RawPerformanceRow } from '../src/demand/raw-performance-row.js';
import { resolveWorkload } from '../src/demand/resolve-workload.js';
import type { Workload } from '../src/demand/workload.js';
import { parsePerformanceCsv } from '../src/formats/performance-csv.js';
import { builtInCatalogue } from '../src/gpu/catalogue.js';

/** Workloads of one GPU model with published best plans. */
export const singlePoolNames = [...names('scenario-', 4), ...names('w0', 6)];
/** Workloads of four GPU models with prices. */
export const mixedPoolNames = names('m0', 4);
/** The measured table of 24 models on A100-80GB. */
export const table24 = 'workloads/profiles-24.csv';

/** The profiles that the published bounds allow: one of each size, without double-memory and media variants. */
const plainProfiles: Readonly<Record<string, readonly string[]>> = {
  'A100-40GB': ['1g.5gb', '2g.10gb', '3g.20gb', '4g.20gb', '7g.40gb'],
  'A100-80GB': ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'],
  'H100-80GB': ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'],
  'A30-24GB': ['1g.6gb', '2g.12gb', '4g.24gb'],
};

/** A workload as the data holds it. */
interface DataWorkload {
  readonly name: string;
  readonly gpu?: string;
  readonly pools?: readonly { readonly gpu: string; readonly price?: number; readonly count?: number }[];
  readonly latency_factor: number;
  readonly max_processes: number;
  readonly profiles: string;
  readonly services: readonly { readonly id: string; readonly model: string; readonly rate_rps: number; readonly slo_ms: number }[];
}

/** The folder that INLAY_DATA names; ends the program with a message when there is none. */
export function dataFolder(): string {
  const folder = process.env['INLAY_DATA'];
  if (folder !== undefined && existsSync(folder)) return folder;
  console.error(
    folder === undefined
      ? 'This benchmark reads measured tables: set INLAY_DATA to the folder that holds parvagpu/ and workloads/.'
      : `INLAY_DATA names ${folder}, which does not exist.`,
  );
  process.exit(2);
}

/** A file of the data as text. */
export function readDataText(file: string): string {
  return readFileSync(join(dataFolder(), file), 'utf8');
}

/** A file of the data, parsed as JSON. */
export function readDataJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(dataFolder(), file), 'utf8')) as T;
}

/** The rows of a performance table of the data. */
export function readDataRows(file: string): readonly RawPerformanceRow[] {
  const { rows, problems } = parsePerformanceCsv(readFileSync(join(dataFolder(), file), 'utf8'), file);
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return rows;
}

/** A workload of the data as a document; its table is named by its absolute path. */
export function readDataDocument(name: string): WorkloadDocument {
  const source = readDataJson<DataWorkload>(`${name.startsWith('scenario') ? 'parvagpu' : 'workloads'}/${name}.json`);
  const pools = source.pools ?? [{ gpu: source.gpu ?? '' }];
  return {
    apiVersion,
    kind: 'Workload',
    metadata: { name },
    spec: {
      performance: [join(dataFolder(), source.profiles)],
      latency: { factor: source.latency_factor },
      processes: { max: source.max_processes },
      pools: pools.map((pool) => ({ name: pool.gpu.toLowerCase(), ...pool, profiles: [...(plainProfiles[pool.gpu] ?? [])] })),
      services: source.services.map(({ id, model, rate_rps: rateRps, slo_ms: latencyMs }) => ({ name: id, model, rateRps, latencyMs })),
    },
  };
}

/** A workload of the data, ready to plan. */
export function readDataWorkload(name: string): Workload {
  const document = readDataDocument(name);
  const [table = ''] = document.spec.performance;
  return resolveDocument(document, readDataRows(table.slice(dataFolder().length + 1)));
}

/** A valid document and its rows, ready to plan. */
export function resolveDocument(document: WorkloadDocument, rows: readonly RawPerformanceRow[]): Workload {
  const { workload, problems } = resolveWorkload(document, rows, builtInCatalogue);
  if (workload === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return workload;
}

function names(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);
}
