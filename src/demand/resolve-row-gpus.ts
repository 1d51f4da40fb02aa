import type { Problem } from '../errors.js';
import { findGpuModel } from '../gpu/find-gpu-model.js';
import type { GpuCatalogue, GpuModel } from '../gpu/gpu-model.js';
import { inManyRows, unresolvedGpu } from './name-problems.js';
import type { RawPerformanceRow } from './raw-performance-row.js';

/** A group of rows that no pool uses: what they are for, and how many they are. */
export interface UnusedRows {
  readonly label: string;
  readonly rows: number;
}

/** Which GPU names of the tables mean a model that the pools use. */
export interface RowGpus {
  /** By the name as written. */
  readonly wanted: ReadonlyMap<string, GpuModel>;
  readonly unused: readonly UnusedRows[];
  readonly problems: readonly Problem[];
}

/**
 * Resolves the GPU names of the rows. A name that no pool has to do with may be unknown: a table often holds more than
 * one site owns. An ambiguous name is a fault only if it may mean a pool's GPU.
 */
export function resolveRowGpus(rawRows: readonly RawPerformanceRow[], poolGpus: readonly GpuModel[], catalogue: GpuCatalogue): RowGpus {
  const names = new Map<string, { readonly first: RawPerformanceRow; rows: number }>();
  for (const row of rawRows) {
    const name = names.get(row.gpu);
    if (name === undefined) names.set(row.gpu, { first: row, rows: 1 });
    else name.rows += 1;
  }
  const entries = [...names].map(([name, use]) => ({ name, ...use, found: findGpuModel(catalogue, name) }));
  const measured = new Set(entries.flatMap(({ found }) => (found.kind === 'found' ? [found.model.name] : [])));
  const used = new Set(poolGpus.map((gpu) => (measured.has(gpu.name) ? gpu.name : (gpu.variantOf ?? gpu.name))));
  const possible = new Set(poolGpus.flatMap((gpu) => [gpu.name, gpu.variantOf ?? gpu.name]));

  const wanted = new Map<string, GpuModel>();
  const unused: UnusedRows[] = [];
  const problems: Problem[] = [];
  for (const { name, first, rows, found } of entries) {
    if (found.kind === 'found' && used.has(found.model.name)) wanted.set(name, found.model);
    else if (found.kind === 'ambiguous' && found.candidates.some((candidate) => possible.has(candidate))) {
      problems.push(unresolvedGpu(found, name, first.source, inManyRows(rows)));
    } else unused.push({ label: found.kind === 'unknown' ? `${name} (an unknown GPU model)` : name, rows });
  }
  return { wanted, unused, problems };
}
