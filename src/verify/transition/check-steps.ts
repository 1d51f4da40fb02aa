import { nearly, show } from '../tolerance.js';
import type { Violation } from '../verify-report.js';
import type { TransitionFacts } from './transition-facts.js';

/** Ids and dependencies are sound, steps take their durations in order of their starts, none starts before its predecessors end, and the makespan is the last end. */
export function checkSteps({ transition, graph, graphViolations }: TransitionFacts): readonly Violation[] {
  const violations = [...graphViolations];
  const refuse = (where: string, message: string, expected: string, received: string) =>
    violations.push({ where, message: `${where}: ${message}`, expected, received });
  const { steps, after } = graph;
  let lastS = 0;
  for (const [index, { id, kind, startS, endS }] of steps.entries()) {
    const durationS = transition.durations[kind];
    if (!nearly(endS - startS, durationS, 1e-6))
      refuse(id, `it does not take as long as a ${kind}.`, `${show(durationS)} s`, `${show(endS - startS)} s`);
    for (const other of after[index] ?? []) {
      const { id: earlier, endS: endedS } = steps[other] ?? { id: '', endS: 0 };
      if (startS < endedS) refuse(id, `it starts before ${earlier} ends.`, `at ${show(endedS)} s or later`, `${show(startS)} s`);
    }
    if (startS < (steps[index - 1]?.startS ?? 0))
      refuse(id, 'steps are not in the order of their starts.', 'a later start', `${show(startS)} s`);
    lastS = Math.max(lastS, endS);
  }
  if (!nearly(transition.makespanS, lastS))
    refuse('makespanS', 'it is not the end of the last step.', `${show(lastS)} s`, `${show(transition.makespanS)} s`);
  return violations;
}
