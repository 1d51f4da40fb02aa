import type { RawPerformanceRow } from '../demand/raw-performance-row.js';
import { InlayError, type Problem } from '../errors.js';
import { limits } from './limits.js';
import { parsePerformanceCsv } from './performance-csv.js';
import { readTextFile } from './read-file.js';

/** Reads a performance table by itself. Throws InlayError with every problem of it. */
export async function readPerformanceTable(
  file: string,
): Promise<{ readonly rows: readonly RawPerformanceRow[]; readonly notes: readonly Problem[] }> {
  const { rows, problems, notes } = parsePerformanceCsv(await readTextFile(file, limits.tableBytes.value), file);
  if (problems.length > 0) throw new InlayError(problems);
  return { rows, notes };
}
