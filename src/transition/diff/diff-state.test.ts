import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateDocument, StateGpu, StateInstance } from '../../demand/documents/state.js';
import { diffState } from './diff-state.js';

const pod = (service: string | null, profile: string, start: number, batch = 8): StateInstance =>
  service === null ? { profile, start, service } : { profile, start, service, batch, processes: 1 };
const gpu = (id: string, instances: readonly StateInstance[], more: Partial<StateGpu> = {}): StateGpu => ({
  id,
  pool: 'a100',
  type: 'A100-80GB',
  instances: [...instances],
  ...more,
});
const state = (...gpus: readonly StateGpu[]): StateDocument => ({
  apiVersion: 'inlay.dev/v1alpha1',
  kind: 'State',
  metadata: { name: 'now' },
  services: [],
  gpus: [...gpus],
});
const kinds = (diff: ReturnType<typeof diffState>) => diff.pods.map(({ kind, pod: { service } }) => `${kind} ${service}`).sort();

describe('diffState', () => {
  it('tells what is kept, restarted in place, moved, started and stopped', () => {
    const before = state(
      gpu('g0', [pod('a', '3g.40gb', 0), pod('b', '3g.40gb', 4)], { node: 'n1' }),
      gpu('g1', [pod('c', '1g.10gb', 0), pod('d', '1g.10gb', 1)], { node: 'n2' }),
    );
    const after = [
      gpu('g0', [pod('a', '3g.40gb', 0), pod('b', '3g.40gb', 4, 16)]),
      gpu('g2', [pod('c', '2g.20gb', 0), pod('e', '1g.10gb', 2)]),
    ];
    const diff = diffState(before, after, { bound: true });
    expect(kinds(diff)).toEqual(['kept a', 'moved c', 'restarted b', 'started e', 'stopped d']);
    expect(diff.gpus.map(({ id, kind }) => `${id} ${kind}`)).toEqual(['g0 changed', 'g2 added', 'g1 freed']);
  });

  it('leaves out what others hold', () => {
    const before = state(
      gpu('g0', [{ ...pod('x', '3g.40gb', 0), reserved: true }, pod('a', '3g.40gb', 4)]),
      gpu('g1', [pod('y', '7g.80gb', 0)], { reserved: true }),
    );
    const diff = diffState(before, [gpu('g0', [pod('a', '3g.40gb', 4)])], { bound: true });
    expect(kinds(diff)).toEqual(['kept a']);
    expect(diff.gpus).toEqual([{ id: 'g0', node: undefined, kind: 'unchanged', layoutBefore: ['3g.40gb@4'], layoutAfter: ['3g.40gb@4'] }]);
  });

  it('finds nothing to change in a plan that only numbers its GPUs otherwise', () => {
    const instances = fc.uniqueArray(fc.record({ service: fc.constantFrom('a', 'b', 'c'), start: fc.nat(6) }), {
      selector: ({ start }) => start,
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.array(instances, { minLength: 1, maxLength: 6 }), fc.nat(), (fleet, turn) => {
        const gpus = fleet.map((list) => list.map(({ service, start }) => pod(service, '1g.10gb', start)));
        const turned = [...gpus.slice(turn % gpus.length), ...gpus.slice(0, turn % gpus.length)];
        const before = state(...gpus.map((list, index) => gpu(`g${index}`, list)));
        const diff = diffState(
          before,
          turned.map((list, index) => gpu(`g${index}`, list)),
          { bound: false },
        );
        expect(new Set(diff.pods.map(({ kind }) => kind))).toEqual(new Set(['kept']));
      }),
      { seed: 3, numRuns: 100 },
    );
  });

  it('counts every pod of both sides once', () => {
    const place = fc.record({ service: fc.constantFrom('a', 'b', null), start: fc.nat(6), batch: fc.constantFrom(1, 2) });
    const fleet = fc.array(fc.uniqueArray(place, { selector: ({ start }) => start, maxLength: 7 }), { maxLength: 4 });
    const toGpus = (lists: readonly (readonly { service: string | null; start: number; batch: number }[])[]) =>
      lists.map((list, index) =>
        gpu(
          `g${index}`,
          list.map(({ service, start, batch }) => pod(service, '1g.10gb', start, batch)),
        ),
      );
    const countPods = (gpus: readonly StateGpu[]) =>
      gpus.flatMap(({ instances }) => instances).filter(({ service }) => service !== null).length;
    fc.assert(
      fc.property(fleet, fleet, fc.boolean(), (before, after, bound) => {
        const { pods } = diffState(state(...toGpus(before)), toGpus(after), { bound });
        expect(pods.filter(({ kind }) => kind !== 'started').length).toBe(countPods(toGpus(before)));
        expect(pods.filter(({ kind }) => kind !== 'stopped').length).toBe(countPods(toGpus(after)));
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
