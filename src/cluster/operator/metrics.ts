import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Decision } from '../decide/decide.js';
import { createStepTimes } from './time-steps.js';

/** What the operator tells a Prometheus. */
export interface OperatorMetrics {
  /** The text of `/metrics`. */
  render(): Promise<string>;
  observePlanning(group: string, seconds: number): void;
  observeLoop(seconds: number): void;
  countWrite(kind: string, outcome: 'done' | 'overtaken' | 'refused'): void;
  countRequest(verb: string, status: number): void;
  countError(where: 'planning' | 'loop' | 'watch' | 'election'): void;
  setLeading(leads: boolean): void;
  /** Facts of the last look at the cluster; `nowMs` times the steps. */
  show(decision: Decision, nowMs: number): void;
}

export function createMetrics(): OperatorMetrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `inlay_${name}`, help, labelNames, registers });
  const counter = (name: string, help: string, labelNames: string[]) => new Counter({ name: `inlay_${name}`, help, labelNames, registers });
  const seconds = (name: string, help: string, labelNames: string[] = []) =>
    new Histogram({
      name: `inlay_${name}`,
      help,
      labelNames,
      registers,
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900],
    });
  const planning = seconds('plan_seconds', 'Time to make a plan.', ['group']);
  const loop = seconds('loop_seconds', 'Time of one look at the cluster with its decision, planning included.');
  const steps = seconds(
    'step_seconds',
    'Time from when a step could run to when its effect was seen, at most the time between two looks too long.',
    ['kind'],
  );
  const writes = counter('writes_total', 'Writes to the API server.', ['kind', 'outcome']);
  const requests = counter('api_requests_total', 'Requests to the API server by verb and HTTP status.', ['verb', 'status']);
  const errors = counter('errors_total', 'Things that went wrong and are tried again.', ['where']);
  const leading = gauge('leader', '1 while this process leads.');
  const gpus = gauge('plan_gpus', 'GPUs of the plan.', ['group']);
  const bound = gauge('plan_bound_gpus', 'Proven lower limit of GPUs.', ['group']);
  const cost = gauge('plan_cost', 'Price of the GPUs of the plan, where pools have different prices.', ['group']);
  const costBound = gauge('plan_bound_cost', 'Proven lower limit of the cost, where pools have different prices.', ['group']);
  const gap = gauge('plan_gap_ratio', '(achieved - bound) / achieved: of the cost where pools have different prices, else of GPUs.', [
    'group',
  ]);
  const left = gauge('plan_steps_left', 'Steps that are not done.', ['group']);
  const stuck = gauge('plan_stuck', '1 while a step has failed for good.', ['group']);
  const used = gauge('pool_gpus', 'GPUs of a pool.', ['pool', 'use']);
  const free = gauge('pool_free_slices', 'Memory slices of usable GPUs that no own pod holds.', ['pool']);
  const demand = gauge('service_demand_rps', 'Demand of a service, requests per second.', ['service']);
  const ready = gauge('service_ready_rps', 'Throughput of the ready pods of a service, requests per second.', ['service']);
  const timeSteps = createStepTimes();

  return {
    render: () => registry.metrics(),
    observePlanning: (group, time) => planning.observe({ group }, time),
    observeLoop: (time) => loop.observe(time),
    countWrite: (kind, outcome) => writes.inc({ kind, outcome }),
    countRequest: (verb, status) => requests.inc({ verb, status: String(status) }),
    countError: (where) => errors.inc({ where }),
    setLeading: (leads) => leading.set(Number(leads)),
    show(decision, nowMs) {
      for (const { kind, seconds: time } of timeSteps(decision.groups, nowMs)) steps.observe({ kind }, time);
      for (const one of [gpus, bound, cost, costBound, gap, left, stuck, used, free, demand, ready]) one.reset();
      for (const { name: group, plan, work, services } of decision.groups) {
        for (const service of services) {
          demand.set({ service: service.key }, service.rateRps);
          ready.set({ service: service.key }, service.readyRps);
        }
        if (plan === undefined) continue;
        const { spec } = plan;
        gpus.set({ group }, spec.gpus);
        bound.set({ group }, spec.bound);
        if (spec.cost !== undefined) cost.set({ group }, spec.cost);
        if (spec.costBound !== undefined) costBound.set({ group }, spec.costBound);
        const [achieved, proven] = [spec.cost ?? spec.gpus, spec.costBound ?? spec.bound];
        gap.set({ group }, achieved === 0 ? 0 : (achieved - proven) / achieved);
        left.set({ group }, work === undefined ? 0 : (plan.status?.steps?.total ?? 0) - work.progress.done.size);
        stuck.set({ group }, Number((work?.failures.length ?? 0) > 0));
      }
      for (const {
        pool: { metadata, status },
      } of decision.pools) {
        const pool = metadata.name;
        used.set({ pool, use: 'all' }, status?.gpus ?? 0);
        used.set({ pool, use: 'used' }, status?.gpusUsed ?? 0);
        used.set({ pool, use: 'reserved' }, status?.gpusReserved ?? 0);
        free.set({ pool }, status?.freeSlices ?? 0);
      }
    },
  };
}
