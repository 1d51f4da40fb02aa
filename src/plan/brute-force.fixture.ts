import { createPointFinder } from '../demand/operating-points.js';
import type { Workload } from '../demand/workload.js';
import { enumerateLayouts } from '../gpu/layouts.js';

/** One GPU as a list of sizes, one entry a slot, and what it costs. */
interface Choice {
  readonly pool: number;
  readonly cost: number;
  readonly slots: readonly number[];
}

/**
 * The least cost of GPUs for a tiny workload, found by trying every fleet of up to `mostGpus` GPUs, every physical layout
 * and every assignment of services to slots; undefined when no such fleet serves the demand.
 */
export function findLeastCost(workload: Workload, mostGpus: number, costOf: (pool: number) => number = () => 1): number | undefined {
  const finder = createPointFinder(workload);
  const rps = workload.services.map((service) => finder.pointsOf(service, service.rateRps).map((point) => point?.plannedRps ?? 0));
  const choices = workload.pools.flatMap(({ gpu, profiles, forbid4gWith3g }, pool): Choice[] => {
    const seen = new Map<string, Choice>();
    for (const layout of enumerateLayouts(gpu, profiles, { forbid4gWith3g })) {
      const slots = layout
        .map(({ profile }) => finder.index.sizes.findIndex((size) => size.pool === pool && profiles[size.profile]?.name === profile.name))
        .sort((a, b) => a - b);
      seen.set(slots.join(' '), { pool, cost: costOf(pool), slots });
    }
    return [...seen.values()];
  });
  let least: number | undefined;
  const fleet: Choice[] = [];
  const extend = (from: number, cost: number): void => {
    if (least !== undefined && cost >= least - 1e-9) return;
    const withinLimits = workload.pools.every(({ count }, g) => fleet.filter(({ pool }) => pool === g).length <= count);
    if (!withinLimits) return;
    if (serves(workload, rps, fleet)) {
      least = cost;
      return;
    }
    if (fleet.length === mostGpus) return;
    for (let c = from; c < choices.length; c++) {
      const choice = choices[c] as Choice;
      fleet.push(choice);
      extend(c, cost + choice.cost);
      fleet.pop();
    }
  };
  extend(0, 0);
  return least;
}

function serves(workload: Workload, rps: readonly (readonly number[])[], fleet: readonly Choice[]): boolean {
  const slots = fleet.flatMap(({ slots: sizes }, gpu) => sizes.map((size) => ({ size, gpu })));
  const missing = workload.services.map(({ rateRps }) => rateRps);
  const homes = workload.services.map(() => new Map<number, number>());
  const done = (): boolean =>
    workload.services.every(
      (service, i) =>
        service.rateRps === 0 ||
        ((missing[i] as number) <= 1e-9 * service.rateRps && (homes[i] as Map<number, number>).size >= service.minReplicas),
    );
  const give = (at: number): boolean => {
    if (done()) return true;
    const slot = slots[at];
    if (slot === undefined) return false;
    for (const i of workload.services.keys()) {
      const got = rps[i]?.[slot.size] as number;
      const home = homes[i] as Map<number, number>;
      const served = (missing[i] as number) <= 0 && home.size >= (workload.services[i]?.minReplicas ?? 1);
      if (got === 0 || served) continue;
      missing[i] = (missing[i] as number) - got;
      home.set(slot.gpu, (home.get(slot.gpu) ?? 0) + 1);
      if (give(at + 1)) return true;
      missing[i] = (missing[i] as number) + got;
      if (home.get(slot.gpu) === 1) home.delete(slot.gpu);
      else home.set(slot.gpu, (home.get(slot.gpu) as number) - 1);
    }
    return give(at + 1);
  };
  return give(0);
}
