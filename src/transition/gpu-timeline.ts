import type { MigProfile, PlacedProfile } from '../gpu/gpu-model.js';
import { sliceMask } from '../gpu/slice-mask.js';
import type { DraftPod, DraftStep } from './draft-step.js';
import type { FleetGpu } from './fleet.js';

/** An instance on a GPU as steps are written: who is on it and which step it waits for. */
interface LiveInstance {
  readonly profile: MigProfile;
  readonly start: number;
  readonly reserved: boolean;
  pod: DraftPod | undefined;
  /** The last step that changed it; -1 for none. */
  last: number;
}

/**
 * Writes the steps of one GPU in order. Each step requires the earlier ones that touch the same slices, so that the GPU goes
 * through the same contents whatever the delays.
 */
export class GpuTimeline {
  readonly id: string;
  readonly pool: number;
  readonly #node: string | undefined;
  readonly #steps: DraftStep[];
  readonly #wipes: boolean;
  #instances: LiveInstance[];
  readonly #deletions: number[] = [];

  constructor(id: string, pool: number, steps: DraftStep[], wipes: boolean, gpu?: FleetGpu, podOf?: (type: number) => DraftPod) {
    this.id = id;
    this.pool = pool;
    this.#node = gpu?.source.node;
    this.#steps = steps;
    this.#wipes = wipes;
    this.#instances = (gpu?.instances ?? []).map(({ profile, start, reserved, type }) => ({
      profile,
      start,
      reserved,
      pod: type >= 0 ? podOf?.(type) : undefined,
      last: -1,
    }));
  }

  /** What is on the GPU after all steps written so far, ascending by start. */
  get instances(): readonly Readonly<LiveInstance>[] {
    return [...this.#instances].sort((a, b) => a.start - b.start);
  }

  stopPod(start: number, wave: number): void {
    const instance = this.#instances.find((one) => one.start === start) as LiveInstance;
    const { profile, pod } = instance;
    instance.last = this.#write({ kind: 'stop-pod', profile, start, ...(pod && { pod }), requires: after(instance.last), wave });
    instance.pod = undefined;
  }

  /** Starts a pod; an instance that is missing is created, and idle ones in its way are deleted. `needs` are further steps that must have ended. */
  startPod(placed: PlacedProfile, pod: DraftPod, wave: number, needs: readonly number[] = []): number {
    const instance = this.#find(placed) ?? this.#create(placed, wave, needs);
    instance.last = this.#write({ kind: 'start-pod', ...placed, pod, requires: [...after(instance.last), ...needs], wave });
    instance.pod = pod;
    return instance.last;
  }

  /** Deletes the instance at a place where there is one without a pod. */
  deleteIdle(start: number, wave: number): void {
    const instance = this.#instances.find((one) => one.start === start && one.pod === undefined && !one.reserved);
    if (instance !== undefined) this.#delete(instance, wave);
  }

  /** Leaves the GPU with exactly these instances at once; nothing may run on it. Does nothing where the counts of profiles stay. */
  wipe(layout: readonly PlacedProfile[], wave: number, needs: readonly number[] = []): void {
    if (countKey(layout) === countKey(this.#instances)) return;
    const requires = [...new Set([...this.#instances.flatMap(({ last }) => after(last)), ...needs])];
    const last = this.#write({ kind: 'wipe-gpu', layout, removes: this.#instances.length, requires, wave });
    this.#instances = layout.map(({ profile, start }) => ({ profile, start, reserved: false, pod: undefined, last }));
  }

  /** Removes every instance that is not reserved; nothing may run on them. Gives the steps after which they are gone. */
  clear(wave: number): readonly number[] {
    if (this.#wipes) {
      this.wipe([], wave);
      return [...new Set(this.#instances.flatMap(({ last }) => after(last)))];
    }
    return this.#instances.filter(({ reserved }) => !reserved).map((instance) => this.#delete(instance, wave));
  }

  #find({ profile, start }: PlacedProfile): LiveInstance | undefined {
    return this.#instances.find((one) => one.start === start && one.profile.name === profile.name);
  }

  #create(placed: PlacedProfile, wave: number, needs: readonly number[]): LiveInstance {
    const { profile, start } = placed;
    const mask = sliceMask(profile, start);
    const inTheWay = this.#instances.filter((one) => (sliceMask(one.profile, one.start) & mask) !== 0);
    const freed = inTheWay.map((one) => this.#delete(one, wave));
    // Other profiles than the plain ones share more than slices with their neighbours: they wait for everything that goes.
    const isPlain = profile.variant === 'base' || profile.variant === 'full';
    const earlier = isPlain ? this.#overlapping(mask) : this.#deletions;
    const requires = [...new Set([...freed, ...earlier, ...needs])];
    const last = this.#write({ kind: 'create-instance', profile, start, requires, wave });
    const instance: LiveInstance = { profile, start, reserved: false, pod: undefined, last };
    this.#instances.push(instance);
    return instance;
  }

  /** Earlier deletions in these slices. */
  #overlapping(mask: number): number[] {
    return this.#deletions.filter((index) => {
      const { profile, start } = this.#steps[index] as DraftStep;
      return profile !== undefined && (sliceMask(profile, start as number) & mask) !== 0;
    });
  }

  #delete(instance: LiveInstance, wave: number): number {
    const { profile, start } = instance;
    const index = this.#write({ kind: 'delete-instance', profile, start, requires: after(instance.last), wave });
    this.#instances = this.#instances.filter((one) => one !== instance);
    this.#deletions.push(index);
    return index;
  }

  #write(step: Omit<DraftStep, 'gpu' | 'node'>): number {
    this.#steps.push({ ...step, gpu: this.id, node: this.#node });
    return this.#steps.length - 1;
  }
}

function after(step: number): readonly number[] {
  return step < 0 ? [] : [step];
}

function countKey(layout: readonly { readonly profile: MigProfile }[]): string {
  return layout
    .map(({ profile }) => profile.name)
    .sort()
    .join(' ');
}
