import type { TransitionStep } from '../../demand/documents/transition.js';
import { show } from '../tolerance.js';
import type { Violation } from '../verify-report.js';
import { fillContents, type GpuContents, type Instance, isUsed, sumCapacities } from './contents.js';
import { applyEnd, applyStart, type Refusal } from './step-effects.js';
import type { TransitionFacts } from './transition-facts.js';

/** What happened when the steps were carried out at their stated times. */
export interface Replay {
  /** Steps that could not be carried out, and why. */
  readonly refusals: readonly Refusal[];
  /** Services below their floor, each at its lowest moment. */
  readonly dips: readonly Violation[];
  /** What is on each GPU at the end. */
  readonly contents: ReadonlyMap<string, GpuContents>;
  /** Instances that each wipe removed, by index of the step. */
  readonly wiped: ReadonlyMap<number, readonly Instance[]>;
  /** GPUs in use at the start, most in use at any moment, and most of each pool. */
  readonly gpusAtStart: number;
  readonly peakGpus: number;
  readonly peakOfPool: ReadonlyMap<string, number>;
}

interface Low {
  readonly rps: number;
  readonly atS: number;
  readonly step: string;
}

/** Carries out the steps at their times; ends come before starts of the same instant. A step that cannot be taken is left out. */
export function replaySteps(facts: TransitionFacts): Replay {
  const contents = fillContents(facts);
  const capacity = sumCapacities(contents);
  const floors = lowerToStart(facts.floors, capacity);
  const lows = new Map<string, Low>();
  const refusals: Refusal[] = [];
  const wiped = new Map<number, readonly Instance[]>();
  const taken = new Set<number>();
  const usage = createUsage(contents);
  const gpusAtStart = usage.peak();

  for (const { index, step, isStart } of listEvents(facts.graph.steps)) {
    const gpu = contents.get(step.gpu);
    if (gpu === undefined) continue;
    if (isStart) {
      if (step.kind === 'wipe-gpu') wiped.set(index, [...gpu.instances.values()]);
      const refused = applyStart(step, gpu, facts);
      refusals.push(...refused);
      if (refused.length > 0) continue;
      taken.add(index);
      if (step.kind === 'stop-pod') {
        const rps = (capacity.get(step.service) ?? 0) - podCapacity(gpu, step.start);
        capacity.set(step.service, rps);
        const low = lows.get(step.service);
        if (low === undefined || rps < low.rps) lows.set(step.service, { rps, atS: step.startS, step: step.id });
      }
    } else if (taken.has(index)) {
      applyEnd(step, gpu);
      if (step.kind === 'start-pod') capacity.set(step.service, (capacity.get(step.service) ?? 0) + podCapacity(gpu, step.start));
    }
    usage.note(gpu);
  }
  return { refusals, dips: findDips(floors, lows), contents, wiped, gpusAtStart, peakGpus: usage.peak(), peakOfPool: usage.peakOfPool };
}

function podCapacity({ instances }: GpuContents, start: number): number {
  return instances.get(start)?.pod?.capacityRps ?? 0;
}

/** A service that is below its floor at the start need not rise before the end, but must not sink. */
function lowerToStart(floors: ReadonlyMap<string, number>, capacity: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...floors].map(([service, floor]) => [service, Math.min(floor, capacity.get(service) ?? 0)]));
}

function findDips(floors: ReadonlyMap<string, number>, lows: ReadonlyMap<string, Low>): readonly Violation[] {
  return [...floors].flatMap(([service, floor]) => {
    const low = lows.get(service);
    if (low === undefined || isAtLeast(low.rps, floor)) return [];
    const message = `${service}: falls below its floor at ${show(low.atS)} s, when ${low.step} starts.`;
    return [{ where: service, message, expected: `at least ${show(floor)} rps`, received: `${show(Math.max(0, low.rps))} rps` }];
  });
}

/** Whether a sum of many capacities reaches a floor apart from rounding. */
export function isAtLeast(rps: number, floor: number): boolean {
  return rps >= floor * (1 - 1e-9) - 1e-12;
}

interface Event {
  readonly index: number;
  readonly step: TransitionStep;
  readonly isStart: boolean;
}

function listEvents(steps: readonly TransitionStep[]): readonly Event[] {
  const events = steps.flatMap((step, index) => [
    { index, step, isStart: true, atS: step.startS },
    { index, step, isStart: false, atS: step.endS },
  ]);
  return events.sort((a, b) => a.atS - b.atS || Number(a.isStart) - Number(b.isStart) || a.index - b.index);
}

function createUsage(contents: ReadonlyMap<string, GpuContents>) {
  const used = new Set<GpuContents>();
  const ofPool = new Map<string, number>();
  const peakOfPool = new Map<string, number>();
  let peak = 0;
  const note = (gpu: GpuContents) => {
    const now = isUsed(gpu);
    if (now === used.has(gpu)) return;
    const { name } = gpu.pool;
    const count = (ofPool.get(name) ?? 0) + (now ? 1 : -1);
    ofPool.set(name, count);
    peakOfPool.set(name, Math.max(peakOfPool.get(name) ?? 0, count));
    if (now) used.add(gpu);
    else used.delete(gpu);
    peak = Math.max(peak, used.size);
  };
  for (const gpu of contents.values()) note(gpu);
  return { note, peak: () => peak, peakOfPool };
}
