import { problem } from '../errors.js';
import type { Conflict } from './conflict.js';
import { explainSizes } from './explain-service.js';
import type { ModelRows } from './index-rows.js';
import { batchesUntilAnswer, latencySpare, limitWithSpareMs } from './latency/predict-percentile.js';
import { describeSize } from './list-sizes.js';
import { ofAnyProfile, type PointFinder } from './operating-points.js';
import { type Rule, rowLoad } from './row-rules.js';
import { roundUp, showNumber } from './show-number.js';
import type { PerformanceRow, Service, Workload } from './workload.js';

/** A rule that alone keeps a service from running: what the best row has, what the rule allows, and what would help. */
interface Obstacle {
  readonly message: string;
  readonly needed?: number;
  readonly available?: number;
  readonly remedy: string;
}

/** A row on a size, with what the slice offers. */
interface Candidate {
  readonly rows: ModelRows;
  readonly index: number;
  readonly row: PerformanceRow;
  readonly where: string;
  readonly profile: string;
  readonly memoryGiB: number;
}

/** The rules that can alone be in the way, in the order in which they are named. */
const rules: readonly Exclude<Rule, 'utilization'>[] = ['latency', 'memory', 'processes', 'batch', 'profile'];

/**
 * Why a service has no operating point at a rate: the rule in the way with the numbers of the best row, and as hint every single change
 * that would let it run. Undefined when it has one.
 */
export function whyNone(workload: Workload, finder: PointFinder, service: Service, rateRps: number): Conflict | undefined {
  if (finder.pointsOf(service, rateRps).some((point) => point !== undefined)) return undefined;
  const obstacles = rules.flatMap((rule) => {
    const candidates = usableWithout(workload, finder, service, rateRps, rule);
    return candidates.length === 0 ? [] : [findObstacle(rule, workload, service, candidates)];
  });
  const [first] = obstacles;
  if (first === undefined) return noSingleRule(workload, finder, service, rateRps);
  return problemOf(service, { ...first, remedy: `${sentence(obstacles.map(({ remedy }) => remedy).join(', or '))}.` });
}

function problemOf(service: Service, obstacle: Obstacle): Conflict {
  const { message, hint } = problem('SERVICE_CANNOT_RUN', {
    message: `service ${service.name} cannot run: ${obstacle.message}`,
    hint: obstacle.remedy,
  });
  return {
    code: 'SERVICE_CANNOT_RUN',
    service: service.name,
    message,
    ...(obstacle.needed === undefined ? {} : { needed: obstacle.needed }),
    ...(obstacle.available === undefined ? {} : { available: obstacle.available }),
    ...(hint === undefined ? {} : { hint }),
  };
}

/** Rows that every rule but `lifted` allows. */
function usableWithout(workload: Workload, finder: PointFinder, service: Service, rateRps: number, lifted: Rule): Candidate[] {
  const rows = finder.index.models.get(service.model);
  if (rows === undefined) return [];
  const rowRules = finder.rulesOf(service, rateRps, lifted);
  const allowed = finder.allowedSizes(lifted === 'profile' ? ofAnyProfile(service) : service);
  return finder.index.sizes.flatMap((place, size) => {
    if (allowed[size] !== true) return [];
    const { pool, profile } = describeSize(workload, place);
    const memoryGiB = finder.index.sizeMemoryGiB[size] as number;
    const candidates: Candidate[] = [];
    for (let index = rows.starts[size] as number; index < (rows.starts[size + 1] as number); index++) {
      if (rowLoad(rowRules, rows, index, memoryGiB) === 0) continue;
      const row = rows.rows[index] as PerformanceRow;
      candidates.push({ rows, index, row, where: `${profile.name} of pool ${pool.name}`, profile: profile.name, memoryGiB });
    }
    return candidates;
  });
}

function findObstacle(rule: (typeof rules)[number], workload: Workload, service: Service, candidates: readonly Candidate[]): Obstacle {
  switch (rule) {
    case 'latency':
      return latencyObstacle(service, candidates);
    case 'memory': {
      const { row, index, rows, where, memoryGiB } = leastBy(
        candidates,
        (one) => (one.rows.memoryGiB[one.index] as number) / one.memoryGiB,
      );
      const needed = rows.memoryGiB[index] as number;
      return {
        message: `its row that fits best (${describeRow(row)}) needs ${showNumber(needed)} GiB, and ${where} has ${showNumber(memoryGiB)} GiB`,
        needed,
        available: memoryGiB,
        remedy: `offer a slice with ${showNumber(needed)} GiB or more`,
      };
    }
    case 'processes': {
      const needed = Math.min(...candidates.map(({ row }) => row.processes));
      return {
        message: `its rows that would do need ${count(needed, 'process', 'processes')}, and at most ${workload.maxProcesses} may share an instance`,
        needed,
        available: workload.maxProcesses,
        remedy: `set processes.max to ${needed} or more`,
      };
    }
    case 'batch': {
      const needed = Math.min(...candidates.map(({ row }) => row.batch));
      return {
        message: `its rows that would do have batch ${needed} at least, and maxBatch is ${service.maxBatch}`,
        needed,
        available: service.maxBatch,
        remedy: `set maxBatch to ${needed} or more`,
      };
    }
    case 'profile': {
      const names = [...new Set(candidates.map(({ profile }) => profile))];
      return {
        message: `no row does on the profiles it may use (${service.profiles?.join(', ')})`,
        remedy: `allow the profile ${names.join(' or ')}`,
      };
    }
  }
}

function latencyObstacle(service: Service, candidates: readonly Candidate[]): Obstacle {
  const { latency, latencyMs } = service;
  if (latency.kind === 'factor') {
    const { row, where } = leastBy(candidates, (one) => one.row.latencyMs);
    const needed = roundUp(row.latencyMs / latency.factor);
    return {
      message: `its fastest row (${describeRow(row)} on ${where}) has latency ${showNumber(row.latencyMs)} ms, and ${latency.factor} × ${showNumber(latencyMs)} ms allows less than ${showNumber(latency.factor * latencyMs)} ms`,
      needed,
      available: latencyMs,
      remedy: raiseLatency(needed),
    };
  }
  const leastMs = ({ rows, index, row }: Candidate) => {
    const queueMs = batchesUntilAnswer(latency, row.processes) * (rows.serviceMs[index] as number);
    const singleMs = rows.singleMs[index] as number;
    return latency.burstiness > 1 || Number.isNaN(singleMs) ? queueMs : Math.min(queueMs, singleMs);
  };
  const best = leastBy(candidates, leastMs);
  const answerMs = leastMs(best);
  const needed = roundUp(answerMs * latencySpare);
  return {
    message: `its fastest row (${describeRow(best.row)} on ${best.where}) answers in ${showNumber(answerMs)} ms at best, and ${showNumber(latencyMs)} ms ÷ ${latencySpare} allows ${showNumber(limitWithSpareMs(latencyMs))} ms`,
    needed,
    available: latencyMs,
    remedy: raiseLatency(needed),
  };
}

function raiseLatency(neededMs: number): string {
  return `raise latencyMs to ${neededMs} or more`;
}

/** The answer when more than one rule must give way: how many rows each rules out. */
function noSingleRule(workload: Workload, finder: PointFinder, service: Service, rateRps: number): Conflict {
  const counts = new Map<Rule, number>();
  for (const { rows } of explainSizes(workload, finder, service, rateRps)) {
    for (const { verdict } of rows) if (verdict.kind === 'unusable') counts.set(verdict.rule, (counts.get(verdict.rule) ?? 0) + 1);
  }
  if (counts.size === 0) {
    return problemOf(service, {
      message: `no pool offers a slice on which ${service.model} was measured`,
      remedy: 'Offer such a slice, or measure the model on these.',
    });
  }
  const reasons = [...counts].map(([rule, rows]) => `${count(rows, 'row', 'rows')} by ${rule}`).join(', ');
  return problemOf(service, {
    message: `every row is ruled out (${reasons}), and no single change is enough`,
    remedy: 'Run with --explain for every row and its reason.',
  });
}

function describeRow(row: PerformanceRow): string {
  return `batch ${row.batch}, ${count(row.processes, 'process', 'processes')}`;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function leastBy<T>(items: readonly T[], measure: (item: T) => number): T {
  return items.reduce((best, item) => (measure(item) < measure(best) ? item : best));
}
