import { type InlayError, inlayError } from '../errors.js';
import { suggestNames } from './did-you-mean.js';
import type { ModelRows } from './index-rows.js';
import { batchesUntilAnswer, latencySpare, limitWithSpareMs } from './latency/predict-percentile.js';
import { describeSize } from './list-sizes.js';
import type { OperatingPoint } from './operating-point.js';
import { createPointFinder, type PointFinder } from './operating-points.js';
import { type RowRules, type Rule, rowLoad } from './row-rules.js';
import { showNumber } from './show-number.js';
import type { LatencyRule, PerformanceRow, Service, Workload } from './workload.js';

/** What became of a row: the best of its size, usable but not the best, or ruled out by the first rule that it breaks. */
export type RowVerdict =
  | { readonly kind: 'chosen' | 'usable'; readonly maxLoad: number; readonly plannedRps: number }
  | { readonly kind: 'unusable'; readonly rule: Rule; readonly reason: string };

/** A row that was considered. */
export interface ExplainedRow {
  readonly row: PerformanceRow;
  /** Time of one full batch, ms. */
  readonly serviceMs: number;
  readonly verdict: RowVerdict;
}

/** A size with the rows that were considered for it, by processes, then batch. */
export interface ExplainedSize {
  readonly pool: string;
  readonly profile: string;
  readonly rows: readonly ExplainedRow[];
}

/** Every row of a service's model, size by size, with what was decided and why. */
export interface ServiceExplanation {
  readonly service: string;
  readonly model: string;
  readonly rateRps: number;
  readonly latencyMs: number;
  readonly latency: LatencyRule;
  readonly sizes: readonly ExplainedSize[];
}

/** Tells for every row of a service, by name, whether it can be used, how far it may be loaded, and why not. Throws UNKNOWN_SERVICE. */
export function explainService(workload: Workload, name: string): ServiceExplanation {
  const service = workload.services.find((candidate) => candidate.name === name);
  if (service === undefined) throw unknownService(workload, name);
  const { model, rateRps, latencyMs, latency } = service;
  return {
    service: name,
    model,
    rateRps,
    latencyMs,
    latency,
    sizes: explainSizes(workload, createPointFinder(workload), service, rateRps),
  };
}

/** As `explainService`, at any rate and with a finder that exists already. */
export function explainSizes(workload: Workload, finder: PointFinder, service: Service, rateRps: number): ExplainedSize[] {
  const rows = finder.index.models.get(service.model);
  const points = finder.pointsOf(service, rateRps);
  const rules = finder.rulesOf(service, rateRps);
  const allowed = finder.allowedSizes(service);
  return finder.index.sizes.map((size, index) => {
    const { pool, profile } = describeSize(workload, size);
    const slice: Slice = {
      name: profile.name,
      pool: pool.name,
      memoryGiB: finder.index.sizeMemoryGiB[index] as number,
      allowed: allowed[index] === true,
    };
    const explained = rows === undefined ? [] : explainRows(service, rules, rows, index, slice, points[index]);
    return { pool: pool.name, profile: profile.name, rows: explained };
  });
}

function unknownService(workload: Workload, name: string): InlayError {
  const known = workload.services.map((service) => service.name);
  const hint = suggestNames(name, known);
  return inlayError('UNKNOWN_SERVICE', {
    message: `workload ${workload.name} has no service ${name}`,
    received: name,
    ...(hint === undefined ? {} : { hint }),
  });
}

interface Slice {
  readonly name: string;
  readonly pool: string;
  readonly memoryGiB: number;
  readonly allowed: boolean;
}

function explainRows(
  service: Service,
  rules: RowRules,
  rows: ModelRows,
  size: number,
  slice: Slice,
  point: OperatingPoint | undefined,
): ExplainedRow[] {
  const explained: ExplainedRow[] = [];
  for (let index = rows.starts[size] as number; index < (rows.starts[size + 1] as number); index++) {
    const row = rows.rows[index] as PerformanceRow;
    explained.push({ row, serviceMs: rows.serviceMs[index] as number, verdict: judge(service, rules, rows, index, slice, point) });
  }
  return explained.sort((a, b) => a.row.processes - b.row.processes || a.row.batch - b.row.batch);
}

function judge(
  service: Service,
  rules: RowRules,
  rows: ModelRows,
  index: number,
  slice: Slice,
  point: OperatingPoint | undefined,
): RowVerdict {
  const row = rows.rows[index] as PerformanceRow;
  const unusable = (rule: Rule, reason: string): RowVerdict => ({ kind: 'unusable', rule, reason });
  if (service.pools?.includes(slice.pool) === false)
    return unusable('profile', `${slice.pool} is not among the service's pools (${service.pools.join(', ')})`);
  if (!slice.allowed) return unusable('profile', `${slice.name} is not among the service's profiles (${service.profiles?.join(', ')})`);
  if (row.processes > rules.maxProcesses) return unusable('processes', `${row.processes} processes, at most ${rules.maxProcesses} allowed`);
  if (row.batch > rules.maxBatch) return unusable('batch', `batch ${row.batch}, at most ${rules.maxBatch} allowed`);
  const neededGiB = rows.memoryGiB[index] as number;
  if (neededGiB > slice.memoryGiB)
    return unusable('memory', `needs ${showNumber(neededGiB)} GiB, ${slice.name} has ${showNumber(slice.memoryGiB)}`);
  const maxLoad = rowLoad(rules, rows, index, slice.memoryGiB);
  if (maxLoad === 0) return unusable('latency', latencyReason(service, row, rows.serviceMs[index] as number));
  return { kind: point?.row === row ? 'chosen' : 'usable', maxLoad, plannedRps: maxLoad * row.throughputRps };
}

function latencyReason(service: Service, row: PerformanceRow, serviceMs: number): string {
  const { latency, latencyMs } = service;
  if (latency.kind === 'factor') {
    const allowed = `${showNumber(latency.factor * latencyMs)} ms (${latency.factor} × ${showNumber(latencyMs)} ms)`;
    return `latency ${showNumber(row.latencyMs)} ms is not below ${allowed}`;
  }
  const batches = showNumber(batchesUntilAnswer(latency, row.processes));
  const left = `${showNumber(limitWithSpareMs(latencyMs))} ms left of ${showNumber(latencyMs)} ms ÷ ${latencySpare}`;
  return `latency ${showNumber(serviceMs)} ms × ${batches} ≥ ${left}`;
}
