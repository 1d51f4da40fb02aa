import type { TransitionStep } from '../../demand/documents/transition.js';
import type { MigProfile, PlacedProfile } from '../../gpu/gpu-model.js';
import { checkLayout } from '../../gpu/placement.js';
import { findBrokenRowRule, listAllowedProfiles } from '../row-rules.js';
import { nearly, show } from '../tolerance.js';
import type { Violation } from '../verify-report.js';
import type { GpuContents, Instance } from './contents.js';
import { isSamePod, type TransitionFacts } from './transition-facts.js';

/** Why a step cannot be taken, and which promise that breaks. */
export interface Refusal extends Violation {
  readonly check: 'placements' | 'pods' | 'reserved' | 'backend';
}

type StepOf<Kind extends TransitionStep['kind']> = Extract<TransitionStep, { readonly kind: Kind }>;
type Refuse = (check: Refusal['check'], message: string, expected: string, received: string) => readonly Refusal[];

/** Begins a step on its GPU, or answers why it cannot begin and changes nothing. */
export function applyStart(step: TransitionStep, gpu: GpuContents, facts: TransitionFacts): readonly Refusal[] {
  const where = step.kind === 'wipe-gpu' ? step.gpu : `${step.gpu} ${step.profile}@${step.start}`;
  const refuse: Refuse = (check, message, expected, received) => [
    { check, where: step.id, message: `${step.id} (${step.kind} ${where}, ${show(step.startS)} s): ${message}`, expected, received },
  ];
  if (gpu.wiping) return refuse('placements', 'the GPU is being wiped.', 'a GPU at rest', 'a wipe in progress');
  switch (step.kind) {
    case 'create-instance':
      return startCreate(step, gpu, refuse);
    case 'delete-instance':
      return startDelete(step, gpu, refuse);
    case 'start-pod':
      return startPod(step, gpu, facts, refuse);
    case 'stop-pod':
      return stopPod(step, gpu, refuse);
    case 'wipe-gpu':
      return startWipe(step, gpu, refuse);
  }
}

/** Ends a step that began. */
export function applyEnd(step: TransitionStep, gpu: GpuContents): void {
  if (step.kind === 'wipe-gpu') {
    for (const { profile, start } of placeLayout(step.layout, gpu).placed) gpu.instances.set(start, freshInstance(profile, start, 'up'));
    gpu.wiping = false;
    return;
  }
  const instance = gpu.instances.get(step.start);
  if (step.kind === 'delete-instance') gpu.instances.delete(step.start);
  else if (instance === undefined) return;
  else if (step.kind === 'create-instance') instance.phase = 'up';
  else if (step.kind === 'stop-pod') instance.pod = undefined;
  else if (instance.pod !== undefined) instance.pod.phase = 'ready';
}

function freshInstance(profile: MigProfile, start: number, phase: Instance['phase']): Instance {
  return { profile, start, reserved: false, phase, pod: undefined };
}

function startCreate(step: StepOf<'create-instance'>, gpu: GpuContents, refuse: Refuse): readonly Refusal[] {
  const profile = gpu.pool.profiles.find(({ name }) => name === step.profile);
  if (profile === undefined) return refuse('placements', 'the pool offers no such profile.', profileNames(gpu), step.profile);
  const placed = [...gpu.instances.values(), { profile, start: step.start }];
  const checked = checkLayout(gpu.pool.gpu, placed, gpu.pool);
  if (checked.kind === 'illegal') return refuse('placements', checked.reason, 'free slices', listPlaced(gpu.instances.values()));
  gpu.instances.set(step.start, freshInstance(profile, step.start, 'creating'));
  return [];
}

function startDelete(step: StepOf<'delete-instance'>, gpu: GpuContents, refuse: Refuse): readonly Refusal[] {
  const instance = findInstance(step, gpu);
  if (instance === undefined) return refuse('placements', 'there is no such instance.', 'an instance', listPlaced(gpu.instances.values()));
  if (instance.reserved) return refuse('reserved', 'others hold the instance.', 'left alone', 'deleted');
  if (instance.phase !== 'up') return refuse('placements', 'the instance is not up.', 'up', instance.phase);
  if (instance.pod !== undefined) return refuse('placements', 'a pod is on the instance.', 'no pod', describePod(instance));
  instance.phase = 'deleting';
  return [];
}

function startPod(step: StepOf<'start-pod'>, gpu: GpuContents, facts: TransitionFacts, refuse: Refuse): readonly Refusal[] {
  const instance = findInstance(step, gpu);
  if (instance === undefined) return refuse('pods', 'there is no such instance.', 'an instance', listPlaced(gpu.instances.values()));
  if (instance.reserved) return refuse('reserved', 'others hold the instance.', 'left alone', 'a pod');
  if (instance.phase !== 'up') return refuse('pods', 'the instance is not up.', 'up', instance.phase);
  if (instance.pod !== undefined) return refuse('pods', 'a pod is already on the instance.', 'no pod', describePod(instance));
  const { profile } = instance;
  const service = facts.services.get(step.service);
  if (service === undefined) return refuse('pods', 'the workload has no such service.', 'a service of the workload', step.service);
  if (!listAllowedProfiles(service, gpu.pool).includes(profile)) {
    return refuse('pods', `${service.name} may not use this profile.`, 'an allowed profile', profile.name);
  }
  const measured = facts.findRow(gpu.pool, profile.name, step);
  if (measured === undefined) return refuse('pods', `${service.model} was not measured so.`, 'a measured row', describeSetting(step));
  const broken = findBrokenRowRule(service, facts.workload, profile, measured.row);
  if (broken !== undefined) return refuse('pods', broken.message, broken.expected, broken.received);
  const { throughputRps } = measured.row;
  if (!nearly(step.capacityRps, throughputRps)) {
    return refuse('pods', 'capacityRps is not the measured throughput.', `${show(throughputRps)} rps`, `${show(step.capacityRps)} rps`);
  }
  const { batch, processes } = step;
  const capacityRps = facts.capacityOf(gpu.pool, profile.name, step, undefined);
  instance.pod = { service: service.name, batch, processes, capacityRps, throughputRps, kept: false, phase: 'starting' };
  return [];
}

function stopPod(step: StepOf<'stop-pod'>, gpu: GpuContents, refuse: Refuse): readonly Refusal[] {
  const instance = findInstance(step, gpu);
  if (instance?.pod === undefined) return refuse('pods', 'there is no such pod.', 'a pod', instance ? 'no pod' : 'no such instance');
  if (!isSamePod(instance.pod, step))
    return refuse('pods', 'another pod runs there.', describeSetting(step), describeSetting(instance.pod));
  if (instance.pod.phase !== 'ready') return refuse('pods', 'the pod is not ready.', 'ready', instance.pod.phase);
  const { throughputRps = step.capacityRps } = instance.pod;
  if (!nearly(step.capacityRps, throughputRps)) {
    return refuse('pods', 'capacityRps is not what the pod serves.', `${show(throughputRps)} rps`, `${show(step.capacityRps)} rps`);
  }
  instance.pod.phase = 'stopping';
  return [];
}

function startWipe(step: StepOf<'wipe-gpu'>, gpu: GpuContents, refuse: Refuse): readonly Refusal[] {
  const present = [...gpu.instances.values()];
  if (present.some(({ reserved }) => reserved)) return refuse('reserved', 'others hold an instance of the GPU.', 'left alone', 'a wipe');
  const busy = present.find(({ pod, phase }) => pod !== undefined || phase !== 'up');
  if (busy !== undefined) {
    const what = busy.pod === undefined ? busy.phase : describePod(busy);
    return refuse('placements', 'the GPU is in use.', 'no pod and nothing in progress', `${busy.profile.name}@${busy.start}: ${what}`);
  }
  const { placed, unknown } = placeLayout(step.layout, gpu);
  if (unknown !== undefined) return refuse('placements', 'the pool offers no such profile.', profileNames(gpu), unknown);
  const checked = checkLayout(gpu.pool.gpu, placed, gpu.pool);
  if (checked.kind === 'illegal') return refuse('placements', checked.reason, 'a legal layout', listPlaced(placed));
  // mig-parted compares counts of profiles only: an equal count leaves the GPU as it is.
  if (countProfiles(placed) === countProfiles(present)) {
    return refuse('backend', 'a wipe changes nothing where the counts of profiles stay.', 'another count', countProfiles(placed) || 'none');
  }
  gpu.instances.clear();
  gpu.wiping = true;
  return [];
}

function findInstance(step: { readonly profile: string; readonly start: number }, { instances }: GpuContents): Instance | undefined {
  const instance = instances.get(step.start);
  return instance?.profile.name === step.profile ? instance : undefined;
}

function placeLayout(layout: StepOf<'wipe-gpu'>['layout'], { pool }: GpuContents) {
  const placed: PlacedProfile[] = [];
  for (const { profile: name, start } of layout) {
    const profile = pool.profiles.find((offered) => offered.name === name);
    if (profile === undefined) return { placed, unknown: name };
    placed.push({ profile, start });
  }
  return { placed, unknown: undefined };
}

function profileNames({ pool }: GpuContents): string {
  return pool.profiles.map(({ name }) => name).join(', ');
}

function listPlaced(placed: Iterable<PlacedProfile>): string {
  return [...placed].map(({ profile, start }) => `${profile.name}@${start}`).join(' ') || 'an empty GPU';
}

function countProfiles(placed: readonly PlacedProfile[]): string {
  return placed
    .map(({ profile }) => profile.name)
    .sort()
    .join(' ');
}

function describeSetting({ service, batch, processes }: { service: string; batch: number; processes: number }): string {
  return `${service} ${batch}×${processes}`;
}

function describePod({ pod }: Instance): string {
  return pod === undefined ? 'no pod' : `${describeSetting(pod)}, ${pod.phase}`;
}
