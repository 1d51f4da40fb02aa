import type { PlanDocument } from '../demand/documents/plan.js';
import { unfoldPlan } from '../demand/documents/unfold-plan.js';
import { writeCsv } from './write-csv.js';

const header = [
  'gpu',
  'pool',
  'type',
  'profile',
  'start',
  'service',
  'batch',
  'processes',
  'capacity_rps',
  'planned_capacity_rps',
  'weight',
  'planned_load',
  'predicted_p99_ms',
];

/** A plan as CSV (as by `writeCsv`), one row an instance in the order of the plan; an unknown prediction is empty. */
export function toPlanCsv(plan: PlanDocument): string {
  const rows = unfoldPlan(plan).gpus.flatMap(({ id, pool, type, instances }) =>
    instances.map((instance) => [
      id,
      pool,
      type,
      instance.profile,
      instance.start,
      instance.service,
      instance.batch,
      instance.processes,
      instance.capacityRps,
      instance.plannedCapacityRps,
      instance.weight,
      instance.plannedLoad,
      instance.predictedP99Ms ?? '',
    ]),
  );
  return writeCsv([header, ...rows]);
}
