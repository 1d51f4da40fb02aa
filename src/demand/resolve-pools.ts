import { type Problem, problem } from '../errors.js';
import { findGpuModel } from '../gpu/find-gpu-model.js';
import { findProfile } from '../gpu/find-profile.js';
import type { GpuCatalogue, GpuModel, MigProfile } from '../gpu/gpu-model.js';
import type { WorkloadDocument } from './documents/workload.js';
import { entryOf } from './entry-of.js';
import { unknownProfile, unresolvedGpu } from './name-problems.js';
import type { RowGpus } from './resolve-row-gpus.js';
import type { PerformanceRow, Pool } from './workload.js';

type PoolDocument = WorkloadDocument['spec']['pools'][number];

/** A pool whose GPU model and allowed profiles are known, before it is known which of them have rows. */
export interface PoolRules {
  readonly document: PoolDocument;
  readonly path: string;
  readonly gpu: GpuModel;
  /** Profiles that may be cut by the pool's own rules. */
  readonly allowed: readonly MigProfile[];
  /** Whether nothing was wrong with the names in the pool. */
  readonly isSound: boolean;
}

/** Resolves the names in the pools; problems carry their path. */
export function resolvePoolRules(
  documents: readonly PoolDocument[],
  catalogue: GpuCatalogue,
): { readonly rules: readonly PoolRules[]; readonly problems: readonly Problem[] } {
  const rules: PoolRules[] = [];
  const problems: Problem[] = [];
  for (const [index, document] of documents.entries()) {
    const path = `spec.pools[${index}]`;
    const found = findGpuModel(catalogue, document.gpu);
    if (found.kind !== 'found') {
      problems.push(unresolvedGpu(found, document.gpu, { path: `${path}.gpu` }));
      continue;
    }
    const before = problems.length;
    const allowed = allowProfiles(document, path, found.model, problems);
    rules.push({ document, path, gpu: found.model, allowed, isSound: problems.length === before });
  }
  return { rules, problems };
}

function allowProfiles(pool: PoolDocument, path: string, gpu: GpuModel, problems: Problem[]): readonly MigProfile[] {
  const before = problems.length;
  const hasMig = gpu.profiles.length > 0;
  if (pool.mig === true && !hasMig) {
    problems.push(
      problem('INVALID_VALUE', {
        message: `${gpu.name} has no MIG.`,
        path: `${path}.mig`,
        expected: 'false, or no such key',
        received: 'true',
        hint: 'Remove the key; the whole GPU is used as one instance.',
      }),
    );
  }
  const possible = hasMig && pool.mig !== false ? gpu.profiles : [gpu.full];
  const listed = pool.profiles && new Set(resolveList(pool.profiles, `${path}.profiles`, gpu, possible, problems));
  const excluded = new Set(resolveList(pool.exclude ?? [], `${path}.exclude`, gpu, undefined, problems));
  const allowed = possible.filter((profile) => listed?.has(profile) !== false && !excluded.has(profile));
  if (allowed.length === 0 && problems.length === before) {
    problems.push(
      problem('INVALID_VALUE', {
        message: `The pool ${pool.name} allows no profile at all.`,
        path: pool.exclude === undefined ? `${path}.profiles` : `${path}.exclude`,
        expected: `at least one of ${possible.map((profile) => profile.name).join(', ')} left`,
        received: 'none',
      }),
    );
  }
  return allowed;
}

function resolveList(
  names: readonly string[],
  path: string,
  gpu: GpuModel,
  possible: readonly MigProfile[] | undefined,
  problems: Problem[],
): readonly MigProfile[] {
  return names.flatMap((name, index) => {
    const found = findProfile(gpu, name);
    const where = `${path}[${index}]`;
    if (found.kind === 'unknown') {
      problems.push(unknownProfile(gpu, name, found.suggestions, { path: where }));
      return [];
    }
    if (possible?.includes(found.profile) === false) problems.push(profileAgainstMig(name, where, found.profile === gpu.full));
    return [found.profile];
  });
}

function profileAgainstMig(name: string, path: string, isFull: boolean): Problem {
  return problem('INVALID_VALUE', {
    message: isFull
      ? `${name} is the whole GPU with MIG off, but MIG is on in this pool.`
      : `${name} is a MIG profile, but MIG is off in this pool.`,
    path,
    expected: isFull ? 'a MIG profile' : 'full',
    received: name,
    hint: isFull ? 'Set mig: false in a pool of its own.' : 'Remove mig: false.',
  });
}

/** Finishes the pools with what the rows offer; a variant without rows takes those of its plain model. */
export function offerProfiles(
  rules: readonly PoolRules[],
  rows: readonly PerformanceRow[],
  tables: Pick<RowGpus, 'unused'>,
): { readonly pools: readonly Pool[]; readonly problems: readonly Problem[]; readonly notes: readonly Problem[] } {
  const measured = new Map<string, Set<string>>();
  for (const row of rows) entryOf(measured, row.gpu, () => new Set<string>()).add(row.profile);
  const problems: Problem[] = [];
  const notes: Problem[] = [];
  const pools = rules.map((rule): Pool => {
    const { document, path, gpu, allowed } = rule;
    const rowsOf = measured.has(gpu.name) || gpu.variantOf === undefined || !measured.has(gpu.variantOf) ? gpu.name : gpu.variantOf;
    const profiles = allowed.filter((profile) => measured.get(rowsOf)?.has(profile.name));
    if (profiles.length === 0 && rule.isSound) problems.push(withoutRows(rule, measured.get(rowsOf), tables));
    else if (rowsOf !== gpu.name) notes.push(rowsOfPlainModel(document, path, gpu, rowsOf));
    return {
      name: document.name,
      gpu,
      rowsOf,
      count: document.count ?? Number.POSITIVE_INFINITY,
      price: document.price ?? 1,
      profiles,
      forbid4gWith3g: document.forbid4gWith3g ?? false,
    };
  });
  return { pools, problems, notes };
}

function withoutRows(
  { document, path, gpu, allowed }: PoolRules,
  measured: ReadonlySet<string> | undefined,
  tables: Pick<RowGpus, 'unused'>,
): Problem {
  const details = { path: `${path}.gpu`, expected: `rows for ${gpu.name} ${allowed.map((profile) => profile.name).join(', ')}` };
  if (measured === undefined) {
    const others = tables.unused.map((group) => group.label);
    return problem('GPU_WITHOUT_ROWS', {
      ...details,
      message: `The pool ${document.name} has GPUs of model ${gpu.name}, for which no performance row exists.`,
      received: others.length === 0 ? 'none' : `rows for ${others.slice(0, 5).join(', ')}`,
    });
  }
  const onlyFull = measured.size === 1 && measured.has('full');
  return problem('GPU_WITHOUT_ROWS', {
    ...details,
    message: `No performance row of ${gpu.name} is for a profile that the pool ${document.name} allows.`,
    received: `rows for ${[...measured].join(', ')}`,
    ...(onlyFull ? { hint: 'The rows are for the whole GPU: set mig: false, or add rows measured on MIG profiles.' } : {}),
  });
}

function rowsOfPlainModel(pool: PoolDocument, path: string, gpu: GpuModel, plain: string): Problem {
  return problem('ROWS_OF_PLAIN_MODEL', {
    message: `The pool ${pool.name} uses the rows of ${plain}, because ${gpu.name} has none.`,
    path: `${path}.gpu`,
  });
}
