import type { Backend, TransitionStep } from '../../demand/documents/transition.js';
import { groupBy } from '../group-by.js';
import { show } from '../tolerance.js';
import type { Violation } from '../verify-report.js';
import type { TransitionFacts } from './transition-facts.js';

const kindsOf: Readonly<Record<Backend, readonly TransitionStep['kind'][]>> = {
  instance: ['create-instance', 'delete-instance', 'start-pod', 'stop-pod'],
  'gpu-wipe': ['wipe-gpu', 'start-pod', 'stop-pod'],
  node: ['wipe-gpu', 'start-pod', 'stop-pod'],
};

/** Only steps of the backend; under `node` one wipe a node at a time, during which no pod is started on the node. */
export function checkBackend({ transition, gpus }: TransitionFacts): readonly Violation[] {
  const { backend, steps } = transition;
  const kinds = kindsOf[backend];
  const foreign = steps.flatMap(({ id, kind }) => {
    const message = `${id}: the backend ${backend} has no such step.`;
    return kinds.includes(kind) ? [] : [{ where: id, message, expected: kinds.join(', '), received: kind }];
  });
  if (backend !== 'node') return foreign;
  const byNode = groupBy(steps, (step) => gpus.get(step.gpu)?.node ?? step.gpu);
  return [...foreign, ...[...byNode.values()].flatMap(checkNode)];
}

function checkNode(steps: readonly TransitionStep[]): readonly Violation[] {
  const wipes = steps.filter(({ kind }) => kind === 'wipe-gpu').sort((a, b) => a.startS - b.startS);
  const violations: Violation[] = [];
  for (const [index, wipe] of wipes.entries()) {
    const next = wipes[index + 1];
    if (next !== undefined && next.startS < wipe.endS) {
      const message = `${next.id}: ${wipe.id} still wipes a GPU of the same node.`;
      violations.push({ where: next.id, message, expected: `at ${show(wipe.endS)} s or later`, received: `${show(next.startS)} s` });
    }
  }
  for (const { id, kind, startS } of steps) {
    const wipe = kind === 'start-pod' ? wipes.find((one) => one.startS <= startS && startS < one.endS) : undefined;
    if (wipe === undefined) continue;
    const message = `${id}: a pod is placed on a node on which ${wipe.id} wipes a GPU.`;
    violations.push({ where: id, message, expected: `at ${show(wipe.endS)} s or later`, received: `${show(startS)} s` });
  }
  return violations;
}
