import { type InstanceSpeed, predictLatencyMs } from './latency/predict-percentile.js';
import { rowServiceMs } from './latency/row-service-ms.js';
import type { OperatingPoint } from './operating-point.js';
import type { Service } from './workload.js';

/** How one instance of a plan is loaded and how it will answer. */
export interface InstanceForecast {
  /** Share of the service's requests: planned capacity ÷ the service's sum. */
  readonly weight: number;
  /** weight × rate ÷ throughput. */
  readonly plannedLoad: number;
  /** Predicted latency at the rule's percentile, ms (`predictLatencyMs`). */
  readonly predictedMs: number | null;
}

/** The row of an operating point as the latency prediction wants it. */
export function speedOf(point: Pick<OperatingPoint, 'row' | 'singleMs'>): InstanceSpeed {
  return {
    serviceMs: rowServiceMs(point.row),
    singleMs: point.singleMs,
    processes: point.row.processes,
    capacityRps: point.row.throughputRps,
  };
}

/**
 * The forecast of every instance of a service at `rateRps` > 0, in the order of `points`, one point an instance, or as many
 * instances as `counts` says.
 */
export function predictInstances(
  service: Service,
  rateRps: number,
  points: readonly OperatingPoint[],
  counts?: readonly number[],
): InstanceForecast[] {
  const plannedRps = points.reduce((sum, point, n) => sum + (counts?.[n] ?? 1) * point.plannedRps, 0);
  const serviceCapacityRps = points.reduce((sum, point, n) => sum + (counts?.[n] ?? 1) * point.row.throughputRps, 0);
  const known = new Map<OperatingPoint, InstanceForecast>();
  return points.map((point) => {
    const forecast = known.get(point) ?? predictInstance(service, rateRps, point, point.plannedRps / plannedRps, serviceCapacityRps);
    known.set(point, forecast);
    return forecast;
  });
}

function predictInstance(
  service: Service,
  rateRps: number,
  point: OperatingPoint,
  weight: number,
  serviceCapacityRps: number,
): InstanceForecast {
  const plannedLoad = (weight * rateRps) / point.row.throughputRps;
  return {
    weight,
    plannedLoad,
    predictedMs: predictLatencyMs(service.latency, speedOf(point), { load: plannedLoad, rateRps, serviceCapacityRps }),
  };
}
