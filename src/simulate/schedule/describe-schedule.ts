import { entryOf } from '../../demand/entry-of.js';
import { describeSize } from '../../demand/list-sizes.js';
import { createPointFinder, type PointFinder } from '../../demand/operating-points.js';
import type { Service, Workload } from '../../demand/workload.js';
import type { RateStep } from '../arrival-source.js';
import { tabulateBatchTimes } from '../batch-times.js';
import { createRowFinder, type RowFinder } from '../find-rows.js';
import { listLifetimes, type NamedPod, type PodLifetime } from './pod-lifetimes.js';
import type { Period, Schedule } from './schedule.js';
import type { Phase, ScheduledPod, ScheduledService } from './scheduled-service.js';

const usualPercentile = 99;

/** Every service of a schedule as it is played: its rates, its pods and the phases, in the order in which workloads first name them. */
export function describeSchedule(schedule: Schedule): readonly ScheduledService[] {
  const lifetimes = new Map<string, PodLifetime[]>();
  for (const pod of listLifetimes(schedule.periods)) entryOf(lifetimes, pod.service, () => []).push(pod);
  const phases = listPhases(schedule);
  const makers = schedule.periods.map(({ startS, workload }) => ({ startMs: 1000 * startS, makePod: createPodMaker(workload) }));
  const names = [...new Set(schedule.periods.flatMap(({ workload }) => workload.services.map(({ name }) => name)))];
  return names.map((name) => {
    const byPeriod = schedule.periods.map(({ workload }) => workload.services.find((service) => service.name === name));
    const known = byPeriod.filter((service) => service !== undefined);
    const first = known[0] as Service;
    const limitAt = (ms: number) => (byPeriod[periodAt(schedule, ms)] ?? first).latencyMs;
    return {
      name,
      limitsMs: phases.map(({ fromMs }) => limitAt(fromMs)),
      percentile: first.latency.kind === 'percentile' ? first.latency.percentile : usualPercentile,
      burstiness: first.latency.kind === 'percentile' ? first.latency.burstiness : 1,
      rates: schedule.periods.flatMap((period, i) => listRates(period, endOf(schedule, i), byPeriod[i])),
      pods: (lifetimes.get(name) ?? []).map((pod): ScheduledPod => {
        const maker =
          makers.findLast(({ startMs, makePod }) => startMs <= pod.opensMs && makePod.knows(name)) ??
          makers.find(({ makePod }) => makePod.knows(name));
        const { opensMs, closesMs, endsMs } = pod;
        return { instance: (maker as (typeof makers)[number]).makePod.instanceOf(pod), opensMs, closesMs, endsMs };
      }),
      phases,
    };
  });
}

/** Cut where rates change, moves begin and moves end; a move that reaches into other phases makes those parts of itself. */
function listPhases({ periods, endS }: Schedule): readonly Phase[] {
  const moves = periods.flatMap(({ serving }) =>
    serving.kind === 'transition' ? [{ fromS: serving.startS, toS: Math.min(endS, serving.startS + serving.transition.makespanS) }] : [],
  );
  const cuts = new Set([endS, ...periods.map(({ startS }) => startS), ...moves.flatMap(({ fromS, toS }) => [fromS, toS])]);
  const times = [...cuts].filter((time) => time <= endS).sort((a, b) => a - b);
  return times.slice(1).map((toS, i) => {
    const fromS = times[i] as number;
    const isMove = moves.some((move) => move.fromS < toS && move.toS > fromS);
    return { kind: isMove ? 'move' : 'steady', fromMs: 1000 * fromS, toMs: 1000 * toS };
  });
}

function periodAt({ periods }: Schedule, ms: number): number {
  return periods.findLastIndex(({ startS }) => 1000 * startS <= ms);
}

function endOf({ periods, endS }: Schedule, i: number): number {
  return periods[i + 1]?.startS ?? endS;
}

function listRates({ startS }: Period, endS: number, service: Service | undefined): RateStep[] {
  const lengthMs = 1000 * (endS - startS);
  if (service?.traffic === undefined) return [{ lengthMs, rateRps: service?.rateRps ?? 0 }];
  const { meanRps, windowS, rates } = service.traffic;
  const windows = Math.ceil(lengthMs / (1000 * windowS));
  return Array.from({ length: windows }, (_, i) => ({
    lengthMs: Math.min(1000 * windowS, lengthMs - 1000 * windowS * i),
    rateRps: meanRps * (rates[i % rates.length] as number),
  }));
}

/** Makes instances from rows of one workload; their weight is what the workload's rules let them carry. */
function createPodMaker(workload: Workload) {
  const rowsOf: RowFinder = createRowFinder(workload);
  const finder: PointFinder = createPointFinder(workload);
  const services = new Map(workload.services.map((service) => [service.name, service]));
  const plannedShare = (service: Service, pod: NamedPod): number => {
    const size = finder.index.sizes.findIndex((entry) => {
      const { pool, profile } = describeSize(workload, entry);
      return pool.name === pod.pool && profile.name === pod.profile;
    });
    return finder.pointsOf(service, service.rateRps)[size]?.maxLoad ?? 1;
  };
  return {
    knows: (name: string) => services.has(name),
    instanceOf: (pod: NamedPod): ScheduledPod['instance'] => {
      const service = services.get(pod.service) as Service;
      const rows = rowsOf(service, pod.pool, pod);
      const capacityRps = rows.find(({ batch }) => batch === pod.batch)?.throughputRps as number;
      const weight = capacityRps * plannedShare(service, pod);
      return { processes: pod.processes, maxBatch: pod.batch, capacityRps, weight, batchMs: tabulateBatchTimes(rows, pod.batch) };
    },
  };
}
