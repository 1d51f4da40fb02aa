import fc from 'fast-check';
import { apiVersion } from '../demand/documents/common.js';
import type { PlanDocument } from '../demand/documents/plan.js';
import type { StateDocument } from '../demand/documents/state.js';
import type { Backend, TransitionDocument } from '../demand/documents/transition.js';
import { createSeededRandom } from '../demand/seeded-random.js';
import type { Pool, Workload } from '../demand/workload.js';
import { planHere, workloads } from '../plan/plan.fixture.js';
import { createInlineSolver } from '../solver/highs/highs-solver.js';
import { verifyTransition } from '../verify/verify-transition.js';
import { type TransitionOptions, type TransitionResult, transition } from './transition.js';

const solver = createInlineSolver();

/** What runs when a plan has been carried out. */
export function toState(plan: PlanDocument, workload: Workload): StateDocument {
  return {
    apiVersion,
    kind: 'State',
    metadata: { name: 'now' },
    services: workload.services.map(({ name, model, rateRps, latencyMs }) => ({ name, model, rateRps, latencyMs })),
    gpus: plan.gpus.map(({ id, pool, type, instances }) => ({
      id,
      pool,
      type,
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

/** The state that a transition ends in. */
export function endOf({ target }: TransitionDocument): StateDocument {
  return { apiVersion, kind: 'State', metadata: { name: 'then' }, ...target };
}

/** The state of a workload's own plan. */
export async function stateOf(workload: Workload): Promise<StateDocument> {
  const result = await planHere(workload);
  if (result.kind !== 'plan') throw new Error('the workload cannot be planned');
  return toState(result.plan, workload);
}

/** A transition on this thread. */
export async function transitHere(
  state: StateDocument,
  workload: Workload,
  options: Omit<TransitionOptions, 'solver'> = {},
): Promise<TransitionResult> {
  return transition(state, workload, { solver: await solver, ...options });
}

/** A transition that must exist and must verify. */
export async function transitSoundly(
  state: StateDocument,
  workload: Workload,
  options: Omit<TransitionOptions, 'solver'> = {},
): Promise<TransitionDocument> {
  const result = await transitHere(state, workload, options);
  if (result.kind !== 'transition') throw new Error(`no transition: ${result.conflicts.map(({ message }) => message).join('; ')}`);
  const broken = brokenPromises(state, result.transition, workload);
  if (broken.length > 0) throw new Error(broken.join('\n'));
  return result.transition;
}

/** What verification finds wrong with a transition. */
export function brokenPromises(state: StateDocument, document: TransitionDocument, workload: Workload): readonly string[] {
  return verifyTransition(state, document, workload).checks.flatMap(({ name, violations }) =>
    violations.map(({ message, expected, received }) => `${name}: ${message} (expected ${expected}, received ${received})`),
  );
}

/** Two demands on the same services, one after the other. */
export function changes(
  pools: readonly Pool[],
  services = 4,
  most = 1.5,
  maxReplicas = 1,
): fc.Arbitrary<{ readonly before: Workload; readonly after: Workload }> {
  return fc
    .tuple(
      workloads({ services, pools, most, maxReplicas }),
      fc.array(fc.double({ min: 0.4, max: 1.7, noNaN: true }), { minLength: services, maxLength: services }),
    )
    .map(([before, factors]) => ({
      before,
      after: {
        ...before,
        services: before.services.map((service, i) => ({
          ...service,
          rateRps: Math.round(service.rateRps * (factors[i] ?? 1) * 100) / 100,
        })),
      },
    }));
}

/** The same pods on the same instances, but equal instances go to the services in their order: replicas gather on few GPUs. */
export function gatherReplicas(state: StateDocument): StateDocument {
  const pods = new Map<string, StateDocument['gpus'][number]['instances'][number][]>();
  for (const { instances } of state.gpus) {
    for (const one of instances) pods.set(one.profile, [...(pods.get(one.profile) ?? []), one]);
  }
  for (const list of pods.values()) list.sort((a, b) => ((a.service ?? '') < (b.service ?? '') ? -1 : 1));
  const gpus = state.gpus.map((gpu) => ({
    ...gpu,
    instances: gpu.instances.map(({ profile, start }) => ({
      ...(pods.get(profile)?.shift() as (typeof gpu.instances)[number]),
      profile,
      start,
    })),
  }));
  return { ...state, gpus };
}

export const backends: readonly Backend[] = ['instance', 'gpu-wipe', 'node'];

/**
 * What is there when the executor dies after some steps, as far as the dependencies alone allow: each step that may have begun
 * has ended with the chance `share`, else it may be under way. Steps that have ended count; a pod or an instance on its way in
 * or out is taken as gone.
 */
export function stateAfterCrash(state: StateDocument, { steps, target }: TransitionDocument, share: number, seed: number): StateDocument {
  const random = createSeededRandom(seed);
  const gpus = new Map(state.gpus.map((gpu) => [gpu.id, { ...gpu, instances: gpu.instances.map((one) => ({ ...one })) }]));
  for (const gpu of target.gpus) if (!gpus.has(gpu.id)) gpus.set(gpu.id, { ...gpu, instances: [] });
  const ended = new Set<string>();
  // Steps are listed by expected start, so that each comes after those that it waits for.
  for (const step of steps) {
    const mayBegin = step.after.every((id) => ended.has(id));
    const isOver = mayBegin && random.uniform() < share;
    const hasBegun = isOver || (mayBegin && random.uniform() < 0.5);
    const gpu = gpus.get(step.gpu);
    if (!hasBegun || gpu === undefined) continue;
    if (isOver) ended.add(step.id);
    const instance = 'start' in step ? gpu.instances.find(({ start }) => start === step.start) : undefined;
    if (step.kind === 'wipe-gpu') gpu.instances = isOver ? step.layout.map((one) => ({ ...one, service: null })) : [];
    else if (step.kind === 'create-instance' && isOver) gpu.instances.push({ profile: step.profile, start: step.start, service: null });
    else if (step.kind === 'delete-instance') gpu.instances = gpu.instances.filter(({ start }) => start !== step.start);
    else if (step.kind === 'stop-pod' && instance !== undefined) {
      gpu.instances[gpu.instances.indexOf(instance)] = { profile: step.profile, start: step.start, service: null };
    } else if (step.kind === 'start-pod' && instance !== undefined && isOver) {
      const { profile, start, service, batch, processes, capacityRps } = step;
      gpu.instances[gpu.instances.indexOf(instance)] = { profile, start, service, batch, processes, capacityRps };
    }
  }
  return { ...state, gpus: [...gpus.values()] };
}

/** GPUs with an instance. */
export function countUsed({ gpus }: Pick<StateDocument, 'gpus'>): number {
  return gpus.filter(({ instances }) => instances.length > 0).length;
}

/** What the pods of a state deliver for each service, requests per second. */
export function sumReady({ gpus }: StateDocument): ReadonlyMap<string, number> {
  const ready = new Map<string, number>();
  for (const { service, capacityRps = 0 } of gpus.flatMap(({ instances }) => instances)) {
    if (service !== null) ready.set(service, (ready.get(service) ?? 0) + capacityRps);
  }
  return ready;
}
