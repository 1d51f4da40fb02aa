import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInCatalogue } from '../gpu/catalogue.js';
import type { WorkloadDocument } from './documents/workload.js';
import type { RawPerformanceRow } from './raw-performance-row.js';
import { resolveWorkload } from './resolve-workload.js';
import type { PerformanceRow } from './workload.js';

type Pool = WorkloadDocument['spec']['pools'][number];
type Service = WorkloadDocument['spec']['services'][number];

const aPool = (pool: Partial<Pool> = {}): Pool => ({ name: 'a100', gpu: 'A100-80GB', ...pool });
const aService = (service: Partial<Service> = {}): Service => ({ name: 'first', model: 'small', rateRps: 10, latencyMs: 100, ...service });

let lastLine = 1;
const aRow = (row: Partial<RawPerformanceRow> = {}): RawPerformanceRow => ({
  model: 'small',
  gpu: 'A100-80GB',
  profile: '1g.10gb',
  batch: 1,
  processes: 1,
  throughputRps: 100,
  latencyMs: 10,
  source: { file: 't.csv', line: ++lastLine },
  ...row,
});

function resolve(rows: readonly RawPerformanceRow[], pools: readonly Pool[] = [aPool()], services: readonly Service[] = [aService()]) {
  const document: WorkloadDocument = {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'Workload',
    metadata: { name: 'synthetic' },
    spec: { performance: ['t.csv'], pools: [...pools], services: [...services] },
  };
  return resolveWorkload(document, rows, builtInCatalogue);
}

const codes = (problems: readonly { readonly code: string }[]) => problems.map((problem) => problem.code);
const profileNames = (result: ReturnType<typeof resolve>) => result.workload?.pools.map((pool) => pool.profiles.map(({ name }) => name));

describe('names of the hardware', () => {
  test('short and product names of GPUs and other spellings of profiles become canonical', () => {
    const { workload, problems } = resolve(
      [aRow({ gpu: 'NVIDIA H200', profile: 'nvidia.com/mig-1g.18gb' }), aRow({ gpu: 'h200-141gb', profile: '7g.141gb' })],
      [aPool({ gpu: 'H200' })],
    );
    expect(problems).toEqual([]);
    expect(workload?.rows.map((row) => [row.gpu, row.profile])).toEqual([
      ['H200-141GB', '1g.18gb'],
      ['H200-141GB', '7g.141gb'],
    ]);
  });

  test('one name means different slices on different GPU models', () => {
    const rows = [aRow({ gpu: 'H200', profile: '1g.35gb' }), aRow({ gpu: 'GB300', profile: '1g.35gb' })];
    const { workload } = resolve(rows, [aPool({ name: 'a', gpu: 'H200' }), aPool({ name: 'b', gpu: 'GB300' })]);
    expect(workload?.pools.map((pool) => pool.profiles.map((profile) => profile.memorySlices))).toEqual([[2], [1]]);
  });

  test('a name that drifts with the driver is matched by its slices, with one note', () => {
    const { workload, notes } = resolve([aRow({ profile: '3g.39gb' }), aRow({ profile: '3g.39gb', batch: 2 })]);
    expect(workload?.rows[0]?.profile).toBe('3g.40gb');
    expect(codes(notes).filter((code) => code === 'PROFILE_NAME_DRIFT')).toHaveLength(1);
  });

  test('a variant takes the rows of its plain model only when it has none of its own', () => {
    const pool = aPool({ gpu: 'H100-80GB-SXM' });
    const plain = aRow({ gpu: 'H100-80GB' });
    const borrowed = resolve([plain], [pool]);
    expect(borrowed.workload?.pools[0]).toMatchObject({ rowsOf: 'H100-80GB' });
    expect(borrowed.workload?.rows).toHaveLength(1);
    expect(codes(borrowed.notes)).toContain('ROWS_OF_PLAIN_MODEL');

    const own = resolve([plain, aRow({ gpu: 'H100-80GB-SXM', profile: '2g.20gb' })], [pool]);
    expect(own.workload?.pools[0]).toMatchObject({ rowsOf: 'H100-80GB-SXM' });
    expect(own.workload?.rows.map((row) => row.profile)).toEqual(['2g.20gb']);
    expect(codes(own.notes)).toEqual(['ROWS_UNUSED', 'MEMORY_NOT_CHECKED']);
  });

  test('the plain model does not take the rows of a variant', () => {
    const { problems } = resolve([aRow({ gpu: 'H100-80GB-SXM' })], [aPool({ gpu: 'H100-80GB' })]);
    expect(codes(problems)).toEqual(['GPU_WITHOUT_ROWS']);
    expect(problems[0]?.received).toBe('rows for H100-80GB-SXM');
  });
});

describe('profiles of a pool', () => {
  const rows = ['7g.80gb', '1g.10gb', '3g.40gb', 'full'].map((profile) => aRow({ profile }));

  test('are those with rows, smallest first, as far as the pool allows', () => {
    expect(profileNames(resolve(rows))).toEqual([['1g.10gb', '3g.40gb', '7g.80gb']]);
    expect(profileNames(resolve(rows, [aPool({ profiles: ['3g.40gb', '2g.20gb', '1g.10gb'] })]))).toEqual([['1g.10gb', '3g.40gb']]);
    expect(profileNames(resolve(rows, [aPool({ exclude: ['7g.80gb', 'full'] })]))).toEqual([['1g.10gb', '3g.40gb']]);
  });

  test('with MIG off, or without MIG, are the whole GPU', () => {
    expect(profileNames(resolve(rows, [aPool({ mig: false })]))).toEqual([['full']]);
    expect(profileNames(resolve([aRow({ gpu: 'T4', profile: 'full' })], [aPool({ gpu: 'T4' })]))).toEqual([['full']]);
    const { problems } = resolve([aRow({ profile: 'full' })]);
    expect(problems[0]).toMatchObject({ code: 'GPU_WITHOUT_ROWS', hint: expect.stringContaining('mig: false') });
  });

  test('decide which rows are kept; the rest is counted in one note', () => {
    const { workload, notes } = resolve([...rows, aRow({ gpu: 'Imagined-9000' }), aRow({ gpu: 'A30', profile: '1g.6gb' })]);
    expect(workload?.rows.map((row) => row.profile)).toEqual(['7g.80gb', '1g.10gb', '3g.40gb']);
    expect(notes[0]?.message).toBe(
      '3 of 6 performance rows are for what no pool offers: Imagined-9000 (an unknown GPU model), A30, A100-80GB full.',
    );
  });
});

describe('rows', () => {
  test('that say the same twice are one row', () => {
    const { workload, problems } = resolve([aRow(), aRow(), aRow({ gpu: 'a100 80gb' })]);
    expect(problems).toEqual([]);
    expect(workload?.rows).toHaveLength(1);
  });

  test('that contradict each other, in whatever spelling, are refused with both places', () => {
    for (const other of [
      { throughputRps: 101 },
      { latencyMs: 11 },
      { memoryGiB: 2 },
      { gpu: 'A100 80GB', profile: 'MIG 1g.10gb', latencyMs: 9 },
    ]) {
      const first = aRow({ source: { file: 'a.csv', line: 7 } });
      const { problems } = resolve([first, aRow({ ...other, source: { file: 'b.csv', line: 9 } })]);
      expect(problems).toEqual([expect.objectContaining({ code: 'CONFLICTING_ROWS', file: 'b.csv', line: 9 })]);
      expect(problems[0]?.message).toContain('a.csv:7');
    }
  });

  test('of an unknown profile are one problem, with their number', () => {
    const { problems } = resolve([aRow(), aRow({ profile: '9g.90gb' }), aRow({ profile: '9g.90gb', batch: 2 })]);
    expect(problems.map((problem) => problem.message)).toEqual(['A100-80GB has no MIG profile 9g.90gb (in 2 rows, the first is here).']);
  });

  test('without memory are told once', () => {
    expect(codes(resolve([aRow(), aRow({ batch: 2, memoryGiB: 1 })]).notes)).toEqual(['MEMORY_NOT_CHECKED']);
    expect(resolve([aRow({ memoryGiB: 1 })]).notes).toEqual([]);
  });
});

describe('services', () => {
  test('get every default, and keep what they say', () => {
    const own = aService({
      name: 'second',
      latency: { factor: 0.5 },
      maxBatch: 4,
      minReplicas: 2,
      maxUtilization: 0.5,
      priority: 3,
      profiles: ['1g.10gb'],
    });
    const { workload } = resolve([aRow()], [aPool()], [aService(), own]);
    expect(workload?.services[0]).toMatchObject({ minReplicas: 1, latency: { kind: 'percentile', percentile: 99, rule: 'safe' } });
    expect(workload?.services[1]).toEqual({ ...own, latency: { kind: 'factor', factor: 0.5 } });
    expect(workload?.maxProcesses).toBe(Number.POSITIVE_INFINITY);
  });

  test('may name a profile that only one of the pools knows', () => {
    const rows = [aRow(), aRow({ gpu: 'A30', profile: '1g.6gb' })];
    const pools = [aPool(), aPool({ name: 'a30', gpu: 'A30' })];
    expect(resolve(rows, pools, [aService({ profiles: ['1g.6gb'] })]).problems).toEqual([]);
  });

  test('whose model was measured elsewhere only are told where', () => {
    const { problems } = resolve([aRow({ model: 'other' }), aRow({ gpu: 'A30', profile: '1g.6gb' })]);
    expect(problems).toEqual([expect.objectContaining({ code: 'MODEL_WITHOUT_ROWS', received: 'rows only for A30 1g.6gb' })]);
  });

  test('are asked about a near name of a model, and not blamed for a broken pool', () => {
    expect(resolve([aRow()], [aPool()], [aService({ model: 'smal' })]).problems[0]?.hint).toBe('Did you mean small?');
    const { problems } = resolve([aRow()], [aPool({ gpu: 'Imagined' })], [aService(), aService({ model: 'unmeasured', name: 'second' })]);
    expect(codes(problems)).toEqual(['UNKNOWN_GPU', 'MODEL_WITHOUT_ROWS']);
  });
});

test('the order and the grouping of the rows do not matter', () => {
  const row = fc.record({
    model: fc.constantFrom('small', 'large'),
    gpu: fc.constantFrom('A100-80GB', 'A100 80GB', 'A30', 'Imagined'),
    profile: fc.constantFrom('1g.10gb', '2g.20gb', 'full'),
    batch: fc.integer({ min: 1, max: 4 }),
    processes: fc.integer({ min: 1, max: 3 }),
  });
  const keyOf = ({ model, gpu, profile, batch, processes }: PerformanceRow | RawPerformanceRow) =>
    JSON.stringify([model, gpu, profile, batch, processes]);
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 30 }), (parts) => {
      const rows = [aRow(), aRow({ model: 'large' }), ...parts.map((part) => aRow({ ...part, batch: part.batch + 1 }))];
      const forward = resolve(rows);
      const backward = resolve([...rows].reverse());
      expect(backward.workload?.rows.map(keyOf).sort()).toEqual(forward.workload?.rows.map(keyOf).sort());
      expect(backward.workload?.pools).toEqual(forward.workload?.pools);
      const expected = new Set(
        rows.filter((raw) => raw.gpu.startsWith('A100') && raw.profile !== 'full').map((raw) => keyOf({ ...raw, gpu: 'A100-80GB' })),
      );
      expect(new Set(forward.workload?.rows.map(keyOf))).toEqual(expected);
    }),
    { seed: 11, numRuns: 100 },
  );
});
