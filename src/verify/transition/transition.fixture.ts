import { transitionId } from '../../demand/documents/canonical.js';
import { apiVersion } from '../../demand/documents/common.js';
import type { StateDocument, StateGpu, StateInstance } from '../../demand/documents/state.js';
import { type Backend, defaultStepDurations, type TransitionDocument, type TransitionStep } from '../../demand/documents/transition.js';
import type { Service, Workload } from '../../demand/workload.js';
import { makePlan } from '../plan.fixture.js';
import { aWorkload } from '../workload.fixture.js';

/** A transition with all it is checked against. */
export interface Scenario {
  readonly state: StateDocument;
  readonly workload: Workload;
  readonly transition: TransitionDocument;
}

type WithoutTimes<T> = T extends unknown ? Omit<T, 'startS' | 'endS'> : never;
/** A step that is still to be given its times. */
export type UntimedStep = WithoutTimes<TransitionStep>;

/** Gives every step the earliest start that its predecessors allow; steps come out in the order of their starts. */
export function timeSteps(steps: readonly UntimedStep[]): TransitionStep[] {
  const ends = new Map<string, number>();
  const timed = steps.map((step): TransitionStep => {
    const startS = Math.max(0, ...step.after.map((id) => ends.get(id) ?? 0));
    const endS = startS + defaultStepDurations[step.kind];
    ends.set(step.id, endS);
    return { ...step, startS, endS } as TransitionStep;
  });
  return timed.sort((a, b) => a.startS - b.startS);
}

/** The transition with the id that its content has, and with its true makespan unless another is given. */
export function sealTransition(
  transition: TransitionDocument,
  given: { readonly makespanS?: number | undefined } = {},
): TransitionDocument {
  const { makespanS = Math.max(0, ...transition.steps.map(({ endS }) => endS)) } = given;
  const sealed = { ...transition, makespanS };
  return { ...sealed, metadata: { name: transition.metadata.name, id: transitionId(sealed) } };
}

/** A state that runs a plan made for these services, on one node per two GPUs. */
export function stateOf(workload: Workload): StateDocument {
  return {
    apiVersion,
    kind: 'State',
    metadata: { name: 'now' },
    services: describeServices(workload.services),
    gpus: makePlan(workload).gpus.map(({ id, pool, type, instances }, index) => ({
      id,
      pool,
      type,
      node: `node-${Math.floor(index / 2)}`,
      index: index % 2,
      instances: instances.map(({ profile, start, service, batch, processes, capacityRps }) => ({
        profile,
        start,
        service,
        batch,
        processes,
        capacityRps,
      })),
    })),
  };
}

/** How a made scenario changes: which services were there before and are after, and which GPUs are left alone. */
export interface ScenarioOptions {
  readonly before: readonly Service[];
  readonly after: readonly Service[];
  readonly backend: Backend;
  /** Every n-th GPU keeps its pods (0: none does); the others move to new GPUs as a whole. */
  readonly keepEvery: number;
  /** Whether a kept pod is restarted by way of a temporary one. */
  readonly detour: boolean;
}

/** A valid transition by a simple way: new GPUs are filled, then the old ones are emptied. Services that stay must need no more than before. */
export function makeScenario({ before, after, backend, keepEvery, detour }: ScenarioOptions): Scenario {
  const { rows } = aWorkload([...before, ...after]);
  const measured = (services: readonly Service[]): Workload => ({ ...aWorkload(services), rows });
  const state = stateOf(measured(before));
  const workload = measured(after);
  const arriving = after.filter(({ name }) => !before.some((service) => service.name === name));
  const fresh = arriving.length === 0 ? [] : stateOf(measured(arriving)).gpus;
  const wanted = new Set(after.filter(({ rateRps }) => rateRps > 0).map(({ name }) => name));
  const steps = createStepList(backend);
  const target: StateGpu[] = [];
  const kept: StateGpu[] = [];

  for (const [index, gpu] of state.gpus.entries()) {
    const staying = index % keepEvery === 0 && gpu.instances.every(({ service }) => service !== null && wanted.has(service));
    (staying ? kept : target).push(gpu);
  }
  const moved = target.splice(0);
  for (const gpu of [...moved, ...fresh]) {
    const instances = gpu.instances.filter(({ service }) => service !== null && wanted.has(service));
    if (instances.length === 0) continue;
    target.push({ id: `new-${target.length}`, pool: gpu.pool, type: gpu.type, node: `new-node-${target.length % 2}`, instances });
  }
  const copies = [...target];
  for (const gpu of target) steps.fill(gpu);
  const [first] = kept;
  if (detour && first !== undefined) {
    const spare: StateGpu = { ...first, id: 'spare', node: 'spare', index: 0, instances: first.instances.slice(0, 1) };
    copies.push(spare);
    steps.fill(spare);
    steps.restart({ ...first, instances: first.instances.slice(0, 1) });
    steps.clear(spare);
    target.push({ ...spare, instances: [] });
  }
  for (const gpu of moved) steps.clear(gpu);

  const podsOf = (gpus: readonly StateGpu[]) => gpus.reduce((sum, { instances }) => sum + instances.length, 0);
  const hasDetour = copies.length > target.filter(({ id }) => id !== 'spare').length;
  const gone = countServices(moved);
  const come = countServices(target);
  const timed = timeSteps(steps.list);
  const transition: TransitionDocument = {
    apiVersion,
    kind: 'Transition',
    metadata: { name: 'synthetic' },
    backend,
    floor: 'raw',
    durations: defaultStepDurations,
    target: { services: describeServices(after), gpus: [...kept, ...target] },
    steps: timed,
    makespanS: 0,
    maxExtraGpus: copies.length,
    peakGpus: state.gpus.length + copies.length,
    counts: {
      kept: podsOf(kept) - (hasDetour ? 1 : 0),
      podStarts: podsOf(copies) + (hasDetour ? 1 : 0),
      restartsInPlace: hasDetour ? 1 : 0,
      moves: [...come].reduce((sum, [service, count]) => sum + Math.min(count, gone.get(service) ?? 0), 0),
      temporaryPods: hasDetour ? 1 : 0,
      instanceCreations: podsOf(copies),
      instanceDeletions: podsOf(moved) + (hasDetour ? 1 : 0),
      wipes: timed.filter(({ kind }) => kind === 'wipe-gpu').length,
      gpusTouched: new Set(timed.map(({ gpu }) => gpu)).size,
    },
    bounds: {
      podStarts: { achieved: podsOf(target) + (hasDetour ? 1 : 0), limit: 0, gap: podsOf(target) + (hasDetour ? 1 : 0) },
    },
  };
  return { state, workload, transition: sealTransition(transition) };
}

function describeServices(services: readonly Service[]) {
  return services.map(({ name, model, rateRps, latencyMs }) => ({ name, model, rateRps, latencyMs }));
}

function countServices(gpus: readonly StateGpu[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { service } of gpus.flatMap(({ instances }) => instances)) {
    if (service !== null) counts.set(service, (counts.get(service) ?? 0) + 1);
  }
  return counts;
}

/** Collects steps; every stop waits for all starts of its service so far, and wipes of a backend wait for each other. */
function createStepList(backend: Backend) {
  const list: UntimedStep[] = [];
  const startsOf = new Map<string, string[]>();
  const lastStops = new Map<string, string>();
  let lastWipe: readonly string[] = [];
  const add = (step: UntimedStep) => {
    list.push(step);
    return step.id;
  };
  const nextId = () => `s${list.length}`;
  const podOf = ({ profile, start, service, batch = 1, processes = 1, capacityRps = 0 }: StateInstance) => ({
    profile,
    start,
    service: service ?? '',
    batch,
    processes,
    capacityRps,
  });
  const wipe = (gpu: StateGpu, layout: readonly StateInstance[], after: readonly string[]) => {
    const id = add({
      id: nextId(),
      kind: 'wipe-gpu',
      gpu: gpu.id,
      layout: layout.map(({ profile, start }) => ({ profile, start })),
      after: [...new Set([...after, ...lastWipe])],
    });
    lastWipe = [id];
    return id;
  };
  const start = (gpu: StateGpu, instance: StateInstance, after: readonly string[]) => {
    const pod = podOf(instance);
    // A pod may not be placed on a node while one of its GPUs is wiped.
    const id = add({ id: nextId(), kind: 'start-pod', gpu: gpu.id, ...pod, after: [...after] });
    startsOf.set(pod.service, [...(startsOf.get(pod.service) ?? []), id]);
    return id;
  };
  const stop = (gpu: StateGpu, instance: StateInstance) => {
    const pod = podOf(instance);
    const id = add({ id: nextId(), kind: 'stop-pod', gpu: gpu.id, ...pod, after: [...(startsOf.get(pod.service) ?? [])] });
    lastStops.set(gpu.id, id);
    return id;
  };
  return {
    list,
    fill(gpu: StateGpu) {
      if (backend !== 'instance') {
        const wiped = wipe(gpu, gpu.instances, []);
        const starts = gpu.instances.map((instance) => start(gpu, instance, [wiped]));
        lastWipe = backend === 'node' ? [wiped, ...starts] : [wiped];
        return;
      }
      for (const instance of gpu.instances) {
        const { profile, start: at } = instance;
        const created = add({ id: nextId(), kind: 'create-instance', gpu: gpu.id, profile, start: at, after: [] });
        start(gpu, instance, [created]);
      }
    },
    restart(gpu: StateGpu) {
      for (const instance of gpu.instances) start(gpu, instance, [stop(gpu, instance)]);
    },
    clear(gpu: StateGpu) {
      const stops = gpu.instances.map((instance) => stop(gpu, instance));
      if (backend !== 'instance') {
        wipe(gpu, [], stops);
        return;
      }
      for (const [index, { profile, start: at }] of gpu.instances.entries()) {
        add({ id: nextId(), kind: 'delete-instance', gpu: gpu.id, profile, start: at, after: stops.slice(index, index + 1) });
      }
    },
  };
}
