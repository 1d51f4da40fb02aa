import { unfoldPlan } from '../../demand/documents/unfold-plan.js';
import { inlayError } from '../../errors.js';
import type { Period } from './schedule.js';

/** A pod as documents name it. */
export interface NamedPod {
  readonly gpu: string;
  readonly pool: string;
  readonly start: number;
  readonly profile: string;
  readonly service: string;
  readonly batch: number;
  readonly processes: number;
}

/** A pod and when it takes requests, closes and ends, ms; Infinity for what never comes. */
export interface PodLifetime extends NamedPod {
  readonly opensMs: number;
  closesMs: number;
  endsMs: number;
}

/**
 * Every pod of a schedule with its lifetime. A pod takes requests once its start-pod step has ended, none from the start of its stop-pod step
 * on, and ends with it; where a plan or state replaces another, the old pods work off their queues. Throws PLAN_MISMATCH for a transition
 * that does not start from what runs.
 */
export function listLifetimes(periods: readonly Period[]): readonly PodLifetime[] {
  const all: PodLifetime[] = [];
  const running = new Map<string, PodLifetime>();
  const poolOf = new Map<string, string>();
  const open = (pod: NamedPod, opensMs: number): void => {
    const lifetime = { ...pod, opensMs, closesMs: Number.POSITIVE_INFINITY, endsMs: Number.POSITIVE_INFINITY };
    all.push(lifetime);
    running.set(keyOf(pod), lifetime);
  };
  for (const { startS, serving } of periods) {
    if (serving.kind === 'same') continue;
    if (serving.kind === 'transition') {
      const { transition } = serving;
      for (const { id, pool } of transition.target.gpus) poolOf.set(id, pool);
      for (const step of transition.steps) {
        if (step.kind === 'start-pod') open({ ...step, pool: poolOf.get(step.gpu) ?? '' }, 1000 * (serving.startS + step.endS));
        if (step.kind !== 'stop-pod') continue;
        const pod = running.get(keyOf(step));
        if (pod === undefined) throw notRunning(step);
        pod.closesMs = 1000 * (serving.startS + step.startS);
        pod.endsMs = 1000 * (serving.startS + step.endS);
        running.delete(keyOf(step));
      }
      continue;
    }
    for (const pod of running.values()) pod.closesMs = 1000 * startS;
    running.clear();
    const gpus = serving.kind === 'plan' ? unfoldPlan(serving.plan).gpus : serving.state.gpus;
    for (const { id, pool, instances } of gpus) {
      poolOf.set(id, pool);
      for (const { profile, start, service, batch, processes } of instances) {
        if (service === null || batch === undefined) continue;
        open({ gpu: id, pool, start, profile, service, batch, processes: processes ?? 1 }, 1000 * startS);
      }
    }
  }
  return all;
}

function keyOf({ gpu, start, profile, service }: Pick<NamedPod, 'gpu' | 'start' | 'profile' | 'service'>): string {
  return [gpu, start, profile, service].join('\n');
}

function notRunning({ gpu, start, profile, service }: Pick<NamedPod, 'gpu' | 'start' | 'profile' | 'service'>) {
  return inlayError('PLAN_MISMATCH', {
    message: `The transition stops ${service} on ${profile}@${start} of ${gpu}, which does not run then.`,
    expected: 'a transition from the state, or the end of the transition, before it',
    hint: 'Start the schedule with the state that the transition was made from.',
  });
}
