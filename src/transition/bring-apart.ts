import type { NewPods, OpenSlot, TargetGpu } from './bind-target.js';
import type { FleetInstance } from './fleet.js';
import type { PodType } from './pod-types.js';
import type { TargetProblem } from './target-problem.js';

/** A target in which replicas have homes on different GPUs as far as that is possible. */
export interface ApartTarget {
  readonly gpus: readonly TargetGpu[];
  readonly newPods: readonly NewPods[];
  /** Services whose replicas came apart only by restarting another pod, or not at all. */
  readonly crowded: readonly number[];
}

/** How many services may change their homes for one that has too few. */
const mostMoves = 3;
/** Changes that are tried for one home. */
const mostTries = 5000;

/**
 * Reserves a slot on another GPU for each replica that has none: an open one, else that of a pod which changes places with an equal one
 * that leaves, else one of another service that finds another home, else that of a pod which starts again elsewhere.
 */
export function bringApart(problem: TargetProblem, gpus: readonly TargetGpu[], newPods: readonly NewPods[]): ApartTarget {
  const draft = new Draft(problem, gpus, newPods);
  const crowded: number[] = [];
  for (const [i, service] of problem.services.entries()) {
    if (service === undefined || service.minCount < 2) continue;
    let isCrowded = false;
    while (draft.lacksHome(i)) {
      if (draft.settle(i, false)) continue;
      isCrowded = true;
      if (!draft.settle(i, true)) break;
    }
    if (isCrowded) crowded.push(i);
  }
  return { gpus: draft.gpus, newPods: draft.newPods, crowded };
}

/** A slot on a GPU, both by index. */
interface SlotAt {
  readonly gpu: number;
  readonly slot: number;
}

class Draft {
  readonly #problem: TargetProblem;
  gpus: readonly TargetGpu[];
  newPods: readonly NewPods[];
  #tries = 0;

  constructor(problem: TargetProblem, gpus: readonly TargetGpu[], newPods: readonly NewPods[]) {
    this.#problem = problem;
    this.gpus = gpus;
    this.newPods = newPods;
  }

  /** Whether a service has fewer homes than replicas: GPUs on which one of its pods stays or has a slot reserved. */
  lacksHome(service: number): boolean {
    const needed = this.#problem.services[service]?.minCount ?? 1;
    return needed > 1 && this.gpus.filter((gpu) => this.#isHome(gpu, service)).length < needed;
  }

  /** Finds one more home for a service; with `mayRestart` also at the cost of a pod start more. */
  settle(service: number, mayRestart: boolean): boolean {
    this.#tries = 0;
    return this.#settle(service, mayRestart, mostMoves);
  }

  #settle(service: number, mayRestart: boolean, moves: number): boolean {
    const sizes = this.#sizesWithoutHome(service);
    return (
      sizes.some((size) => this.#takeOpen(service, size)) ||
      sizes.some((size) => this.#displace(service, size, (pod) => this.#exchange(pod, moves))) ||
      (moves > 0 && sizes.some((size) => this.#takeReserved(service, size, mayRestart, moves))) ||
      (mayRestart && sizes.some((size) => this.#displace(service, size, (pod) => this.#restart(pod, moves))))
    );
  }

  #takeOpen(service: number, size: number): boolean {
    const at = this.#listSlots(size).find(({ gpu: g, slot }) => {
      const gpu = this.gpus[g] as TargetGpu;
      return gpu.slots[slot]?.home === undefined && !this.#isHome(gpu, service);
    });
    if (at !== undefined) this.#setHome(at, service);
    return at !== undefined;
  }

  /** Takes the home of another service that finds another one. */
  #takeReserved(service: number, size: number, mayRestart: boolean, moves: number): boolean {
    return this.#listSlots(size).some((at) => {
      const gpu = this.gpus[at.gpu] as TargetGpu;
      const { home } = gpu.slots[at.slot] as OpenSlot;
      if (home === undefined || this.#isHome(gpu, service)) return false;
      return this.#attempt(() => {
        this.#setHome(at, service);
        return this.#isContent(home, mayRestart, moves - 1);
      });
    });
  }

  /** Takes the place of a pod that can be done without there. */
  #displace(service: number, size: number, goes: (pod: FleetInstance) => boolean): boolean {
    return this.gpus.some((gpu, g) => {
      if (this.#isHome(gpu, service)) return false;
      return gpu.stays.some((pod) => {
        if (this.#typeOf(pod)?.size !== size) return false;
        return this.#attempt(() => {
          const { profile, start } = pod;
          const slot: OpenSlot = { placed: { profile, start }, size, present: pod, home: service };
          this.#put(g, { ...gpu, stays: gpu.stays.filter((other) => other !== pod), slots: [...gpu.slots, slot] });
          return goes(pod);
        });
      });
    });
  }

  /** An equal pod that would leave stays instead. */
  #exchange(pod: FleetInstance, moves: number): boolean {
    return this.#listSlots(this.#typeOf(pod)?.size ?? -1).some((at) => {
      const gpu = this.gpus[at.gpu] as TargetGpu;
      const slot = gpu.slots[at.slot] as OpenSlot;
      const { present, home } = slot;
      if (present === undefined || present === pod || present.type !== pod.type) return false;
      return this.#attempt(() => {
        this.#put(at.gpu, { ...gpu, stays: [...gpu.stays, present], slots: gpu.slots.filter((other) => other !== slot) });
        const others = [this.#typeOf(pod)?.service, home].filter((service) => service !== undefined);
        return others.every((service) => this.#isContent(service, false, moves - 1));
      });
    });
  }

  /** The pod starts again, wherever there is a slot. */
  #restart(pod: FleetInstance, moves: number): boolean {
    const { service = -1, size = -1, point } = this.#typeOf(pod) ?? {};
    if (point === undefined) return false;
    this.newPods = [...this.newPods, { service, item: { size, point, type: -1, limit: Infinity }, count: 1 }];
    return this.#isContent(service, false, moves - 1);
  }

  /** Whether a service has its homes, or finds them. */
  #isContent(service: number, mayRestart: boolean, moves: number): boolean {
    while (this.lacksHome(service)) if (moves < 0 || !this.#settle(service, mayRestart, moves)) return false;
    return true;
  }

  /** Undoes what was changed in vain. */
  #attempt(change: () => boolean): boolean {
    if (++this.#tries > mostTries) return false;
    const { gpus, newPods } = this;
    if (change()) return true;
    this.gpus = gpus;
    this.newPods = newPods;
    return false;
  }

  #listSlots(size: number): SlotAt[] {
    return this.gpus.flatMap(({ slots }, gpu) => slots.flatMap((one, slot): SlotAt[] => (one.size === size ? [{ gpu, slot }] : [])));
  }

  #setHome({ gpu: g, slot: s }: SlotAt, home: number): void {
    const gpu = this.gpus[g] as TargetGpu;
    this.#put(g, { ...gpu, slots: gpu.slots.map((slot, index) => (index === s ? { ...slot, home } : slot)) });
  }

  #put(g: number, gpu: TargetGpu): void {
    this.gpus = this.gpus.with(g, gpu);
  }

  /** Sizes of new pods of a service that have no slot reserved. */
  #sizesWithoutHome(service: number): number[] {
    const left = new Map<number, number>();
    const add = (size: number, count: number) => left.set(size, (left.get(size) ?? 0) + count);
    for (const { service: owner, item, count } of this.newPods) if (owner === service) add(item.size, count);
    for (const { slots } of this.gpus) for (const { home, size } of slots) if (home === service) add(size, -1);
    return [...left].flatMap(([size, count]) => (count > 0 ? [size] : []));
  }

  #isHome({ stays, slots }: TargetGpu, service: number): boolean {
    return slots.some(({ home }) => home === service) || stays.some((pod) => this.#typeOf(pod)?.service === service);
  }

  #typeOf({ type }: FleetInstance): PodType | undefined {
    return this.#problem.fleet.types.list[type];
  }
}
