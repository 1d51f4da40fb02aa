import type { StateDocument } from '../demand/documents/state.js';
import { createPointFinder } from '../demand/operating-points.js';
import type { Workload } from '../demand/workload.js';
import { enumerateLayouts } from '../gpu/layouts.js';

/** A pod on a GPU: index of its service, or -1 on an idle instance, by `profile@start`. */
type Content = ReadonlyMap<string, number>;

/**
 * The fewest pod starts of any target on exactly these GPUs' number, by trying every layout and every assignment of services
 * on one pool: for tiny cases only. Every service has one row a profile.
 */
export function fewestStartsByForce(state: StateDocument, workload: Workload, gpuCount: number): number {
  const finder = createPointFinder(workload);
  const [pool] = workload.pools;
  if (pool === undefined) return 0;
  const rpsOf = workload.services.map((service) => {
    const points = finder.pointsOf(service, service.rateRps);
    return new Map(pool.profiles.map((profile, k) => [profile.name, points[k]?.plannedRps ?? 0]));
  });
  const contents = enumerateLayouts(pool.gpu, pool.profiles, pool).flatMap((layout): Content[] => {
    let filled: [string, number][][] = [[]];
    for (const { profile, start } of layout) {
      filled = filled.flatMap((content) =>
        workload.services.flatMap((_, i): [string, number][][] =>
          (rpsOf[i]?.get(profile.name) ?? 0) > 0 ? [[...content, [`${profile.name}@${start}`, i]]] : [],
        ),
      );
    }
    return filled.map((content) => new Map(content));
  });
  const hosts: Content[] = state.gpus.map(
    ({ instances }) =>
      new Map(
        instances.map(({ profile, start, service }) => [
          `${profile}@${start}`,
          workload.services.findIndex(({ name }) => name === service),
        ]),
      ),
  );
  while (hosts.length < gpuCount) hosts.push(new Map());
  /** By the capacities and GPUs with a replica reached so far (cut at what is asked for): fewest starts. */
  const demand = workload.services.flatMap(({ rateRps, minReplicas }) => [rateRps, minReplicas]);
  let best = new Map<string, number>([[`0|${demand.map(() => 0).join()}`, 0]]);
  for (const host of hosts) {
    const offers = new Map<string, number>();
    for (const content of contents) {
      const gained = demand.map(() => 0);
      let starts = 0;
      for (const [place, i] of content) {
        (gained[2 * i] as number) += rpsOf[i]?.get(place.slice(0, place.indexOf('@'))) ?? 0;
        gained[2 * i + 1] = 1;
        if (host.get(place) !== i) starts++;
      }
      const key = gained.join();
      offers.set(key, Math.min(offers.get(key) ?? Infinity, starts));
    }
    const next = new Map(best);
    for (const [key, starts] of best) {
      const [used = '0', reached = ''] = key.split('|');
      if (Number(used) === gpuCount) continue;
      const now = reached.split(',').map(Number);
      for (const [offer, more] of offers) {
        const sum = offer.split(',').map((rps, i) => Math.min(demand[i] as number, (now[i] as number) + Number(rps)));
        const to = `${Number(used) + 1}|${sum.join()}`;
        next.set(to, Math.min(next.get(to) ?? Infinity, starts + more));
      }
    }
    best = next;
  }
  return Math.min(
    ...[...best].flatMap(([key, starts]) => {
      const reached = (key.split('|')[1] ?? '').split(',').map(Number);
      return reached.every((rps, i) => rps >= (demand[i] as number) * (1 - 1e-9)) ? [starts] : [];
    }),
  );
}
