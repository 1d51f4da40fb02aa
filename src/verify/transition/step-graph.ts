import type { TransitionStep } from '../../demand/documents/transition.js';
import type { Violation } from '../verify-report.js';

/** The steps and which of them must have ended before each starts. Steps are named by their index. */
export interface StepGraph {
  readonly steps: readonly TransitionStep[];
  readonly after: readonly (readonly number[])[];
  /** Place in an order in which every step comes after its predecessors; undefined when there is a circle. */
  readonly ranks: readonly number[] | undefined;
}

/** Reads the dependencies; tells repeated ids, unknown predecessors and circles. */
export function readStepGraph(steps: readonly TransitionStep[]): { readonly graph: StepGraph; readonly violations: readonly Violation[] } {
  const violations: Violation[] = [];
  const indexOf = new Map<string, number>();
  for (const [index, { id }] of steps.entries()) {
    if (indexOf.has(id)) violations.push({ where: id, message: `${id}: two steps share this id.`, expected: 'unique ids', received: id });
    else indexOf.set(id, index);
  }
  const after = steps.map((step) =>
    [...new Set(step.after)].flatMap((id) => {
      const index = indexOf.get(id);
      if (index !== undefined) return [index];
      violations.push({
        where: step.id,
        message: `${step.id}: waits for a step that does not exist.`,
        expected: 'id of a step',
        received: id,
      });
      return [];
    }),
  );
  const ranks = rankSteps(after);
  if (ranks === undefined) {
    violations.push({
      where: 'steps',
      message: 'Some steps wait for each other in a circle.',
      expected: 'no circle',
      received: 'a circle',
    });
  }
  return { graph: { steps, after, ranks }, violations };
}

function rankSteps(after: readonly (readonly number[])[]): readonly number[] | undefined {
  const followers: number[][] = after.map(() => []);
  for (const [index, others] of after.entries()) for (const other of others) followers[other]?.push(index);
  const waiting = after.map((others) => others.length);
  const ready = waiting.flatMap((count, index) => (count === 0 ? [index] : []));
  const ranks = after.map(() => 0);
  for (const [rank, index] of ready.entries()) {
    ranks[index] = rank;
    for (const follower of followers[index] ?? []) {
      waiting[follower] = (waiting[follower] as number) - 1;
      if (waiting[follower] === 0) ready.push(follower);
    }
  }
  return ready.length === after.length ? ranks : undefined;
}

/** Whether step `later` can only start when step `earlier` has ended. */
export function isAfter(graph: StepGraph, later: number, earlier: number): boolean {
  const { after, ranks = [] } = graph;
  const limit = ranks[earlier] as number;
  const seen = new Set([later]);
  const open = [later];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    for (const other of after[index] ?? []) {
      if (other === earlier) return true;
      if (seen.has(other) || (ranks[other] as number) <= limit) continue;
      seen.add(other);
      open.push(other);
    }
  }
  return false;
}

/**
 * The dependencies among some steps that follow from the whole graph: for each the nearest of them before it. Together with
 * their own, these are all of them.
 */
export function reduceTo(graph: StepGraph, members: readonly number[]): readonly (readonly number[])[] {
  const place = new Map(members.map((index, at) => [index, at]));
  return members.map((member) => {
    const nearest: number[] = [];
    const seen = new Set<number>();
    const open = [member];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      for (const other of graph.after[index] ?? []) {
        if (seen.has(other)) continue;
        seen.add(other);
        const at = place.get(other);
        if (at === undefined) open.push(other);
        else nearest.push(at);
      }
    }
    return nearest;
  });
}
