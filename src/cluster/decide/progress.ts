import type { TransitionDocument, TransitionStep } from '../../demand/documents/transition.js';
import { entryOf } from '../../demand/entry-of.js';
import type { LayoutStep } from '../backends/backend.js';
import type { LocatedPod, Pods } from './locate-pods.js';
import { typeKey } from './own-pods.js';
import type { ModelOfGpu } from './planned-types.js';
import type { ObservedGpu } from './read-node.js';

type StartStep = Extract<TransitionStep, { kind: 'start-pod' }>;
type StopStep = Extract<TransitionStep, { kind: 'stop-pod' }>;
export type WipeStep = Extract<TransitionStep, { kind: 'wipe-gpu' }>;

/** A place for a pod, and what the plan wants there at this moment. */
export interface Slot {
  readonly gpu: string;
  readonly node: string;
  readonly profile: string;
  readonly start: number;
  readonly type: string;
  /** hold: a pod belongs there. start: it is to be started now. leave: its pod is to go now. */
  readonly want: 'hold' | 'start' | 'leave';
  readonly step?: StartStep | StopStep;
  /** The pod that fills it, whichever of the interchangeable ones that is. */
  pod?: LocatedPod;
}

/** Where a transition stands, as far as the cluster shows. */
export interface Progress {
  /** Ids of steps whose effect is there or was seen before. */
  readonly done: ReadonlySet<string>;
  /** Steps that may run now. */
  readonly enabled: readonly TransitionStep[];
  readonly slots: readonly Slot[];
  /** Own pods of the plan's GPUs that belong to no slot. */
  readonly strays: readonly LocatedPod[];
}

/** What is needed of the cluster to follow a transition. */
export interface Scene {
  readonly pods: Pods;
  /** GPUs of the plan that can be acted on, by id. */
  readonly gpus: ReadonlyMap<string, ObservedGpu>;
  readonly modelOf: ModelOfGpu;
  /** Whether pods come to a node by chance: one of the type fills a slot wherever it is. */
  readonly anyNode: boolean;
  /** Whether the effect of a step on a GPU's layout is there, and its node offers that. */
  isCut(step: LayoutStep): boolean;
}

/**
 * Follows a transition: which steps are done (their effect is visible, or is recorded because a later step undid it), which
 * may run, and which pod fills which slot. Pods of one type on equal slices of one node are interchangeable.
 */
export function followTransition(transition: TransitionDocument, recorded: readonly string[], scene: Scene): Progress {
  const done = new Set(recorded);
  for (;;) {
    const enabled = transition.steps.filter(({ id, after }) => !done.has(id) && after.every((before) => done.has(before)));
    const slots = listSlots(transition, done, enabled, scene.modelOf);
    const strays = fillSlots(slots, scene);
    const before = done.size;
    for (const { want, step, pod } of slots) {
      if (step === undefined) continue;
      if (want === 'start' && pod?.ready === true && !pod.terminating) done.add(step.id);
      if (want === 'leave' && pod === undefined) done.add(step.id);
    }
    for (const step of enabled) if (isLayoutStep(step) && scene.isCut(step)) done.add(step.id);
    if (done.size === before) return { done, enabled, slots, strays };
  }
}

function isLayoutStep(step: TransitionStep): step is LayoutStep {
  return step.kind !== 'start-pod' && step.kind !== 'stop-pod';
}

/** The slots that have, get or lose a pod at this point of the transition. */
function listSlots(
  { steps, target }: TransitionDocument,
  done: ReadonlySet<string>,
  enabled: readonly TransitionStep[],
  modelOf: ModelOfGpu,
): Slot[] {
  const now = new Set(enabled.map(({ id }) => id));
  const histories = new Map<string, (StartStep | StopStep)[]>();
  for (const step of steps) {
    if (step.kind === 'start-pod' || step.kind === 'stop-pod') entryOf(histories, slotKey(step), () => []).push(step);
  }
  const slots: Slot[] = [];
  for (const history of histories.values()) {
    const past = history.filter(({ id }) => done.has(id));
    const next = history.find(({ id }) => !done.has(id));
    const last = past.at(-1);
    const isFilled = last === undefined ? next?.kind === 'stop-pod' : last.kind === 'start-pod';
    const [step] = history;
    if (step === undefined) continue;
    const place = { gpu: step.gpu, node: nodeOf(step.gpu), profile: step.profile, start: step.start };
    const current = isFilled ? (last ?? next) : next;
    if (current === undefined) continue;
    const type = typeKey({ ...current, gpuModel: modelOf(current.gpu) });
    if (isFilled) {
      const leaves = next?.kind === 'stop-pod' && now.has(next.id);
      slots.push({ ...place, type, want: leaves ? 'leave' : 'hold', ...(leaves && next && { step: next }) });
    } else if (next?.kind === 'start-pod' && now.has(next.id)) slots.push({ ...place, type, want: 'start', step: next });
  }
  for (const { id, reserved, instances } of target.gpus) {
    if (reserved === true) continue;
    for (const { profile, start, service, batch = 1, processes = 1, reserved: held } of instances) {
      if (service === null || held === true || histories.has(slotKey({ gpu: id, profile, start }))) continue;
      const type = typeKey({ service, gpuModel: modelOf(id), profile, batch, processes });
      slots.push({ gpu: id, node: nodeOf(id), profile, start, type, want: 'hold' });
    }
  }
  return slots;
}

const slotKey = ({ gpu, profile, start }: { readonly gpu: string; readonly profile: string; readonly start: number }) =>
  `${gpu} ${profile} ${start}`;

/** Ids of GPUs are `node/index`. */
export const nodeOf = (gpu: string): string => gpu.slice(0, gpu.lastIndexOf('/'));

const rank = { hold: 0, start: 1, leave: 2 } as const;

/** Gives each slot a pod of its type: one of the same GPU, else one of the node, or of any. Returns the pods that are left over. */
function fillSlots(slots: readonly Slot[], { pods, gpus, anyNode }: Scene): LocatedPod[] {
  const ranked = slots.toSorted((a, b) => rank[a.want] - rank[b.want]);
  const own = pods.placed.filter(({ gpu }) => gpus.has(gpu));
  // A pod that is going fills no slot but the one that it leaves; there it shows that the slot is not free yet.
  const [staying, going] = [own.filter(({ terminating }) => !terminating), own.filter(({ terminating }) => terminating)];
  const take = (
    candidates: LocatedPod[],
    open: readonly Slot[],
    keyOfSlot: (slot: Slot) => string,
    keyOfPod: (pod: LocatedPod) => string,
  ) => {
    const free = new Map<string, Slot[]>();
    for (const slot of open) if (slot.pod === undefined) entryOf(free, `${keyOfSlot(slot)} ${slot.type}`, () => []).push(slot);
    return candidates.filter((pod) => {
      const slot = free.get(`${keyOfPod(pod)} ${pod.type}`)?.shift();
      if (slot !== undefined) slot.pod = pod;
      return slot === undefined;
    });
  };
  const place = ({ gpu, start }: { readonly gpu: string; readonly start?: number | undefined }) => `${gpu} ${start}`;
  let left = take(staying, ranked, place, place);
  left = take(
    left,
    ranked,
    ({ gpu }) => gpu,
    ({ gpu }) => gpu,
  );
  left = take(
    left,
    ranked,
    ({ node }) => node,
    ({ node }) => node,
  );
  if (anyNode) {
    const kept = ranked.filter(({ want }) => want !== 'leave');
    left = take(
      left,
      kept,
      () => '',
      () => '',
    );
  }
  take(
    going,
    ranked.filter(({ want }) => want === 'leave'),
    ({ gpu }) => gpu,
    ({ gpu }) => gpu,
  );
  return left;
}
