import type { TraceShape } from '../demand/traffic/describe-trace.js';
import { formatNumber } from './format-number.js';
import { printable } from './printable.js';
import { formatTable } from './text-table.js';

/** A trace for people: how uneven it is, and what a workload should say. */
export function summarizeTrace(file: string, shape: TraceShape): string {
  const { requests, seconds, meanRps, gapVariation, localVariation, windows } = shape;
  const lines = [
    `${printable(file)}: ${requests} requests in ${formatNumber(seconds)} s, ${formatNumber(meanRps)} a second on average`,
    ...(gapVariation === undefined ? [] : [`deviation ÷ mean of the gaps: ${formatNumber(gapVariation)} (a Poisson process has 1)`]),
    ...(localVariation === undefined ? [] : [`the same within windows of 30 s: ${formatNumber(localVariation)}`]),
  ];
  const table = formatTable(
    [
      { title: 'window', align: 'right' },
      { title: 'variance ÷ mean of the counts', align: 'right' },
      { title: 'peak ÷ mean', align: 'right' },
    ],
    windows.map(({ windowS, varianceToMean, peakToMean }) => [`${windowS} s`, formatNumber(varianceToMean), formatNumber(peakToMean)]),
  );
  return `${lines.join('\n')}\n\n${table}\n${adviceOf(file, shape)}`;
}

function adviceOf(file: string, { settings }: TraceShape): string {
  if (settings === undefined) return 'The trace is too short to plan by: it has less than two windows of 30 s.\n';
  const { windowS, quantile, burstiness, factor } = settings;
  const rule = `latency: {percentile: 99, burstiness: ${burstiness}, trace: ${JSON.stringify(file)}, window: ${formatNumber(windowS)}s, quantile: ${quantile}}`;
  return [
    `Plan a service with such traffic at ${formatNumber(factor)} × its mean rate:`,
    `${100 * quantile} % of the requests fall into windows of ${formatNumber(windowS)} s in which the rate is no higher. In a workload:`,
    '',
    `  ${printable(rule)}`,
    '',
  ].join('\n');
}
