import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readStepGraph } from './step-graph.js';
import type { UntimedStep } from './transition.fixture.js';
import { timeSteps } from './transition.fixture.js';
import { findWorstSum } from './worst-sum.js';

/** Steps in which each may wait for earlier ones; starts give, stops take, deletions do neither. */
const graph = fc
  .array(
    fc.record({
      kind: fc.constantFrom('start-pod' as const, 'stop-pod' as const, 'delete-instance' as const),
      after: fc.uniqueArray(fc.nat(7), { maxLength: 3 }),
      amount: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) => {
    const listed = steps.map(({ kind, after }, index): UntimedStep => {
      const common = {
        id: `s${index}`,
        gpu: 'g',
        profile: '1g',
        start: 0,
        after: after.filter((other) => other < index).map((other) => `s${other}`),
      };
      return kind === 'delete-instance' ? { kind, ...common } : { kind, ...common, service: 'api', batch: 1, processes: 1, capacityRps: 1 };
    });
    const losses = steps.map(({ kind, amount }) => (kind === 'stop-pod' ? amount : kind === 'start-pod' ? -amount : 0));
    const timed = timeSteps(listed);
    const change = new Map(timed.map(({ id }, index) => [index, losses[Number(id.slice(1))] ?? 0]));
    return { graph: readStepGraph(timed).graph, changes: new Map([...change].filter(([, amount]) => amount !== 0)) };
  });

/** Tries every set of steps that have ended with every set that runs besides. */
function worstByTrying({ graph: { steps, after }, changes }: typeof graph extends fc.Arbitrary<infer T> ? T : never): number {
  let worst = 0;
  for (let ended = 0; ended < 1 << steps.length; ended++) {
    const hasEnded = (index: number) => ((ended >> index) & 1) === 1;
    const mayStart = (index: number) => (after[index] ?? []).every(hasEnded);
    if (!steps.every((_, index) => !hasEnded(index) || mayStart(index))) continue;
    let sum = 0;
    for (const [index, step] of steps.entries()) {
      const counts = step.kind === 'stop-pod' ? hasEnded(index) || mayStart(index) : hasEnded(index);
      if (counts) sum += changes.get(index) ?? 0;
    }
    worst = Math.max(worst, sum);
  }
  return worst;
}

it('finds the worst of all states that trying every order finds', () => {
  fc.assert(
    fc.property(graph, (example) => {
      expect(findWorstSum(example.graph, example.changes).sum).toBe(worstByTrying(example));
    }),
    { seed: 7, numRuns: 300 },
  );
});
