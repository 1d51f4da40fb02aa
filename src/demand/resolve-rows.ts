import type { Problem } from '../errors.js';
import { problem } from '../errors.js';
import { findProfile } from '../gpu/find-profile.js';
import type { GpuModel } from '../gpu/gpu-model.js';
import { entryOf } from './entry-of.js';
import { driftedProfile, inManyRows, unknownProfile } from './name-problems.js';
import type { RawPerformanceRow } from './raw-performance-row.js';
import type { PerformanceRow } from './workload.js';

/** Rows with canonical names, each setting once, and what is wrong with the rest. */
export interface ResolvedRows {
  readonly rows: readonly PerformanceRow[];
  readonly problems: readonly Problem[];
  readonly notes: readonly Problem[];
}

/**
 * Resolves the profile of every row on its own GPU model and refuses rows that contradict each other. Rows whose GPU
 * name is not in `models` (by the name as written) are left out.
 */
export function resolveRows(rawRows: readonly RawPerformanceRow[], models: ReadonlyMap<string, GpuModel>): ResolvedRows {
  const rows: PerformanceRow[] = [];
  const conflicts: Problem[] = [];
  const profiles = createProfileResolver();
  const settings = new Map<string, Map<number, PerformanceRow>>();

  for (const raw of rawRows) {
    const gpu = models.get(raw.gpu);
    const profile = gpu === undefined ? undefined : profiles.resolve(gpu, raw);
    if (gpu === undefined || profile === undefined) continue;
    const seen = entryOf(settings, `${gpu.name}\n${profile}\n${raw.model}`, () => new Map<number, PerformanceRow>());
    // Processes stay below 64, so this is one number for each setting.
    const setting = raw.batch * 64 + raw.processes;
    const earlier = seen.get(setting);
    if (earlier !== undefined) {
      if (!hasSameNumbers(earlier, raw)) conflicts.push(conflict(earlier, raw));
      continue;
    }
    const row: PerformanceRow = { ...raw, gpu: gpu.name, profile };
    seen.set(setting, row);
    rows.push(row);
  }
  return { rows, problems: [...profiles.problems(), ...conflicts], notes: profiles.notes() };
}

interface ProfileUse {
  /** Canonical name; absent when the GPU model has no such profile. */
  readonly name: string | undefined;
  readonly drifted: boolean;
  readonly suggestions: readonly string[];
  readonly gpu: GpuModel;
  readonly first: RawPerformanceRow;
  rows: number;
}

/** Looks each profile name up once for each GPU model, and tells each fault once, with the number of rows it is in. */
function createProfileResolver() {
  const uses = new Map<GpuModel, Map<string, ProfileUse>>();
  const all: ProfileUse[] = [];

  const look = (gpu: GpuModel, first: RawPerformanceRow): ProfileUse => {
    const found = findProfile(gpu, first.profile);
    const use =
      found.kind === 'found'
        ? { name: found.profile.name, drifted: found.drifted === true, suggestions: [], gpu, first, rows: 0 }
        : { name: undefined, drifted: false, suggestions: found.suggestions, gpu, first, rows: 0 };
    all.push(use);
    return use;
  };
  const resolve = (gpu: GpuModel, row: RawPerformanceRow): string | undefined => {
    const ofGpu = entryOf(uses, gpu, () => new Map<string, ProfileUse>());
    const use = entryOf(ofGpu, row.profile, () => look(gpu, row));
    use.rows += 1;
    return use.name;
  };

  return {
    resolve,
    problems: () =>
      all
        .filter((use) => use.name === undefined)
        .map(({ gpu, first, rows, suggestions }) => unknownProfile(gpu, first.profile, suggestions, first.source, inManyRows(rows))),
    notes: () =>
      all.filter((use) => use.drifted).map(({ gpu, first, name }) => driftedProfile(gpu, first.profile, String(name), first.source)),
  };
}

function hasSameNumbers(a: PerformanceRow, b: RawPerformanceRow): boolean {
  return a.throughputRps === b.throughputRps && a.latencyMs === b.latencyMs && a.memoryGiB === b.memoryGiB;
}

function conflict(earlier: PerformanceRow, row: RawPerformanceRow): Problem {
  const { model, gpu, profile, batch, processes, source } = earlier;
  const place = source === undefined ? 'an earlier row' : `${source.file}:${source.line}`;
  return problem('CONFLICTING_ROWS', {
    message: `Two rows for ${model} on ${gpu} ${profile}, batch ${batch}, processes ${processes}, give different numbers; the other is ${place}.`,
    ...row.source,
    expected: numbersOf(earlier),
    received: numbersOf(row),
  });
}

function numbersOf(row: Pick<RawPerformanceRow, 'throughputRps' | 'latencyMs' | 'memoryGiB'>): string {
  const memory = row.memoryGiB === undefined ? '' : `, memory_gib ${row.memoryGiB}`;
  return `throughput_rps ${row.throughputRps}, latency_ms ${row.latencyMs}${memory}`;
}
