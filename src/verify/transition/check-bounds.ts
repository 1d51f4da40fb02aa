import type { TransitionBounds } from '../../demand/documents/transition.js';
import { atMost, nearly, show } from '../tolerance.js';
import type { Violation } from '../verify-report.js';
import type { TransitionFacts } from './transition-facts.js';

/**
 * Every bound has achieved ≥ limit and gap = achieved − limit, and what it calls achieved is what the target has. The limits
 * themselves carry no certificate.
 */
export function checkBounds({ transition, workload }: TransitionFacts): readonly Violation[] {
  const { bounds, counts, target, makespanS } = transition;
  const prices = new Map(workload.pools.map(({ name, price }) => [name, price]));
  const used = target.gpus.filter((gpu) => gpu.reserved !== true && gpu.instances.some(({ reserved }) => reserved !== true));
  /** Exact values, and the most there can be where temporary changes are counted with the others. */
  const actual: Readonly<Record<keyof TransitionBounds, { readonly value: number; readonly exact: boolean }>> = {
    gpus: { value: used.length, exact: true },
    cost: { value: used.reduce((sum, { pool }) => sum + (prices.get(pool) ?? 0), 0), exact: true },
    podStarts: { value: counts.podStarts - counts.temporaryPods, exact: true },
    instanceCreations: { value: counts.instanceCreations, exact: false },
    gpusTouched: { value: counts.gpusTouched, exact: false },
    makespanS: { value: makespanS, exact: true },
  };
  return Object.entries(bounds).flatMap(([name, bound]): readonly Violation[] => {
    if (bound === undefined) return [];
    const { achieved, limit, gap } = bound;
    const where = `bounds.${name}`;
    const { value, exact } = actual[name as keyof TransitionBounds];
    const violations: Violation[] = [];
    const refuse = (message: string, expected: string, received: number) =>
      violations.push({ where, message: `${where}: ${message}`, expected, received: show(received) });
    if (exact ? !nearly(achieved, value) : !atMost(achieved, value)) {
      refuse('this is not achieved.', exact ? show(value) : `at most ${show(value)}`, achieved);
    }
    if (!atMost(limit, achieved)) refuse('the limit is above what is achieved.', `at most ${show(achieved)}`, limit);
    if (Math.abs(achieved - limit - gap) > 1e-9 * Math.max(1, achieved))
      refuse('the gap is not achieved − limit.', show(achieved - limit), gap);
    return violations;
  });
}
