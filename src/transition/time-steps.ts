import type { StepDurations } from '../demand/documents/transition.js';
import type { DraftStep, StepTime } from './draft-step.js';

/** Steps with what each waits for and when it is expected to run. */
export interface TimedSteps {
  readonly after: readonly (readonly number[])[];
  readonly times: readonly StepTime[];
  readonly makespanS: number;
}

/** By service: the capacity it starts with and the floor, requests per second. */
export interface ServiceFloor {
  readonly ready: number;
  readonly floor: number;
}

const tolerance = 1e-9;
const maxPasses = 20;

/**
 * Lets every step start as soon as all that it waits for has ended. A stop waits for the shortest run of finished starts of
 * its service that keeps the floor without it and without every stop before it: whatever the delays, the pods that are ready
 * are then enough. Earliest starts first, earliest stops first; the order of the waves is only the first guess, and each pass
 * takes the order that the one before led to. Undefined when a floor cannot be kept in this order.
 */
export function timeSteps(
  steps: readonly DraftStep[],
  floors: readonly ServiceFloor[],
  durations: StepDurations,
  exclusiveNodes: boolean,
): TimedSteps | undefined {
  const byWave = (index: number): number => (steps[index] as DraftStep).wave;
  let waits = waitForStarts(steps, floors, (index) => byWave(index) + 0.5, byWave);
  if (waits === undefined) return undefined;
  let best: TimedSteps | undefined;
  for (let pass = 0; pass < maxPasses; pass++) {
    const timed = runSteps(steps, waits, durations, exclusiveNodes);
    if (timed === undefined || (best !== undefined && total(timed) >= total(best) - tolerance)) break;
    best = timed;
    const { times } = timed;
    const next = waitForStarts(
      steps,
      floors,
      (index) => (times[index] as StepTime).endS,
      (index) => (times[index] as StepTime).startS,
    );
    if (next === undefined) break;
    waits = next;
  }
  return best;
}

function total({ times, makespanS }: TimedSteps): number {
  return makespanS * 1e6 + times.reduce((sum, { endS }) => sum + endS, 0);
}

/** For each step that stops a pod: the starts it waits for. */
function waitForStarts(
  steps: readonly DraftStep[],
  floors: readonly ServiceFloor[],
  readyAt: (index: number) => number,
  stopAt: (index: number) => number,
): ReadonlyMap<number, readonly number[]> | undefined {
  const waits = new Map<number, readonly number[]>();
  const starts: number[][] = floors.map(() => []);
  const stops: number[][] = floors.map(() => []);
  for (const [index, { kind, pod }] of steps.entries()) {
    if (pod === undefined || pod.service < 0) continue;
    if (kind === 'start-pod') starts[pod.service]?.push(index);
    if (kind === 'stop-pod') stops[pod.service]?.push(index);
  }
  for (const [i, { ready, floor }] of floors.entries()) {
    const own = (starts[i] as number[]).sort((a, b) => readyAt(a) - readyAt(b) || a - b);
    let left = ready;
    let started = 0;
    for (const stop of (stops[i] as number[]).sort((a, b) => stopAt(a) - stopAt(b) || a - b)) {
      left -= rpsOf(steps[stop]);
      while (left < floor * (1 - tolerance) && started < own.length) left += rpsOf(steps[own[started++] as number]);
      if (left < floor * (1 - tolerance)) return undefined;
      const last = own.slice(0, started);
      if (last.some((start) => readyAt(start) > stopAt(stop) + tolerance)) return undefined;
      waits.set(stop, last);
    }
  }
  return waits;
}

function rpsOf(step: DraftStep | undefined): number {
  return step?.pod?.rps ?? 0;
}

/** Runs steps as early as they can; under `exclusiveNodes` one wipe a node at a time, during which no pod starts there. */
function runSteps(
  steps: readonly DraftStep[],
  waits: ReadonlyMap<number, readonly number[]>,
  durations: StepDurations,
  exclusiveNodes: boolean,
): TimedSteps | undefined {
  const after = steps.map(({ requires }, index) => [...new Set([...requires, ...(waits.get(index) ?? [])])]);
  const followers: number[][] = steps.map(() => []);
  for (const [index, before] of after.entries()) for (const one of before) followers[one]?.push(index);
  const open = Int32Array.from(after, (before) => before.length);
  const times: StepTime[] = [];
  const ready = new Float64Array(steps.length);
  const queue = new ReadyQueue((a, b) => (ready[a] as number) - (ready[b] as number) || wipesFirst(steps, a, b) || a - b);
  for (const [index, count] of open.entries()) if (count === 0) queue.push(index);
  const wipeOfNode = new Map<string, number>();
  let makespanS = 0;
  let done = 0;
  for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
    const step = steps[index] as DraftStep;
    if (exclusiveNodes && (step.kind === 'wipe-gpu' || step.kind === 'start-pod')) {
      const node = step.node ?? `gpu ${step.gpu}`;
      const wipe = wipeOfNode.get(node);
      if (wipe !== undefined && (times[wipe] as StepTime).endS > (ready[index] as number)) {
        ready[index] = (times[wipe] as StepTime).endS;
        if (!after[index]?.includes(wipe)) after[index]?.push(wipe);
        queue.push(index);
        continue;
      }
      if (step.kind === 'wipe-gpu') {
        if (wipe !== undefined && !after[index]?.includes(wipe)) after[index]?.push(wipe);
        wipeOfNode.set(node, index);
      }
    }
    const startS = ready[index] as number;
    const endS = round(startS + durations[step.kind]);
    times[index] = { startS, endS };
    makespanS = Math.max(makespanS, endS);
    done++;
    for (const next of followers[index] as number[]) {
      ready[next] = Math.max(ready[next] as number, endS);
      open[next] = (open[next] as number) - 1;
      if (open[next] === 0) queue.push(next);
    }
  }
  return done === steps.length ? { after, times, makespanS } : undefined;
}

function wipesFirst(steps: readonly DraftStep[], a: number, b: number): number {
  return (steps[a]?.kind === 'wipe-gpu' ? 0 : 1) - (steps[b]?.kind === 'wipe-gpu' ? 0 : 1);
}

/** Sums such as 31 + 0.7 are shown as people add them. */
function round(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6;
}

/** A heap of step indices. */
class ReadyQueue {
  readonly #items: number[] = [];
  readonly #compare: (a: number, b: number) => number;

  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare;
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#compare(items[parent] as number, item) <= 0) break;
      items[at] = items[parent] as number;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#compare(items[child + 1] as number, items[child] as number) < 0) child++;
      if (this.#compare(last, items[child] as number) <= 0) break;
      items[at] = items[child] as number;
      at = child;
    }
    items[at] = last;
    return first;
  }
}
