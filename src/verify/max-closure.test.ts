import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findMaxClosure } from './max-closure.js';
import { findMaxFlow } from './max-flow.js';

const graph = fc.integer({ min: 1, max: 9 }).chain((size) =>
  fc.record({
    weights: fc.array(fc.integer({ min: -9, max: 9 }), { minLength: size, maxLength: size }),
    requires: fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }), { minLength: size, maxLength: size }),
  }),
);

function heaviestByTrying(weights: readonly number[], requires: readonly (readonly number[])[]): number {
  let heaviest = 0;
  for (let set = 0; set < 1 << weights.length; set++) {
    const holds = (node: number) => ((set >> node) & 1) === 1;
    if (!requires.every((others, node) => !holds(node) || others.every(holds))) continue;
    heaviest = Math.max(
      heaviest,
      weights.reduce((sum, weight, node) => sum + (holds(node) ? weight : 0), 0),
    );
  }
  return heaviest;
}

describe('findMaxClosure', () => {
  it('finds the weight that trying every set finds, and a closed set of that weight', () => {
    fc.assert(
      fc.property(graph, ({ weights, requires }) => {
        const { weight, members } = findMaxClosure(weights, requires);
        expect(weight).toBe(heaviestByTrying(weights, requires));
        expect(members.reduce((sum, node) => sum + (weights[node] ?? 0), 0)).toBe(weight);
        for (const node of members) expect(members).toEqual(expect.arrayContaining([...(requires[node] ?? [])]));
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  it('takes nothing where every node costs', () => {
    expect(findMaxClosure([-1, -2], [[1], []])).toEqual({ weight: 0, members: [] });
  });
});

describe('findMaxFlow', () => {
  it('sends flow back along an edge where that helps', () => {
    const edges = [
      { from: 0, to: 1, capacity: 1 },
      { from: 0, to: 2, capacity: 1 },
      { from: 1, to: 2, capacity: 1 },
      { from: 1, to: 3, capacity: 1 },
      { from: 2, to: 3, capacity: 1 },
    ];
    expect(findMaxFlow(4, edges, 0, 3)).toEqual({ value: 2, sourceSide: [true, false, false, false] });
  });

  it('passes a chain of many nodes', () => {
    const edges = Array.from({ length: 20_000 }, (_, from) => ({ from, to: from + 1, capacity: 2 }));
    expect(findMaxFlow(20_001, edges, 0, 20_000).value).toBe(2);
  });
});
