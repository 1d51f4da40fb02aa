import type { StateDocument } from '../demand/documents/state.js';
import type { TransitionDocument } from '../demand/documents/transition.js';
import type { Pool, Workload } from '../demand/workload.js';
import { findProfile } from '../gpu/find-profile.js';
import type { MigProfile } from '../gpu/gpu-model.js';
import { sliceMask } from '../gpu/slice-mask.js';

/** A place that is held, is wanted by the target, or may be used for a while. */
export interface Cell {
  readonly gpu: number;
  readonly profile: MigProfile;
  readonly start: number;
  readonly mask: number;
  readonly isTarget: boolean;
  /** What runs there at first: index of the kind; -1 for nothing. */
  readonly first: number;
  readonly isThere: boolean;
}

/** Pods that can stand in for each other. */
export interface Kind {
  readonly service: number;
  readonly profile: string;
  readonly rps: number;
  /** New pods of the kind in the target. */
  wanted: number;
}

/** A GPU as far as it does not change. */
export interface PuzzleGpu {
  /** Instances that stay as they are throughout. */
  readonly fixed: readonly { readonly profile: MigProfile; readonly mask: number }[];
  readonly isHost: boolean;
}

/** All that an order from a state to a target has to deal with. */
export interface OrderPuzzle {
  readonly pool: Pool;
  readonly gpus: readonly PuzzleGpu[];
  readonly cells: readonly Cell[];
  readonly kinds: readonly Kind[];
  /** By service: what must be ready at every moment, and what pods that stay deliver; requests per second. */
  readonly floor: readonly number[];
  readonly kept: readonly number[];
  readonly mostGpus: number;
}

type Instances = StateDocument['gpus'][number]['instances'];

function stoppedPlaces({ steps }: TransitionDocument): ReadonlySet<string> {
  return new Set(steps.flatMap((step) => (step.kind === 'stop-pod' ? [`${step.gpu} ${step.start}`] : [])));
}

/** Every way to give the contents of the target their GPUs: ids by GPU of the target. */
export function listHosts(state: StateDocument, document: TransitionDocument): ReadonlyMap<string, string>[] {
  const stopped = stoppedPlaces(document);
  const stays = (id: string): boolean =>
    state.gpus.some(
      (gpu) => gpu.id === id && gpu.instances.some(({ service, start }) => service !== null && !stopped.has(`${id} ${start}`)),
    );
  const used = document.target.gpus.filter(({ instances }) => instances.some(({ service }) => service !== null)).map(({ id }) => id);
  const movable = used.filter((id) => !stays(id));
  const old = state.gpus.map(({ id }) => id).filter((id) => !stays(id));
  let ways: string[][] = [[]];
  for (const [n] of movable.entries()) {
    ways = ways.flatMap((way) => {
      const fresh = way.filter((id) => id.startsWith('fresh')).length;
      return [...old.filter((id) => !way.includes(id)), `fresh ${fresh}`].map((id) => [...way, id]);
    });
    if (n > 3) throw new Error('too many GPUs to try every order');
  }
  return ways.map((way) => new Map(used.map((id) => [id, stays(id) ? id : (way[movable.indexOf(id)] as string)])));
}

/** Reads off cells and kinds of pods; `standsIn` adds all places in which a pod could run for a while. */
export function layOut(
  state: StateDocument,
  document: TransitionDocument,
  workload: Workload,
  hosts: ReadonlyMap<string, string>,
  standsIn: boolean,
): OrderPuzzle {
  const gpus: PuzzleGpu[] = [];
  const cells: Cell[] = [];
  const kinds: Kind[] = [];
  const pool = workload.pools[0] as Pool;
  const serviceOf = (name: string): number => workload.services.findIndex((one) => one.name === name);
  const start = workload.services.map(() => 0);
  const kept = workload.services.map(() => 0);
  const stopped = stoppedPlaces(document);
  const contentOf = new Map<string, Instances>();
  for (const { id, instances } of document.target.gpus) {
    const host = hosts.get(id);
    if (host !== undefined) contentOf.set(host, instances);
  }
  const rpsOf = (service: string, profile: string): number => {
    const { model } = workload.services[serviceOf(service)] as Workload['services'][number];
    return workload.rows.find((row) => row.model === model && row.profile === profile)?.throughputRps ?? 0;
  };
  const ids = [...new Set([...state.gpus.map(({ id }) => id), ...contentOf.keys()])];
  if (standsIn) ids.push('spare');
  for (const [gpu, id] of ids.entries()) {
    const now = state.gpus.find((one) => one.id === id)?.instances ?? [];
    const fixed: PuzzleGpu['fixed'][number][] = [];
    const content = contentOf.get(id) ?? [];
    const add = (name: string, at: number, isTarget: boolean, first: number, isThere: boolean): void => {
      const profile = profileOf(name);
      cells.push({ gpu, profile, start: at, mask: sliceMask(profile, at), isTarget, first, isThere });
    };
    const known = new Set<string>();
    const isNew = (one: Instances[number]): boolean => one.service !== null && (stopped.has(`${id} ${one.start}`) || !runs(one));
    const runs = ({ start: at, profile }: Instances[number]): boolean =>
      now.some((one) => one.start === at && one.profile === profile && one.service !== null);
    for (const one of now) {
      const service = one.service === null ? -1 : serviceOf(one.service);
      if (service >= 0) (start[service] as number) += one.capacityRps ?? 0;
      known.add(`${one.profile} ${one.start}`);
      if (one.service !== null && !stopped.has(`${id} ${one.start}`)) {
        (kept[service] as number) += one.capacityRps ?? 0;
        fixed.push({ profile: profileOf(one.profile), mask: sliceMask(profileOf(one.profile), one.start) });
        continue;
      }
      const isTarget = content.some((other) => other.profile === one.profile && other.start === one.start && isNew(other));
      add(one.profile, one.start, isTarget, service < 0 ? -1 : kindOf(service, one.profile, one.capacityRps ?? 0), true);
    }
    for (const one of content) {
      if (!isNew(one)) continue;
      const service = one.service as string;
      const kind = kindOf(serviceOf(service), one.profile, rpsOf(service, one.profile));
      (kinds[kind] as Kind).wanted++;
      if (!known.has(`${one.profile} ${one.start}`)) add(one.profile, one.start, true, -1, false);
      known.add(`${one.profile} ${one.start}`);
    }
    for (const profile of standsIn ? pool.profiles : []) {
      for (const at of profile.starts) if (!known.has(`${profile.name} ${at}`)) add(profile.name, at, false, -1, false);
    }
    gpus.push({ fixed, isHost: contentOf.has(id) });
  }
  if (standsIn) {
    for (const service of workload.services)
      for (const { name } of pool.profiles)
        if (rpsOf(service.name, name) > 0) kindOf(serviceOf(service.name), name, rpsOf(service.name, name));
  }
  const oldRate = new Map(state.services.map(({ name, rateRps }) => [name, rateRps]));
  const floor = workload.services.map(({ name, rateRps }, i) => Math.min(rateRps, oldRate.get(name) ?? 0, start[i] as number));
  const countUsed = (gpus: readonly { readonly instances: Instances }[]): number =>
    gpus.filter(({ instances }) => instances.length > 0).length;
  const mostGpus = Math.max(countUsed(state.gpus), countUsed(document.target.gpus)) + document.maxExtraGpus;
  return { pool, gpus, cells, kinds, floor, kept, mostGpus };

  function profileOf(name: string): MigProfile {
    const found = findProfile(pool.gpu, name);
    if (found.kind === 'unknown') throw new Error(`unknown profile ${name}`);
    return found.profile;
  }

  function kindOf(service: number, profile: string, rps: number): number {
    const known = kinds.findIndex((kind) => kind.service === service && kind.profile === profile && kind.rps === rps);
    return known >= 0 ? known : kinds.push({ service, profile, rps, wanted: 0 }) - 1;
  }
}
