import type { StateDocument, StateGpu, StateInstance } from '../../demand/documents/state.js';
import { type MatchedGpu, matchById, matchGpus, type WantedGpu } from './match-gpus.js';

/** Where a pod is: GPU, profile and start. */
export interface PodPlace {
  readonly gpu: string;
  /** Undefined where the state names none. */
  readonly node: string | undefined;
  readonly profile: string;
  readonly start: number;
}

/** A service with its batch size and processes, on an instance. */
export interface PlacedPod extends PodPlace {
  readonly service: string;
  readonly batch: number;
  readonly processes: number;
}

/** What becomes of a pod. A moved pod stops at one place while one of its service starts at another. */
export type PodChange =
  | { readonly kind: 'kept'; readonly pod: PlacedPod }
  | { readonly kind: 'restarted'; readonly pod: PlacedPod; readonly before: PlacedPod }
  | { readonly kind: 'moved'; readonly pod: PlacedPod; readonly before: PlacedPod }
  | { readonly kind: 'started'; readonly pod: PlacedPod }
  | { readonly kind: 'stopped'; readonly pod: PlacedPod };

/** What becomes of a GPU that others do not hold. */
export interface GpuDiff {
  readonly id: string;
  /** Undefined where the state names none, and for a new GPU. */
  readonly node: string | undefined;
  readonly kind: 'unchanged' | 'changed' | 'added' | 'freed';
  /** Instances as `1g.10gb@4`, ascending by start. */
  readonly layoutBefore: readonly string[];
  readonly layoutAfter: readonly string[];
}

/** The difference between what runs and what should run. */
export interface StateDiff {
  readonly gpus: readonly GpuDiff[];
  readonly pods: readonly PodChange[];
}

/**
 * Compares what runs with what should run. `bound` says that the ids of the target name physical GPUs; else they are tied to
 * those they resemble most (`matchGpus`). What is reserved is left out.
 */
export function diffState(state: StateDocument, target: readonly WantedGpu[], { bound }: { readonly bound: boolean }): StateDiff {
  const matches = (bound ? matchById : matchGpus)(target, state.gpus);
  const used = new Set(matches.map(({ physical }) => physical?.id));
  const freed = state.gpus.filter((gpu) => gpu.reserved !== true && !used.has(gpu.id)).map((gpu) => match(gpu, []));
  const pairs = [...matches.filter(({ physical }) => physical?.reserved !== true), ...freed];
  return {
    gpus: pairs.map(diffGpu).filter(({ layoutBefore, layoutAfter }) => layoutBefore.length + layoutAfter.length > 0),
    pods: diffPods(pairs),
  };
}

function match(physical: StateGpu, instances: readonly StateInstance[]): MatchedGpu {
  return { physical, wanted: { ...physical, instances } };
}

function diffGpu({ wanted, physical }: MatchedGpu): GpuDiff {
  const [before, after] = [physical?.instances ?? [], wanted.instances].map(listOwn) as [
    readonly StateInstance[],
    readonly StateInstance[],
  ];
  const same = JSON.stringify(before.map(contentOf)) === JSON.stringify(after.map(contentOf));
  const kind = same ? 'unchanged' : before.length === 0 ? 'added' : after.length === 0 ? 'freed' : 'changed';
  return {
    id: physical?.id ?? wanted.id,
    node: physical?.node,
    kind,
    layoutBefore: before.map(nameInstance),
    layoutAfter: after.map(nameInstance),
  };
}

/** Instances that others do not hold, ascending by start. */
function listOwn(instances: readonly StateInstance[]): readonly StateInstance[] {
  return instances.filter(({ reserved }) => reserved !== true).toSorted((a, b) => a.start - b.start);
}

function nameInstance({ profile, start }: StateInstance): string {
  return `${profile}@${start}`;
}

function contentOf({ profile, start, service, batch = 1, processes = 1 }: StateInstance): readonly unknown[] {
  return service === null ? [profile, start] : [profile, start, service, batch, processes];
}

function diffPods(pairs: readonly MatchedGpu[]): readonly PodChange[] {
  const changes: PodChange[] = [];
  const stopped = new Map<string, PlacedPod[]>();
  const started: PlacedPod[] = [];
  for (const { wanted, physical } of pairs) {
    const place = { gpu: physical?.id ?? wanted.id, node: physical?.node };
    const before = new Map((physical?.instances ?? []).flatMap((instance) => placePod(instance, place)).map((pod) => [pod.start, pod]));
    for (const pod of wanted.instances.flatMap((instance) => placePod(instance, place))) {
      const old = before.get(pod.start);
      if (old?.service !== pod.service || old.profile !== pod.profile) {
        started.push(pod);
        continue;
      }
      before.delete(pod.start);
      const isSame = old.batch === pod.batch && old.processes === pod.processes;
      changes.push(isSame ? { kind: 'kept', pod } : { kind: 'restarted', pod, before: old });
    }
    for (const pod of before.values()) {
      const own = stopped.get(pod.service);
      if (own === undefined) stopped.set(pod.service, [pod]);
      else own.push(pod);
    }
  }
  for (const pod of started) {
    const before = stopped.get(pod.service)?.shift();
    changes.push(before === undefined ? { kind: 'started', pod } : { kind: 'moved', pod, before });
  }
  for (const pods of stopped.values()) for (const pod of pods) changes.push({ kind: 'stopped', pod });
  return changes;
}

function placePod(instance: StateInstance, place: Pick<PodPlace, 'gpu' | 'node'>): readonly PlacedPod[] {
  const { service, profile, start, batch = 1, processes = 1, reserved } = instance;
  return service === null || reserved === true ? [] : [{ ...place, profile, start, service, batch, processes }];
}
