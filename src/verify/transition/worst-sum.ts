import { findMaxClosure } from '../max-closure.js';
import { reduceTo, type StepGraph } from './step-graph.js';

/** The largest sum of changes in any state that the dependencies allow, and the steps that lead there. */
export interface WorstSum {
  readonly sum: number;
  readonly steps: readonly number[];
}

/**
 * The largest sum of the changes of some steps over all states that can arise when every step takes as long as it likes, and
 * at least 0: the start is such a state. A change for the worse counts from the start of its step, one for the better from
 * its end. In either case exactly the steps that it waits for must have ended, so that states are the closed sets of the
 * dependencies and the worst one is a maximum closure.
 */
export function findWorstSum(graph: StepGraph, changes: ReadonlyMap<number, number>): WorstSum {
  const members = [...changes.keys()];
  const weights = members.map((index) => changes.get(index) ?? 0);
  const { weight, members: chosen } = findMaxClosure(weights, reduceTo(graph, members));
  return { sum: weight, steps: chosen.map((at) => members[at] as number) };
}
