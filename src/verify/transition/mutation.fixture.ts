import { type Backend, defaultStepDurations, type TransitionStep } from '../../demand/documents/transition.js';
import { type Scenario, timeSteps } from './transition.fixture.js';
import type { TransitionCheckName } from './transition-checks.js';

type Writable<T> = T extends object ? { -readonly [K in keyof T]: Writable<T[K]> } : T;
/** A scenario that may be edited in place; the workload is left as it is. */
export type ScenarioDraft = Writable<Omit<Scenario, 'workload'>> & { readonly workload: Scenario['workload'] };
export type Draft = ScenarioDraft['transition'];
export type Step<Kind extends TransitionStep['kind']> = Extract<Draft['steps'][number], { kind: Kind }>;

/** Chooses one of several things, repeatably. */
type Choose = <T>(items: readonly T[]) => T;

/** A way to break a promise. Answers false where the transition offers no place for it. */
export interface TransitionMutation {
  readonly name: string;
  /** The check that must notice it; others may too. */
  readonly check: TransitionCheckName;
  readonly apply: (draft: ScenarioDraft, pick: Choose) => false | undefined;
  /** Set where the makespan itself is what is broken. */
  readonly keepMakespan?: boolean;
}

export const stepsOf = <Kind extends TransitionStep['kind']>(draft: Draft, ...kinds: readonly Kind[]) =>
  draft.steps.filter((step): step is Step<Kind> => kinds.some((kind) => kind === step.kind));

/** Edits one step of a kind; false where there is none. */
export const onStep =
  <Kind extends TransitionStep['kind']>(
    kind: Kind,
    change: (step: Step<Kind>, scenario: ScenarioDraft, pick: Choose) => false | undefined,
  ) =>
  (scenario: ScenarioDraft, pick: Choose) => {
    const steps = stepsOf(scenario.transition, kind);
    return steps.length > 0 && change(pick(steps), scenario, pick);
  };

/** Takes a step out, and out of what others wait for. */
export function removeStep(draft: Draft, step: Draft['steps'][number]): void {
  draft.steps.splice(draft.steps.indexOf(step), 1);
  for (const other of draft.steps) other.after = other.after.filter((id) => id !== step.id);
}

export function retime(draft: Draft): void {
  draft.steps = structuredClone(timeSteps(draft.steps)) as Draft['steps'];
}

export function rename(draft: Draft): string {
  return `added-${draft.steps.length}`;
}

/** Moves a step to a time; the list stays in order. */
export function moveTo(draft: Draft, step: Draft['steps'][number], startS: number): void {
  step.startS = startS;
  step.endS = startS + defaultStepDurations[step.kind];
  draft.steps.sort((a, b) => a.startS - b.startS);
}

/** The stops of a service that has a floor and of which every pod stops. */
export function stopsOfMovedService({ state, transition, workload }: ScenarioDraft): readonly Step<'stop-pod'>[] {
  const stops = stepsOf(transition, 'stop-pod');
  const pods = state.gpus.flatMap(({ id, instances }) => instances.map(({ service, start }) => ({ id, service, start })));
  const moved = workload.services.find(({ name, rateRps }) => {
    if (!state.services.some((service) => service.name === name && service.rateRps > 0)) return false;
    const own = pods.filter(({ service }) => service === name);
    return rateRps > 0 && own.length > 0 && own.every(({ id, start }) => stops.some((stop) => stop.gpu === id && stop.start === start));
  });
  return stops.filter(({ service, gpu }) => service === moved?.name && state.gpus.some(({ id }) => id === gpu));
}

/** Instances of the state that no step touches. */
export function keptPods({ state, transition }: ScenarioDraft) {
  return state.gpus
    .filter(({ id }) => transition.steps.every(({ gpu }) => gpu !== id))
    .flatMap((gpu) => gpu.instances.map((instance) => ({ gpu, instance })));
}

export const isOf =
  (...backends: readonly Backend[]) =>
  ({ transition }: ScenarioDraft) =>
    backends.includes(transition.backend);

/** The other steps of the same place, in the order of the list. */
export function atSamePlace(
  draft: Draft,
  step: { readonly id: string; readonly gpu: string; readonly start: number },
): readonly Draft['steps'][number][] {
  return draft.steps.filter(
    (other) => other.id !== step.id && other.gpu === step.gpu && (other.kind === 'wipe-gpu' || other.start === step.start),
  );
}
