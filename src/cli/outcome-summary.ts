import { rankOutcomes, shareInTime } from '../simulate/rank-outcomes.js';
import type { Estimate, MeasuredOutcome, ServiceOutcome } from '../simulate/service-outcome.js';
import { formatCount, formatNumber } from './format-number.js';
import { type Column, formatTable } from './text-table.js';

/** Most services listed; the rest is counted. */
const mostLines = 40;

const columns: readonly Column[] = [
  { title: 'service' },
  { title: 'limit ms', align: 'right' },
  { title: 'within %', align: 'right' },
  { title: 'p50 ms', align: 'right' },
  { title: 'p90', align: 'right' },
  { title: 'p95', align: 'right' },
  { title: 'p99 ms', align: 'right' },
  { title: 'max', align: 'right' },
  { title: 'load', align: 'right' },
  { title: 'batch', align: 'right' },
  { title: 'busy', align: 'right' },
  { title: 'requests', align: 'right' },
  { title: '' },
];

/** Outcomes for people, worst first: a line a service, then the verdict. */
export function summarizeOutcomes(name: string, ranked: readonly ServiceOutcome[]): string {
  const total = ranked.reduce((sum, { requests }) => sum + requests, 0);
  const head = `${name}: ${formatCount(ranked.length, 'service')}, ${formatRequests(total)} requests simulated`;
  const rest = ranked.length - mostLines;
  const more = rest > 0 ? `  … and ${formatCount(rest, 'more service')} (all of them with --json)\n` : '';
  return `${head}\n\n${formatTable(columns, ranked.slice(0, mostLines).map(rowOf))}${more}\n${verdictOf(ranked)}\n`;
}

/** The verdict in a sentence. */
export function verdictOf(outcomes: readonly ServiceOutcome[]): string {
  if (outcomes.length === 0) return 'No service has any requests.';
  const missing = outcomes.filter(({ verdict }) => verdict !== 'meets');
  const percentiles = [...new Set(outcomes.map(({ percentile }) => percentile))];
  const share = percentiles.length === 1 ? `${formatNumber(percentiles[0] as number)} %` : 'its percentile';
  const unsettled = missing.filter((outcome) => outcome.kind === 'overloaded' || outcome.verdict === 'unsettled').length;
  const why = unsettled === 0 ? '' : ` (${unsettled} of them did not settle)`;
  const inTime = `${formatShare(shareInTime(outcomes))} % of all requests are in time.`;
  if (missing.length === 0) return `Every service has ${share} of its requests within its limit. ${inTime}`;
  const verb = missing.length === 1 ? 'misses' : 'miss';
  return `${missing.length} of ${formatCount(outcomes.length, 'service')} ${verb} ${share.replace('its', 'their')}${why}. ${inTime}`;
}

/** Outcomes as data: without the latency counts. */
export function outcomesToJson(outcomes: readonly ServiceOutcome[]): unknown {
  return {
    kind: outcomes.every(({ verdict }) => verdict === 'meets') ? 'meets' : 'misses',
    shareInTime: shareInTime(outcomes),
    services: rankOutcomes(outcomes).map((outcome) => (outcome.kind === 'measured' ? withoutCounts(outcome) : outcome)),
  };
}

function withoutCounts({ counts: _, ...outcome }: MeasuredOutcome): unknown {
  return outcome;
}

function rowOf(outcome: ServiceOutcome): string[] {
  const { name, limitMs, load, requests } = outcome;
  if (outcome.kind === 'overloaded') {
    return [name, formatNumber(limitMs), '–', '–', '–', '–', '–', '–', load.toFixed(3), '–', '–', '0', 'overloaded: cannot settle'];
  }
  const shared = [load.toFixed(3), formatNumber(outcome.meanBatch), `${Math.round(100 * outcome.busy)} %`, formatRequests(requests)];
  if (outcome.verdict === 'unsettled') return [name, formatNumber(limitMs), '–', '–', '–', '–', '–', '–', ...shared, 'not settled'];
  const { within, p50Ms, p90Ms, p95Ms, p99Ms, maxMs } = outcome;
  const quantiles = [p50Ms, p90Ms, p95Ms].map(({ value }) => formatNumber(round(value)));
  const numbers = [formatShare(within.value), ...quantiles, formatEstimate(p99Ms), formatNumber(round(maxMs))];
  return [name, formatNumber(limitMs), ...numbers, ...shared, outcome.verdict === 'misses' ? 'misses' : ''];
}

function formatEstimate({ value, halfWidth }: Estimate): string {
  // Without chance in the arrivals only the dust of floating point is left.
  return Number.isNaN(halfWidth) || halfWidth < 1e-6 * value
    ? formatNumber(round(value))
    : `${formatNumber(round(value))} ±${Number(halfWidth.toPrecision(2))}`;
}

/** Latencies are known to three digits at best. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}

/** A share in percent; never rounded up to 100. */
function formatShare(share: number): string {
  return share >= 1 ? '100' : (Math.floor(share * 1e5) / 1000).toFixed(share > 0.999 ? 3 : 2);
}

function formatRequests(count: number): string {
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} M`;
  return count >= 1e3 ? `${Math.round(count / 1e3)} k` : String(count);
}
