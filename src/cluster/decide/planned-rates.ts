import { describeSize } from '../../demand/list-sizes.js';
import { createPointFinder } from '../../demand/operating-points.js';
import type { Workload } from '../../demand/workload.js';
import { findUsablePoint } from '../../transition/pod-types.js';
import { modelLabel } from '../objects/names.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import { type PodType, typeKey } from './own-pods.js';

/** Finds what one pod of a type may be given under its service's latency rule, requests per second; undefined when its row may not be used. */
export function createRateFinder(workload: Workload): (type: PodType) => number | undefined {
  const finder = createPointFinder(workload);
  const services = new Map(workload.services.map((service) => [service.name, service]));
  const sizes = finder.index.sizes.map((size) => {
    const { pool, profile } = describeSize(workload, size);
    return { gpuModel: modelLabel(pool.gpu.name), profile: profile.name };
  });
  return ({ service: name, gpuModel, profile, batch, processes }) => {
    const service = services.get(name);
    if (service === undefined) return undefined;
    for (const [size, own] of sizes.entries()) {
      const isSame = own.profile === profile && own.gpuModel === modelLabel(gpuModel);
      const point = isSame ? findUsablePoint(finder, service, size, batch, processes) : undefined;
      if (point !== undefined) return point.plannedRps;
    }
    return undefined;
  };
}

/** What a plan lets one pod of a type have, requests per second, by type. */
export function listPlannedRates({ spec }: SharingPlan): ReadonlyMap<string, number> {
  return new Map(
    spec.services.flatMap(({ key, types = [] }) => types.map((type) => [typeKey({ service: key, ...type }), type.plannedRps] as const)),
  );
}
