import type { Backend } from '../demand/documents/transition.js';
import type { Workload } from '../demand/workload.js';
import type { PlacedProfile } from '../gpu/gpu-model.js';
import type { DraftPod, DraftStep } from './draft-step.js';
import type { FleetGpu } from './fleet.js';
import { GpuTimeline } from './gpu-timeline.js';
import type { Content, MoveProblem } from './move-problem.js';
import { choosePlace, ReplicaCount } from './place-arrivals.js';
import type { PlanItem } from './target-problem.js';
import type { WavePlan } from './wave-plan.js';

/** Steps without times, and the GPUs as they end. */
export interface DraftTransition {
  readonly steps: readonly DraftStep[];
  readonly gpus: readonly GpuTimeline[];
}

/** A place that pods take one after another. */
interface Place {
  readonly gpu: GpuTimeline;
  readonly placed: PlacedProfile;
  readonly size: number;
  /** The service that needs the place for replicas on different GPUs. */
  readonly home?: number | undefined;
  /** Whether the target has a pod here. */
  readonly isTarget: boolean;
  /** Steps to wait for because of the GPU as a whole. */
  readonly needs: readonly number[];
  /** Wave before which pods stop to make it free; 0 where none has to. */
  readonly freedFor: number;
  isTaken: boolean;
}

/**
 * Writes an order in waves as steps. Undefined where pods that run for a while would have to change places in between, or where
 * replicas that must be on different GPUs did not come apart.
 */
export function writeWaves(move: MoveProblem, plan: WavePlan, workload: Workload, backend: Backend): DraftTransition | undefined {
  return new WaveWriter(move, plan, workload, backend).write();
}

class WaveWriter {
  readonly #move: MoveProblem;
  readonly #plan: WavePlan;
  readonly #workload: Workload;
  readonly #wipes: boolean;
  readonly #steps: DraftStep[] = [];
  readonly #timelines = new Map<string, GpuTimeline>();
  readonly #places: Place[] = [];
  readonly #stopped: boolean[];
  readonly #gaps: Place[][];
  readonly #replicas = new ReplicaCount();
  /** What the floor counts for a pod that leaves, by its type. */
  readonly #countedRps: ReadonlyMap<number, number>;
  /** GPUs of the state that were given up and can be used again, by the order in which they were. */
  readonly #free: FleetGpu[] = [];
  #unspent: number;
  /** By pool; Infinity for one without limit. */
  readonly #unspentOf: number[];
  #nextId = 1;

  constructor(move: MoveProblem, plan: WavePlan, workload: Workload, backend: Backend) {
    this.#move = move;
    this.#plan = plan;
    this.#workload = workload;
    this.#wipes = backend !== 'instance';
    this.#countedRps = new Map(move.leaving.map(({ instance, rps }) => [instance.type, rps]));
    this.#stopped = move.leaving.map(() => false);
    this.#gaps = plan.gaps.map(() => []);
    this.#unspent = move.headroom - plan.extras.reduce((sum, { count }) => sum + count, 0);
    this.#unspentOf = move.poolHeadroom.map((limit, g) =>
      plan.extras.reduce((left, { pool, count }) => (pool === g ? left - count : left), limit),
    );
    for (const gpu of move.fleet.gpus) {
      const timeline = new GpuTimeline(gpu.id, gpu.pool, this.#steps, this.#wipes, gpu, (type) => this.#podOfType(type));
      this.#timelines.set(gpu.id, timeline);
    }
    for (const { gpu, stays } of move.target.gpus) {
      for (const { type } of stays)
        if (gpu !== undefined) this.#replicas.add(this.#timeline(gpu), move.fleet.types.list[type]?.service ?? -1);
    }
  }

  write(): DraftTransition | undefined {
    const extras = this.#plan.extras.flatMap(({ pool, layout, count }) =>
      Array.from({ length: count }, () => this.#openExtra(pool, layout)),
    );
    for (let wave = 1; wave <= this.#plan.waves; wave++) {
      this.#stopGaps(wave);
      this.#stopForWave(wave);
      this.#openPlaces(wave);
      if (!this.#startArrivals(wave) || !this.#startGaps(wave)) return undefined;
    }
    const end = this.#plan.waves + 1;
    for (const running of this.#gaps) for (const place of running) place.gpu.stopPod(place.placed.start, end);
    for (const [p, { gpu, instance }] of this.#move.leaving.entries()) {
      this.#stop(p, end);
      if (this.#move.deletesVacated) this.#timeline(gpu).deleteIdle(instance.start, end);
    }
    for (const [e, { gpu, content }] of this.#move.emptying.entries()) {
      const isHost = content >= 0 && this.#plan.moves[content] === Infinity;
      const isGivenUp = !isHost && (this.#plan.leaves[e] === Infinity || this.#free.includes(gpu));
      if (isGivenUp) this.#timeline(gpu).clear(end);
    }
    for (const gpu of extras) gpu.clear(end);
    const isSpread = this.#workload.services.every(
      ({ minReplicas, rateRps }, i) => rateRps === 0 || this.#replicas.gpusOf(i) >= minReplicas,
    );
    return isSpread ? { steps: this.#steps, gpus: [...this.#timelines.values()] } : undefined;
  }

  #timeline(gpu: FleetGpu): GpuTimeline {
    return this.#timelines.get(gpu.id) as GpuTimeline;
  }

  #podOfType(type: number): DraftPod {
    const { name, service, batch, processes, rps } = this.#move.fleet.types.list[type] as MoveProblem['fleet']['types']['list'][number];
    return { service, name, batch, processes, capacityRps: rps, rps: this.#countedRps.get(type) ?? rps };
  }

  #podOfItem(service: number, { point }: PlanItem, rps: number): DraftPod {
    const { batch, processes, throughputRps } = point.row;
    return { service, name: this.#workload.services[service]?.name ?? '', batch, processes, capacityRps: throughputRps, rps };
  }

  #stop(p: number, wave: number): void {
    if (this.#stopped[p]) return;
    this.#stopped[p] = true;
    const { gpu, instance } = this.#move.leaving[p] as MoveProblem['leaving'][number];
    this.#timeline(gpu).stopPod(instance.start, wave);
  }

  #stopForWave(wave: number): void {
    for (const [s, { blockers }] of this.#move.slots.entries()) {
      if (this.#plan.opens[s] === wave) for (const p of blockers) this.#stop(p, wave);
    }
    for (const [e, { pods, gpu }] of this.#move.emptying.entries()) {
      if (this.#plan.leaves[e] !== wave) continue;
      for (const p of pods) this.#stop(p, wave);
      this.#free.push(gpu);
    }
  }

  #openPlaces(wave: number): void {
    for (const [s, { content, placed, size, home, blockers }] of this.#move.slots.entries()) {
      const { host } = this.#move.contents[content] as Content;
      if (this.#plan.opens[s] !== wave || host === undefined) continue;
      const freedFor = blockers.length > 0 ? wave : 0;
      this.#places.push({ gpu: this.#timeline(host), placed, size, home, isTarget: true, needs: [], freedFor, isTaken: false });
    }
    for (const [j, content] of this.#move.contents.entries()) if (this.#plan.moves[j] === wave) this.#openContent(content, wave);
  }

  /** Makes content on a new GPU while some may be added, in all and in its pool, then on GPUs given up before. */
  #openContent({ pool, slots }: Content, wave: number): void {
    const layout = slots.map((s) => this.#move.slots[s] as MoveProblem['slots'][number]);
    const { gpu, needs } = this.#takeGpu(pool);
    if (this.#wipes)
      gpu.wipe(
        layout.map(({ placed }) => placed),
        wave,
        needs,
      );
    const starts = this.#wipes ? matchStarts(gpu, layout) : layout.map(({ placed }) => placed);
    for (const [n, { size, home }] of layout.entries()) {
      this.#places.push({
        gpu,
        placed: starts[n] as PlacedProfile,
        size,
        home,
        isTarget: true,
        needs: this.#wipes ? [] : needs,
        freedFor: needs.length > 0 ? wave : 0,
        isTaken: false,
      });
    }
  }

  #takeGpu(pool: number): { readonly gpu: GpuTimeline; readonly needs: readonly number[] } {
    const left = this.#unspentOf[pool] as number;
    if (this.#unspent > 0 && left > 0) {
      this.#unspent--;
      this.#unspentOf[pool] = left - 1;
      return { gpu: this.#newGpu(pool), needs: [] };
    }
    const at = Math.max(
      0,
      this.#free.findIndex((gpu) => gpu.pool === pool),
    );
    const [given] = this.#free.splice(at, 1) as [FleetGpu];
    const old = this.#timeline(given);
    if (given.pool === pool) return { gpu: old, needs: [] };
    this.#unspentOf[pool] = left - 1;
    (this.#unspentOf[given.pool] as number)++;
    return { gpu: this.#newGpu(pool), needs: old.clear(0) };
  }

  /** An empty GPU of the state, or one under a new name. */
  #newGpu(pool: number): GpuTimeline {
    const empty = this.#move.fleet.gpus.find((gpu) => gpu.pool === pool && gpu.instances.length === 0 && !this.#opened.has(gpu.id));
    if (empty !== undefined) {
      this.#opened.add(empty.id);
      return this.#timeline(empty);
    }
    for (;;) {
      const id = `${this.#workload.pools[pool]?.name}-new-${this.#nextId++}`;
      if (this.#move.fleet.ids.has(id)) continue;
      const gpu = new GpuTimeline(id, pool, this.#steps, this.#wipes);
      this.#timelines.set(id, gpu);
      return gpu;
    }
  }

  readonly #opened = new Set<string>();

  #openExtra(pool: number, layout: number): GpuTimeline {
    const gpu = this.#newGpu(pool);
    const slots = this.#move.layouts[pool]?.[layout] ?? [];
    if (this.#wipes)
      gpu.wipe(
        slots.map(({ placed }) => placed),
        1,
      );
    for (const { placed, size } of slots) this.#places.push({ gpu, placed, size, isTarget: false, needs: [], freedFor: 0, isTaken: false });
    return gpu;
  }

  #serviceOf(arrival: number): number {
    return this.#move.arrivals[arrival]?.service ?? -1;
  }

  #startArrivals(wave: number): boolean {
    // Pods that stops wait for come first, and places that are free at once: then those stops come soonest.
    const awaited = new Set(this.#move.leaving.flatMap(({ type }, p) => (this.#stopped[p] ? [] : [type.service])));
    const order = [...this.#move.arrivals.keys()].sort(
      (a, b) => Number(awaited.has(this.#serviceOf(b))) - Number(awaited.has(this.#serviceOf(a))),
    );
    for (const a of order) {
      const { service, item, rps } = this.#move.arrivals[a] as MoveProblem['arrivals'][number];
      const started = this.#plan.started[a] as Int32Array;
      const count = (started[wave - 1] as number) - (wave === 1 ? 0 : (started[wave - 2] as number));
      for (let n = 0; n < count; n++) {
        const free = this.#places
          .filter(({ isTaken, isTarget }) => !isTaken && isTarget)
          .sort((one, other) => Number(one.freedFor === wave) - Number(other.freedFor === wave));
        const place = choosePlace(free, item.size, service, this.#replicas);
        if (place === undefined) return false;
        place.isTaken = true;
        this.#replicas.add(place.gpu, service);
        place.gpu.startPod(place.placed, this.#podOfItem(service, item, rps), wave, place.needs);
      }
    }
    return true;
  }

  #stopGaps(wave: number): void {
    for (const [g, { running }] of this.#plan.gaps.entries()) {
      const now = this.#gaps[g] as Place[];
      while (now.length > (running[wave - 1] as number)) {
        // Places of the target are wanted by others first.
        const at = Math.max(
          0,
          now.findIndex(({ isTarget }) => isTarget),
        );
        const [place] = now.splice(at, 1) as [Place];
        place.gpu.stopPod(place.placed.start, wave);
        place.isTaken = false;
      }
    }
  }

  #startGaps(wave: number): boolean {
    for (const [g, { gap, running }] of this.#plan.gaps.entries()) {
      const now = this.#gaps[g] as Place[];
      while (now.length < (running[wave - 1] as number)) {
        const fits = this.#places.filter((one) => !one.isTaken && one.size === gap.item.size);
        const place = fits.find(({ isTarget }) => !isTarget) ?? fits[0];
        if (place === undefined) return false;
        place.isTaken = true;
        place.gpu.startPod(place.placed, this.#podOfItem(gap.service, gap.item, gap.rps), wave, place.needs);
        now.push(place);
      }
    }
    return true;
  }
}

/** Where on a GPU the instances of a layout are: a wipe puts them where the layout says, one that was not needed leaves others. */
function matchStarts(gpu: GpuTimeline, layout: readonly { readonly placed: PlacedProfile }[]): PlacedProfile[] {
  const left = [...gpu.instances];
  return layout.map(({ placed }) => {
    const at = left.findIndex((one) => one.profile.name === placed.profile.name && one.start === placed.start);
    const found = left.splice(at < 0 ? left.findIndex((one) => one.profile.name === placed.profile.name) : at, 1)[0];
    return found ?? placed;
  });
}
