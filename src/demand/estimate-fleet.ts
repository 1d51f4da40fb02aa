import { gpuShare } from './gpu-share.js';
import { describeSize } from './list-sizes.js';
import type { PointFinder } from './operating-points.js';
import type { Service, Workload } from './workload.js';

/** Halvings of the search for a scale: enough for six digits. */
const halvings = 24;
/** The lowest scale looked at, as a share of the scale at which whole instances do not matter. */
const leastScale = 1 / 8;

/**
 * Estimates fleets without layouts and prices: every service takes whole instances of the one size that costs it the smallest
 * share of a GPU, as if the rest of each GPU were used by others. Price and pool limits play no part.
 */
export interface FleetEstimate {
  /** What a whole GPU of its best slices gives a service of a high rate, requests per second; 0 when nothing runs. */
  rpsPerGpu(service: Service): number;
  /** GPUs that the services need together at these rates, one a service. */
  gpus(ratesRps: readonly number[]): number;
  /**
   * The factor by which the rates have to be multiplied to need `targetGpus`. Falls short of the target rather than going below
   * an eighth of what the fleet would give without whole instances: fewer GPUs than a slice a service there cannot be.
   */
  scaleTo(ratesRps: readonly number[], targetGpus: number): number;
}

/** The estimate for the services of a workload; their own rates do not matter. */
export function createFleetEstimate(workload: Workload, finder: PointFinder): FleetEstimate {
  const { services } = workload;
  const shares = finder.index.sizes.map((size) => {
    const { pool, profile } = describeSize(workload, size);
    return gpuShare(pool.gpu, profile);
  });

  const rpsPerGpu = (service: Service): number => {
    const highest = finder.index.models.get(service.model)?.throughputRps.reduce((most, rps) => Math.max(most, rps), 0) ?? 0;
    const points = finder.pointsOf(service, highest);
    return points.reduce((best, point, size) => Math.max(best, (point?.plannedRps ?? 0) / (shares[size] as number)), 0);
  };
  const shareOf = (service: Service, rateRps: number): number => {
    const needed = finder
      .pointsOf(service, rateRps)
      .map((point, size) =>
        point === undefined ? Infinity : Math.max(1, Math.ceil(rateRps / point.plannedRps)) * (shares[size] as number),
      );
    return Math.min(...needed);
  };
  const gpus: FleetEstimate['gpus'] = (ratesRps) => services.reduce((sum, service, i) => sum + shareOf(service, ratesRps[i] as number), 0);

  const scaleTo: FleetEstimate['scaleTo'] = (ratesRps, targetGpus) => {
    const withoutRounding = services.reduce((sum, service, i) => sum + (ratesRps[i] as number) / rpsPerGpu(service), 0);
    let high = targetGpus / withoutRounding;
    let low = high * leastScale;
    for (let i = 0; i < halvings; i++) {
      const middle = (low + high) / 2;
      if (gpus(ratesRps.map((rate) => rate * middle)) > targetGpus) high = middle;
      else low = middle;
    }
    return low;
  };
  return { rpsPerGpu, gpus, scaleTo };
}
