import { limitWithSpareMs, meetsLimit, predictLatencyMs } from '../demand/latency/predict-percentile.js';
import { type PlacedInstance, type PlanFacts, placeOf, type ServiceFacts, sumOver } from './plan-facts.js';
import { loadCeiling, predictPlannedMs } from './planned-load.js';
import { atMost, nearly, show } from './tolerance.js';
import type { Violation } from './verify-report.js';

/** Relative room between a stated prediction and the recomputed one. */
const predictionTolerance = 1e-6;

/** What a service's instances share. */
interface Sums {
  readonly capacityRps: number;
  readonly plannedRps: number;
}

/** Planned capacities keep the latency rule; weights, loads and predicted latencies follow from them by the forward formula. */
export function checkLoads({ services }: PlanFacts): readonly Violation[] {
  return services.flatMap((facts) => {
    const sums = {
      capacityRps: sumOver(facts.placed, ({ capacityRps }) => capacityRps),
      plannedRps: sumOver(facts.placed, ({ plannedCapacityRps }) => plannedCapacityRps),
    };
    return facts.placed.flatMap((placed) => checkInstance(facts, placed, sums));
  });
}

function checkInstance({ service, promisedRps }: ServiceFacts, placed: PlacedInstance, sums: Sums): readonly Violation[] {
  const { gpu, instance, measured } = placed;
  const where = placeOf(gpu, instance);
  const violations: Violation[] = [];
  const refuse = (message: string, expected: string, received: string) =>
    violations.push({ where, message: `${where} (${service.name}): ${message}`, expected, received });

  const most = loadCeiling(service) * instance.capacityRps;
  if (!atMost(instance.plannedCapacityRps, most)) {
    refuse(
      'plannedCapacityRps is above the load that may be planned.',
      `at most ${show(most)} rps`,
      `${show(instance.plannedCapacityRps)} rps`,
    );
  }
  const weight = sums.plannedRps === 0 ? 0 : instance.plannedCapacityRps / sums.plannedRps;
  if (!nearly(instance.weight, weight)) refuse('the weight is not its share of the planned capacity.', show(weight), show(instance.weight));
  const load = instance.capacityRps === 0 ? 0 : (weight * promisedRps) / instance.capacityRps;
  if (!nearly(instance.plannedLoad, load)) refuse('plannedLoad is not weight × rate ÷ capacity.', show(load), show(instance.plannedLoad));
  if (measured === undefined) return violations;

  const rule = service.latency;
  if (rule.kind === 'percentile') {
    const plannedMs = predictPlannedMs(rule, measured, instance.plannedCapacityRps / instance.capacityRps, promisedRps);
    if (!meetsLimit(plannedMs, service.latencyMs)) {
      const limit = `at most ${show(limitWithSpareMs(service.latencyMs))} ms (limit ÷ 1.1)`;
      refuse('the predicted latency at the planned capacity misses the limit.', limit, `${show(plannedMs)} ms`);
    }
  }
  const { row, serviceMs, singleMs } = measured;
  const speed = { serviceMs, singleMs, processes: row.processes, capacityRps: row.throughputRps };
  const predictedMs = predictLatencyMs(rule, speed, { load, rateRps: promisedRps, serviceCapacityRps: sums.capacityRps });
  const stated = instance.predictedP99Ms;
  const right = stated === null || predictedMs === null ? stated === predictedMs : nearly(stated, predictedMs, predictionTolerance);
  if (!right) refuse('predictedP99Ms is not what the formula predicts.', `${show(predictedMs)} ms`, `${show(stated)} ms`);
  return violations;
}
