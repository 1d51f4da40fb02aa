import { type Problem, problem } from '../errors.js';
import type { GpuCatalogue } from '../gpu/gpu-model.js';
import type { WorkloadDocument } from './documents/workload.js';
import { entryOf } from './entry-of.js';
import type { RawPerformanceRow } from './raw-performance-row.js';
import { offerProfiles, resolvePoolRules } from './resolve-pools.js';
import { resolveRowGpus, type UnusedRows } from './resolve-row-gpus.js';
import { resolveRows } from './resolve-rows.js';
import { resolveServices } from './resolve-services.js';
import type { TraceFinder } from './resolve-traffic.js';
import type { PerformanceRow, Pool, Workload } from './workload.js';

/** A workload that can be planned, or every reason why not. Problems carry a path into the document or the place of a row. */
export interface ResolvedWorkload {
  /** Absent when there are problems. */
  readonly workload?: Workload;
  readonly problems: readonly Problem[];
  readonly notes: readonly Problem[];
}

/**
 * Resolves the names of a valid workload document and of its raw rows, fills in the defaults and checks that everything
 * fits together. Rows that no pool can use are left out, with a note. `findTrace` gives the traces that latency rules name.
 */
export function resolveWorkload(
  document: WorkloadDocument,
  rawRows: readonly RawPerformanceRow[],
  catalogue: GpuCatalogue,
  findTrace?: TraceFinder,
): ResolvedWorkload {
  const { spec } = document;
  const { rules, problems: ruleProblems } = resolvePoolRules(spec.pools, catalogue);
  const poolGpus = rules.map((rule) => rule.gpu);
  const gpus = resolveRowGpus(rawRows, poolGpus, catalogue);
  const resolved = resolveRows(rawRows, gpus.wanted);
  const offered = offerProfiles(rules, resolved.rows, gpus);
  const { rows, unused } = dropUnofferedRows(resolved.rows, offered.pools);

  const poolProblems = [...ruleProblems, ...gpus.problems, ...resolved.problems, ...offered.problems];
  // Behind a broken pool everything seems to lack rows; only what is wrong whatever the pools say is told then.
  const services = resolveServices(spec.services, {
    latency: spec.latency,
    pools: poolProblems.length === 0 ? offered.pools : [],
    models: new Set((poolProblems.length === 0 ? rows : rawRows).map((row) => row.model)),
    measuredOn: createMeasuredOn(rawRows),
    findTrace,
  });
  const problems = [
    ...findDuplicates(spec.pools, 'spec.pools', 'pools'),
    ...findDuplicates(spec.services, 'spec.services', 'services'),
    ...poolProblems,
    ...services.problems,
  ];
  const notes = [
    ...resolved.notes,
    ...offered.notes,
    ...services.notes,
    ...noteUnusedRows([...gpus.unused, ...unused], rawRows.length),
    ...noteMemory(rows),
  ];
  if (problems.length > 0) return { problems, notes };
  const maxProcesses = spec.processes?.max ?? Number.POSITIVE_INFINITY;
  return {
    workload: { name: document.metadata.name, services: services.services, pools: offered.pools, rows, maxProcesses },
    problems,
    notes,
  };
}

/** The GPU models and profiles, as written, that a model was measured on; indexed when first asked, which is rarely. */
function createMeasuredOn(rawRows: readonly RawPerformanceRow[]): (model: string) => readonly string[] {
  let places: Map<string, Set<string>> | undefined;
  return (model) => {
    places ??= groupPlaces(rawRows);
    return [...(places.get(model) ?? [])];
  };
}

function groupPlaces(rawRows: readonly RawPerformanceRow[]): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  for (const row of rawRows) {
    entryOf(places, row.model, () => new Set<string>()).add(`${row.gpu} ${row.profile}`);
  }
  return places;
}

function findDuplicates(items: readonly { readonly name: string }[], path: string, what: string): readonly Problem[] {
  const firstOf = new Map<string, number>();
  return items.flatMap(({ name }, index) => {
    const first = firstOf.get(name);
    if (first === undefined) {
      firstOf.set(name, index);
      return [];
    }
    return [
      problem('DUPLICATE_NAME', {
        message: `Two ${what} are called ${name}; the other is ${path}[${first}].`,
        path: `${path}[${index}].name`,
        expected: 'a name of its own',
        received: name,
      }),
    ];
  });
}

function dropUnofferedRows(
  rows: readonly PerformanceRow[],
  pools: readonly Pool[],
): { readonly rows: readonly PerformanceRow[]; readonly unused: readonly UnusedRows[] } {
  const offered = new Map<string, Set<string>>();
  for (const pool of pools) {
    const profiles = entryOf(offered, pool.rowsOf, () => new Set<string>());
    for (const profile of pool.profiles) profiles.add(profile.name);
  }
  const unused = new Map<string, number>();
  const kept = rows.filter((row) => {
    if (offered.get(row.gpu)?.has(row.profile)) return true;
    const label = `${row.gpu} ${row.profile}`;
    unused.set(label, (unused.get(label) ?? 0) + 1);
    return false;
  });
  return { rows: kept, unused: Array.from(unused, ([label, count]) => ({ label, rows: count })) };
}

function noteUnusedRows(unused: readonly UnusedRows[], of: number): readonly Problem[] {
  if (unused.length === 0) return [];
  const rows = unused.reduce((sum, group) => sum + group.rows, 0);
  const labels = unused.slice(0, 5).map((group) => group.label);
  const rest = unused.length > 5 ? ` and ${unused.length - 5} more` : '';
  return [
    problem('ROWS_UNUSED', { message: `${rows} of ${of} performance rows are for what no pool offers: ${labels.join(', ')}${rest}.` }),
  ];
}

function noteMemory(rows: readonly PerformanceRow[]): readonly Problem[] {
  const unmeasured = rows.filter((row) => row.memoryGiB === undefined);
  if (unmeasured.length === 0) return [];
  const which =
    unmeasured.length === rows.length ? 'The performance rows have' : `${unmeasured.length} of ${rows.length} performance rows have`;
  return [
    problem('MEMORY_NOT_CHECKED', {
      message: `${which} no memory_gib, so it is not checked whether they fit into the memory of a profile.`,
    }),
  ];
}
