import type { TransitionStep } from '../../demand/documents/transition.js';
import { sliceMask, slicesOf } from '../../gpu/slice-mask.js';
import { groupBy } from '../group-by.js';
import type { Violation } from '../verify-report.js';
import type { GpuContents } from './contents.js';
import type { Replay } from './replay.js';
import { checkSharedLimits } from './shared-limits-under-delay.js';
import { isAfter, type StepGraph } from './step-graph.js';
import { findKnownProfile, type TransitionFacts } from './transition-facts.js';

/**
 * Steps that touch the same slice wait for each other in a chain, so that each slice goes through the same states however
 * long steps take; what instances of a GPU share beyond slices is enough in every state the dependencies allow.
 */
export function checkOrder({ graph }: TransitionFacts, replay: Replay): readonly Violation[] {
  if (graph.ranks === undefined)
    return [{ where: 'steps', message: 'There is no order: steps wait in a circle.', expected: 'an order', received: 'a circle' }];
  const indexed = graph.steps.map((step, index) => ({ step, index }));
  return [...groupBy(indexed, ({ step }) => step.gpu)].flatMap(([id, own]) => {
    const gpu = replay.contents.get(id);
    if (gpu === undefined) return [];
    const members = own.map(({ index }) => index);
    return [...checkChains(graph, members, gpu), ...checkSharedLimits(graph, members, gpu, replay.wiped)];
  });
}

function checkChains(graph: StepGraph, members: readonly number[], gpu: GpuContents): readonly Violation[] {
  const { steps, ranks = [] } = graph;
  const lastOn = new Map<number, number>();
  const checked = new Set<string>();
  const violations: Violation[] = [];
  for (const index of [...members].sort((a, b) => (ranks[a] as number) - (ranks[b] as number))) {
    const step = steps[index] as TransitionStep;
    for (const slice of slicesOf(touchedSlices(step, gpu))) {
      const last = lastOn.get(slice);
      lastOn.set(slice, index);
      if (last === undefined || checked.has(`${last} ${index}`)) continue;
      checked.add(`${last} ${index}`);
      if (isAfter(graph, index, last)) continue;
      const other = steps[last] as TransitionStep;
      const message = `${step.id} and ${other.id} use memory slice ${slice} of ${step.gpu}, and neither waits for the other.`;
      violations.push({ where: step.id, message, expected: `${step.id} after ${other.id}`, received: 'no dependency' });
    }
  }
  return violations;
}

/** Memory slices of an instance's step; all of the GPU for a wipe. */
function touchedSlices(step: TransitionStep, { pool }: GpuContents): number {
  if (step.kind === 'wipe-gpu') return sliceMask(pool.gpu.full, 0);
  const profile = findKnownProfile(pool, step.profile);
  return profile === undefined ? 0 : sliceMask(profile, step.start);
}
