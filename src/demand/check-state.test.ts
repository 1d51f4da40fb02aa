import { describe, expect, test } from 'vitest';
import { builtInCatalogue } from '../gpu/catalogue.js';
import { checkState } from './check-state.js';
import type { StateDocument, StateGpu, StateInstance } from './documents/state.js';

const anInstance = (profile: string, start: number, more: Partial<StateInstance> = {}): StateInstance => ({
  profile,
  start,
  service: null,
  ...more,
});
const aGpu = (instances: readonly StateInstance[], more: Partial<StateGpu> = {}): StateGpu => ({
  id: 'gpu-1',
  pool: 'a100',
  type: 'A100-80GB',
  instances: [...instances],
  ...more,
});
const check = (...gpus: readonly StateGpu[]) => {
  const document: StateDocument = {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'State',
    metadata: { name: 'synthetic' },
    services: [{ name: 'first', model: 'small', rateRps: 1, latencyMs: 100 }],
    gpus: [...gpus],
  };
  return checkState(document, builtInCatalogue);
};
const faultsOf = (...gpus: readonly StateGpu[]) =>
  check(...gpus).problems.map((problem) => `${problem.path} ${problem.code}: ${problem.message}`);

describe('checkState', () => {
  test('accepts what can exist, idle and reserved instances and empty GPUs included', () => {
    const full = aGpu([anInstance('4g.40gb', 0, { service: 'first' }), anInstance('2g.20gb', 4), anInstance('1g.10gb', 6)]);
    const foreign = aGpu([anInstance('full', 0, { service: 'theirs', reserved: true })], { id: 'gpu-2' });
    expect(check(full, foreign, aGpu([], { id: 'gpu-3', type: 'T4' }))).toEqual({ problems: [], notes: [] });
  });

  test('refuses overlaps and starts that do not exist, naming the GPU', () => {
    expect(faultsOf(aGpu([anInstance('3g.40gb', 0), anInstance('1g.10gb', 3)]))).toMatchInlineSnapshot(`
      [
        "gpus[0].instances STATE_IMPOSSIBLE: The instances of GPU gpu-1 cannot exist together: 3g.40gb@0 and 1g.10gb@3 both cover memory slice 3.",
      ]
    `);
    expect(faultsOf(aGpu([anInstance('2g.20gb', 1)]))).toMatchInlineSnapshot(`
      [
        "gpus[0].instances STATE_IMPOSSIBLE: The instances of GPU gpu-1 cannot exist together: 2g.20gb cannot start at memory slice 1 of A100-80GB, only at 0, 2, 4.",
      ]
    `);
  });

  test('refuses unknown GPU models and profiles, and notes a name that drifted', () => {
    expect(faultsOf(aGpu([], { type: 'A100-80G' }), aGpu([anInstance('1g.5gb', 0)], { id: 'gpu-2' }))).toMatchInlineSnapshot(`
      [
        "gpus[0].type UNKNOWN_GPU: The GPU model A100-80G is not known.",
        "gpus[1].instances[0].profile UNKNOWN_PROFILE: A100-80GB has no MIG profile 1g.5gb.",
      ]
    `);
    expect(check(aGpu([anInstance('3g.39gb', 0)])).notes.map((note) => note.code)).toEqual(['PROFILE_NAME_DRIFT']);
  });

  test('refuses ids, uuids and places on a node that are there twice', () => {
    const place = { node: 'n1', index: 0, uuid: 'GPU-1' };
    expect(faultsOf(aGpu([], place), aGpu([], place))).toMatchInlineSnapshot(`
      [
        "gpus[1].id DUPLICATE_NAME: Two GPUs have the id gpu-1; the other is gpus[0].",
        "gpus[1].uuid DUPLICATE_NAME: Two GPUs have the uuid GPU-1; the other is gpus[0].",
        "gpus[1].index DUPLICATE_NAME: Two GPUs are number 0 of node n1; the other is gpus[0].",
      ]
    `);
    expect(faultsOf(aGpu([], { node: 'n1', index: 0 }), aGpu([], { id: 'gpu-2', node: 'n2', index: 0 }))).toEqual([]);
  });

  test('refuses a service that is not listed, unless the instance belongs to others', () => {
    expect(faultsOf(aGpu([anInstance('1g.10gb', 0, { service: 'stranger' })]))).toMatchInlineSnapshot(`
      [
        "gpus[0].instances[0].service UNKNOWN_SERVICE: An instance of GPU gpu-1 runs stranger, which services does not list.",
      ]
    `);
    expect(faultsOf(aGpu([anInstance('1g.10gb', 0, { service: 'stranger' })], { reserved: true }))).toEqual([]);
  });
});
