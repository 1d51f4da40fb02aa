import { entryOf } from '../../demand/entry-of.js';
import { showNumber } from '../../demand/show-number.js';
import { type Problem, problem } from '../../errors.js';
import { type BestPoint, describeSetting } from './load-sweep.js';
import type { Setting } from './resolve-setting.js';

/** A row before it is written: its setting and the point it came from. */
export interface ImportedPoint extends BestPoint {
  readonly setting: Setting;
}

/** Pipelining and rounding explain this much. */
const overlapTolerance = 0.05;

/** Repeated measurements of one setting differ this much. */
const noise = 0.01;

/** A slip of units is a factor of 1000; tails and batches of the client stay below this. */
const unitFactor = 100;

/** Most findings of one kind that a note names. */
const mostNamed = 5;

/**
 * Says what looks wrong about rows and changes nothing: throughput above what the latency allows, throughput that falls with
 * more slices, latency that rises with fewer processes, and latencies that do not fit the load by orders of magnitude.
 */
export function checkImportedRows(rows: readonly ImportedPoint[]): readonly Problem[] {
  return [
    ...throughputAboveLatency(rows),
    ...report(
      'SCALING_SUSPECT',
      pairs(rows).flatMap(([a, b]) => scalingSuspect(a, b)),
    ),
    ...report('UNIT_SUSPECT', rows.flatMap(unitSuspect)),
  ];
}

interface Finding {
  readonly row: ImportedPoint;
  readonly message: string;
}

function report(code: 'SCALING_SUSPECT' | 'UNIT_SUSPECT', findings: readonly Finding[]): readonly Problem[] {
  const named = findings.slice(0, mostNamed).map(({ row, message }) => {
    const { file, line } = row.point;
    return problem(code, { message, file, line, column: 1 });
  });
  const last = named.at(-1);
  if (last === undefined || findings.length === named.length) return named;
  return [...named.slice(0, -1), { ...last, message: `${last.message} (and ${findings.length - named.length} more rows)` }];
}

/** One note for all rows: under load it is the rule, because the latency of a request holds its waiting. */
function throughputAboveLatency(rows: readonly ImportedPoint[]): readonly Problem[] {
  const mostRps = ({ setting, latencyMs }: ImportedPoint) => (1000 * setting.batch * setting.processes) / latencyMs;
  const above = rows.filter((row) => row.point.throughputRps > mostRps(row) * (1 + overlapTolerance));
  const [first] = above;
  if (first === undefined) return [];
  const { setting, point } = first;
  const count = above.length === 1 ? '1 row has' : `${above.length} rows have`;
  const example = `${describeSetting(setting)} has ${showNumber(point.throughputRps)} rps and ${showNumber(mostRps(first))} rps`;
  const message = `${count} a throughput above processes × batch ÷ latency, because requests overlap or wait: ${example}.`;
  return [problem('THROUGHPUT_ABOVE_LATENCY', { message, file: point.file, line: point.line, column: 1 })];
}

function unitSuspect(row: ImportedPoint): readonly Finding[] {
  const { setting, point, latencyMs } = row;
  if (!point.load.kind.endsWith('concurrency')) return [];
  // So many requests are in flight, so by Little's law this is their mean latency; a client's batches make it longer.
  const meanMs = (1000 * point.load.value) / point.throughputRps;
  const slip = latencyMs < meanMs / unitFactor ? 'small' : latencyMs > meanMs * setting.batch * unitFactor ? 'large' : undefined;
  if (slip === undefined) return [];
  const message = `${describeSetting(setting)}: latency ${showNumber(latencyMs)} ms is too ${slip} for ${point.load.value} requests in flight at ${showNumber(point.throughputRps)} rps, which take about ${showNumber(meanMs)} ms.`;
  return [{ row, message }];
}

/** Rows that differ in nothing but the profile or the processes; neighbours only, so that one slip is told once. */
function pairs(rows: readonly ImportedPoint[]): readonly (readonly [ImportedPoint, ImportedPoint])[] {
  const bySlices = neighbours(
    rows,
    ({ setting }) => [setting.model, setting.gpu.name, setting.batch, setting.processes].join('\n'),
    ({ setting }) => setting.profile.computeSlices,
  );
  const byProcesses = neighbours(
    rows,
    ({ setting }) => [setting.model, setting.gpu.name, setting.profile.name, setting.batch].join('\n'),
    ({ setting }) => setting.processes,
  );
  return [...bySlices, ...byProcesses];
}

function neighbours(
  rows: readonly ImportedPoint[],
  groupOf: (row: ImportedPoint) => string,
  orderOf: (row: ImportedPoint) => number,
): readonly (readonly [ImportedPoint, ImportedPoint])[] {
  const groups = new Map<string, ImportedPoint[]>();
  for (const row of rows) entryOf(groups, groupOf(row), () => []).push(row);
  return [...groups.values()].flatMap((group) => {
    const sorted = group.toSorted((a, b) => orderOf(a) - orderOf(b));
    return sorted.slice(1).map((row, index) => [sorted[index] as ImportedPoint, row] as const);
  });
}

function scalingSuspect(small: ImportedPoint, large: ImportedPoint): readonly Finding[] {
  const [a, b] = [small.setting, large.setting];
  if (b.profile.computeSlices > a.profile.computeSlices && large.point.throughputRps < small.point.throughputRps * (1 - noise)) {
    const message = `${describeSetting(b)}: ${showNumber(large.point.throughputRps)} rps is less than the ${showNumber(small.point.throughputRps)} rps on ${a.profile.name}.`;
    return [{ row: large, message }];
  }
  if (b.processes > a.processes && small.latencyMs > large.latencyMs * (1 + noise)) {
    const message = `${describeSetting(a)}: latency ${showNumber(small.latencyMs)} ms is above the ${showNumber(large.latencyMs)} ms with ${b.processes} processes.`;
    return [{ row: small, message }];
  }
  return [];
}
