import { transitionId } from '../demand/documents/canonical.js';
import { apiVersion } from '../demand/documents/common.js';
import type { StateDocument, StateGpu } from '../demand/documents/state.js';
import type {
  Backend,
  FloorKind,
  StepDurations,
  TransitionBounds,
  TransitionDocument,
  TransitionStep,
} from '../demand/documents/transition.js';
import type { Workload } from '../demand/workload.js';
import { countChanges, peakGpus } from './count-changes.js';
import type { DraftStep, StepTime } from './draft-step.js';
import type { Fleet } from './fleet.js';
import { isUsed } from './gpu-classes.js';
import type { TimedSteps } from './time-steps.js';
import type { DraftTransition } from './write-waves.js';

/** Everything a transition document is written from. */
export interface TransitionFacts {
  readonly state: StateDocument;
  readonly workload: Workload;
  readonly fleet: Fleet;
  readonly backend: Backend;
  readonly floor: FloorKind;
  readonly durations: StepDurations;
  readonly draft: DraftTransition;
  readonly timed: TimedSteps;
  /** GPUs allowed above the larger of start and target; absent for as many as the steps use. */
  readonly maxExtraGpus?: number;
  readonly bounds: TransitionBounds;
}

/** Writes a transition down: names the steps in the order of their starts, lists what runs at the end, and counts. */
export function writeTransition(facts: TransitionFacts): TransitionDocument {
  const { state, workload, backend, floor, durations, draft, timed } = facts;
  const target = writeTarget(facts);
  const counts = countChanges(draft, facts.fleet);
  const peak = peakGpus(draft, timed.times, facts.fleet);
  const most = Math.max(facts.fleet.gpus.filter(isUsed).length, target.gpus.filter(isInUse).length);
  const content: TransitionDocument = {
    apiVersion,
    kind: 'Transition',
    metadata: { name: `${state.metadata.name} to ${workload.name}`.slice(0, 253) },
    backend,
    floor,
    durations,
    target,
    steps: writeSteps(draft.steps, timed),
    makespanS: timed.makespanS,
    maxExtraGpus: facts.maxExtraGpus ?? Math.max(0, peak - most),
    peakGpus: peak,
    counts,
    bounds: facts.bounds,
  };
  return { ...content, metadata: { ...content.metadata, id: transitionId(content) } };
}

function writeSteps(steps: readonly DraftStep[], { after, times }: TimedSteps): TransitionStep[] {
  const timeOf = (index: number): StepTime => times[index] as StepTime;
  const order = steps.map((_, index) => index).sort((a, b) => timeOf(a).startS - timeOf(b).startS || a - b);
  const digits = Math.max(3, String(steps.length).length);
  const name = new Map(order.map((index, n) => [index, `s${String(n + 1).padStart(digits, '0')}`]));
  return order.map((index): TransitionStep => {
    const { kind, gpu, profile, start, pod, layout } = steps[index] as DraftStep;
    const before = (after[index] as readonly number[]).map((one) => name.get(one) as string).sort();
    const common = { id: name.get(index) as string, gpu, after: before, ...timeOf(index) };
    if (kind === 'wipe-gpu') {
      return { kind, ...common, layout: (layout ?? []).map((one) => ({ profile: one.profile.name, start: one.start })) };
    }
    const instance = { profile: profile?.name ?? '', start: start ?? 0 };
    if (kind === 'create-instance' || kind === 'delete-instance') return { kind, ...common, ...instance };
    const { name: service = '', batch = 1, processes = 1, capacityRps = 0 } = pod ?? {};
    return { kind, ...common, ...instance, service, batch, processes, capacityRps };
  });
}

function writeTarget({ state, workload, draft }: TransitionFacts): TransitionDocument['target'] {
  const sources = new Map(state.gpus.map((gpu) => [gpu.id, gpu]));
  const held = state.gpus.filter(({ reserved }) => reserved === true);
  const changed = draft.gpus.flatMap(({ id, pool: g, instances }): StateGpu[] => {
    const source = sources.get(id);
    const pool = workload.pools[g] as Workload['pools'][number];
    // A GPU that is only used on the way has no other place where it is described.
    if (instances.length === 0 && source !== undefined) return [];
    const written = instances.map(({ profile, start, reserved, pod }): StateGpu['instances'][number] => {
      if (reserved) return source?.instances.find((one) => one.start === start) ?? { profile: profile.name, start, service: null };
      if (pod === undefined) return { profile: profile.name, start, service: null };
      const { name: service, batch, processes, capacityRps } = pod;
      return { profile: profile.name, start, service, batch, processes, capacityRps };
    });
    return [source === undefined ? { id, pool: pool.name, type: pool.gpu.name, instances: written } : { ...source, instances: written }];
  });
  return {
    services: workload.services.map(({ name, model, rateRps, latencyMs }) => ({ name, model, rateRps, latencyMs })),
    gpus: [...held, ...changed].sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function isInUse({ reserved, instances }: StateGpu): boolean {
  return reserved !== true && instances.some((instance) => instance.reserved !== true);
}
