import { dirname, isAbsolute, join } from 'node:path';
import { type WorkloadDocument, workloadSchema } from '../demand/documents/workload.js';
import type { RawPerformanceRow } from '../demand/raw-performance-row.js';
import type { TraceFinder } from '../demand/resolve-traffic.js';
import { resolveWorkload } from '../demand/resolve-workload.js';
import type { Trace } from '../demand/traffic/trace.js';
import type { Workload } from '../demand/workload.js';
import { InlayError, type Problem } from '../errors.js';
import { builtInCatalogue } from '../gpu/catalogue.js';
import type { GpuCatalogue } from '../gpu/gpu-model.js';
import { limits } from './limits.js';
import type { ParsedDocument } from './parsed-document.js';
import { type PerformanceTable, parsePerformanceCsv } from './performance-csv.js';
import { placeProblems, readDocument } from './read-document.js';
import { readTextFile } from './read-file.js';
import { readTrace } from './traces/read-trace.js';

/** A workload ready to plan, the document as written, and what the user should know about it. */
export interface ReadWorkload {
  readonly workload: Workload;
  readonly document: WorkloadDocument;
  /** The file as it is written, to say where in it a problem found later is (`placeError`). */
  readonly source: ParsedDocument;
  readonly notes: readonly Problem[];
}

/** Which GPU models are known; the built-in ones unless given. */
export interface ReadOptions {
  readonly catalogue?: GpuCatalogue;
}

/**
 * Reads a Workload file and its performance tables. Throws InlayError with every problem of all of them, each with file,
 * line and column.
 */
export async function readWorkload(file: string, options: ReadOptions = {}): Promise<ReadWorkload> {
  const { document, source } = await readDocument(file, 'Workload', workloadSchema, limits.documentBytes.value);
  const tables = await Promise.all(document.spec.performance.map((entry, index) => readTable(entry, index, file)));
  const tableProblems = tables.flatMap((table) => table.problems);
  const traces = await readTraces(document, file);
  const rows = joinRows(tables);
  const resolved = resolveWorkload(document, rows, options.catalogue ?? builtInCatalogue, traces.find);
  // Rows that could not be read are missed further on; that is no second problem.
  const ownProblems = tableProblems.length === 0 ? resolved.problems : resolved.problems.filter(({ code }) => !isAboutMissingRows(code));
  const problems = placeProblems([...tableProblems, ...traces.problems, ...ownProblems], source).slice(0, limits.problems.value);
  if (resolved.workload === undefined || problems.length > 0) throw new InlayError(problems);
  const notes = [...tables.flatMap((table) => table.notes), ...placeProblems(resolved.notes, source)];
  return { workload: resolved.workload, document, source, notes };
}

/** Reads a performance table by itself. A file that cannot be read is a problem at the entry that names it. */
async function readTable(entry: string, index: number, workloadFile: string): Promise<PerformanceTable> {
  const file = resolvePath(entry, workloadFile);
  try {
    return parsePerformanceCsv(await readTextFile(file, limits.tableBytes.value), file);
  } catch (error) {
    if (!(error instanceof InlayError)) throw error;
    return { rows: [], problems: error.problems.map((found) => atEntry(found, `spec.performance[${index}]`)), notes: [] };
  }
}

/** Reads every trace that a latency rule names, each once. One that cannot be read is a problem at the first rule that names it. */
async function readTraces(
  { spec }: WorkloadDocument,
  workloadFile: string,
): Promise<{ readonly find: TraceFinder; readonly problems: readonly Problem[] }> {
  const rules = [
    { latency: spec.latency, path: 'spec.latency' },
    ...spec.services.map(({ latency }, i) => ({ latency, path: `spec.services[${i}].latency` })),
  ];
  const places = new Map<string, string>();
  for (const { latency, path } of rules) {
    if (latency !== undefined && 'trace' in latency && latency.trace !== undefined && !places.has(latency.trace))
      places.set(latency.trace, path);
  }
  const traces = new Map<string, Trace>();
  const problems: Problem[] = [];
  for (const [entry, path] of places) {
    try {
      traces.set(entry, await readTrace(resolvePath(entry, workloadFile)));
    } catch (error) {
      if (!(error instanceof InlayError)) throw error;
      problems.push(...error.problems.map((found) => atEntry(found, `${path}.trace`)));
    }
  }
  return { find: (entry) => traces.get(entry), problems };
}

function resolvePath(entry: string, workloadFile: string): string {
  return isAbsolute(entry) ? entry : join(dirname(workloadFile), entry);
}

function atEntry({ file, ...details }: Problem, path: string): Problem {
  return details.line !== undefined && file !== undefined ? { ...details, file } : { ...details, path };
}

function joinRows(tables: readonly PerformanceTable[]): readonly RawPerformanceRow[] {
  const [first] = tables;
  return tables.length === 1 && first !== undefined ? first.rows : tables.flatMap((table) => table.rows);
}

function isAboutMissingRows(code: Problem['code']): boolean {
  return code === 'MODEL_WITHOUT_ROWS' || code === 'GPU_WITHOUT_ROWS' || code === 'PROFILE_NOT_OFFERED';
}
