import type { ExplainedRow, ExplainedSize, ServiceExplanation } from '../demand/explain-service.js';
import type { LatencyRule } from '../demand/workload.js';
import { formatNumber } from './format-number.js';
import { type Column, formatTable } from './text-table.js';

const columns: readonly Column[] = [
  { title: '' },
  { title: 'batch', align: 'right' },
  { title: 'processes', align: 'right' },
  { title: 'measured rps', align: 'right' },
  { title: 'batch ms', align: 'right' },
  { title: 'largest load', align: 'right' },
  { title: 'planned rps', align: 'right' },
  { title: 'why not' },
];

/** Every row of a service, slice by slice: the one that is chosen (marked >), what the others could do, and why some cannot be used. */
export function summarizeExplanation(explanation: ServiceExplanation): string {
  const { service, model, rateRps, latencyMs, latency, sizes } = explanation;
  const head = `${service}: model ${model}, ${formatNumber(rateRps)} rps within ${formatNumber(latencyMs)} ms, ${ruleText(latency)}\n`;
  return [head, ...sizes.map(sizeText)].join('\n');
}

function ruleText(latency: LatencyRule): string {
  if (latency.kind === 'factor') return `factor rule: latency below ${latency.factor} × the limit`;
  const { percentile, rule, burstiness, router } = latency;
  return `${percentile}th percentile, ${rule} rule, ${router} router${burstiness === 1 ? '' : `, burstiness ${formatNumber(burstiness)}`}`;
}

function sizeText({ profile, pool, rows }: ExplainedSize): string {
  if (rows.length === 0) return `${profile} of pool ${pool}: no measured rows\n`;
  return `${profile} of pool ${pool}\n${formatTable(columns, rows.map(rowText))}`;
}

function rowText({ row, serviceMs, verdict }: ExplainedRow): string[] {
  const measured = [String(row.batch), String(row.processes), formatNumber(row.throughputRps), formatNumber(serviceMs)];
  if (verdict.kind === 'unusable') return ['', ...measured, '–', '–', `${verdict.rule}: ${verdict.reason}`];
  return [verdict.kind === 'chosen' ? '>' : '', ...measured, formatNumber(verdict.maxLoad), formatNumber(verdict.plannedRps), ''];
}
