import type { PlanDocument } from '../../demand/documents/plan.js';
import type { StateDocument } from '../../demand/documents/state.js';
import type { FloorKind, StepDurations } from '../../demand/documents/transition.js';
import { unfoldPlan } from '../../demand/documents/unfold-plan.js';
import { createPointFinder } from '../../demand/operating-points.js';
import type { Pool, Service, Workload } from '../../demand/workload.js';
import { inlayError } from '../../errors.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { DraftPod, DraftStep } from '../draft-step.js';
import { readFleet } from '../fleet.js';
import { GpuTimeline } from '../gpu-timeline.js';
import { findUsablePoint } from '../pod-types.js';
import { timeSteps } from '../time-steps.js';
import type { TransitionResult } from '../transition.js';
import { writeTransition } from '../write-transition.js';
import { compact, type PlanGpuContent } from './compact.js';
import { exchange, type GpuSupply } from './exchange.js';
import type { PlacedPod } from './placed-pods.js';

/** What the published way needs to know. */
export interface PublishedOptions {
  readonly floor: FloorKind;
  readonly durations: StepDurations;
}

/**
 * The published way from a state to a plan, exchange-and-compact: first every service gets what it is missing beside what it
 * has, then pods migrate until the GPUs are those of the plan. As many extra GPUs are used as it takes.
 */
export function transitPublished(
  state: StateDocument,
  workload: Workload,
  plan: PlanDocument,
  { floor, durations }: PublishedOptions,
): TransitionResult {
  const fleet = readFleet(state, workload, createPointFinder(workload));
  const steps: DraftStep[] = [];
  const podOf = (type: number): DraftPod => {
    const { name, service, batch, processes, rps, point } = fleet.types.list[type] as (typeof fleet.types.list)[number];
    return { service, name, batch, processes, capacityRps: rps, rps: floor === 'raw' ? rps : (point?.plannedRps ?? 0) };
  };
  const gpus = fleet.gpus.map((gpu) => new GpuTimeline(gpu.id, gpu.pool, steps, false, gpu, podOf));
  let next = 1;
  const supply: GpuSupply = {
    gpus,
    memorySlicesOf: (pool) => (workload.pools[pool] as Pool).gpu.memorySlices,
    addGpu: (pool) => {
      let id: string;
      do id = `${workload.pools[pool]?.name}-new-${next++}`;
      while (fleet.ids.has(id));
      const gpu = new GpuTimeline(id, pool, steps, false);
      gpus.push(gpu);
      return gpu;
    },
  };
  const running = gpus.flatMap((gpu) =>
    gpu.instances.flatMap(({ profile, start, pod }): PlacedPod[] => (pod === undefined ? [] : [{ gpu, placed: { profile, start }, pod }])),
  );
  const floors = workload.services.map(({ rateRps }, i) => {
    const ready = running.reduce((sum, { pod }) => (pod.service === i ? sum + pod.rps : sum), 0);
    return { ready, floor: Math.min(rateRps, fleet.oldRps[i] as number, ready) };
  });
  const contents = readContents(plan, workload, floor);
  const exchanged = exchange(
    running,
    contents.flatMap(({ pool, pods }) => pods.map(({ placed, pod }) => ({ pool, profile: placed.profile, pod }))),
    supply,
  );
  const after = steps.flatMap(({ kind }, index) => (kind === 'start-pod' || kind === 'stop-pod' ? [index] : []));
  compact(exchanged, contents, supply, 2, after);
  for (const gpu of gpus) if (gpu.instances.every(({ pod }) => pod === undefined)) gpu.clear(Infinity);
  const timed = timeSteps(steps, floors, durations, false);
  if (timed === undefined) throw inlayError('INTERNAL', { message: 'Exchange and compact left no order of steps.' });
  const transition = writeTransition({
    state,
    workload,
    fleet,
    backend: 'instance',
    floor,
    durations,
    draft: { steps, gpus },
    timed,
    bounds: {},
  });
  return { kind: 'transition', transition };
}

function readContents(plan: PlanDocument, workload: Workload, floor: FloorKind): PlanGpuContent[] {
  const finder = createPointFinder(workload);
  const serviceIndex = new Map(workload.services.map(({ name }, i) => [name, i]));
  return unfoldPlan(plan).gpus.map((gpu): PlanGpuContent => {
    const pool = workload.pools.findIndex(({ name }) => name === gpu.pool);
    const { gpu: model, profiles } = workload.pools[pool] as Pool;
    const pods = gpu.instances.flatMap(({ profile: name, start, service, batch, processes }): PlanGpuContent['pods'][number][] => {
      const found = findProfile(model, name);
      const i = serviceIndex.get(service) ?? -1;
      if (found.kind !== 'found' || i < 0) return [];
      const { profile } = found;
      const size = finder.index.sizes.findIndex((one) => one.pool === pool && profiles[one.profile]?.name === profile.name);
      const point = findUsablePoint(finder, workload.services[i] as Service, size, batch, processes);
      if (point === undefined) return [];
      const capacityRps = point.row.throughputRps;
      const rps = floor === 'raw' ? capacityRps : point.plannedRps;
      return [{ placed: { profile, start }, pod: { service: i, name: service, batch, processes, capacityRps, rps } }];
    });
    return { pool, pods };
  });
}
