import { type Problem, problem } from '../../errors.js';
import { describeLoad, describePercentile, type LoadPoint, type Percentile } from './load-point.js';
import { type CompactPoint, createPointColumns } from './point-columns.js';
import type { Setting } from './resolve-setting.js';

/** A point of a sweep that can become its row. */
export interface BestPoint {
  readonly point: LoadPoint;
  readonly latencyMs: number;
}

/** A point that was measured under the same load as an earlier one and gives other numbers. */
export interface Contradiction {
  readonly point: CompactPoint;
  readonly earlier: CompactPoint;
}

/** What became of the points of a sweep. */
export interface SweepOutcome {
  /** The point of highest throughput that ran and whose latency is finite; of equal ones that of lowest latency. */
  readonly best: BestPoint | undefined;
  readonly contradictions: readonly Contradiction[];
  /** Says which points did not become the row, and why; absent when there are none. */
  readonly leftOut: Problem | undefined;
}

/** The points of one setting, of which the best becomes the row. */
export interface LoadSweep {
  readonly setting: Setting;
  /** Where its first point stands. */
  readonly first: LoadPoint;
  /** Takes a point, with its latency in ms, NaN when it is not finite. */
  add(point: LoadPoint, latencyMs: number): void;
  finish(percentile: Percentile): SweepOutcome;
}

/** Most points named in a note. */
const mostNamed = 10;

/** Starts a sweep with its setting and where it was first seen. */
export function createLoadSweep(setting: Setting, first: LoadPoint): LoadSweep {
  const columns = createPointColumns();
  let best: BestPoint | undefined;
  let bestIndex = -1;

  const isBetter = (throughputRps: number, latencyMs: number): boolean => {
    if (throughputRps === 0 || Number.isNaN(latencyMs)) return false;
    if (best === undefined || throughputRps > best.point.throughputRps) return true;
    return throughputRps === best.point.throughputRps && latencyMs < best.latencyMs;
  };

  return {
    setting,
    first,
    add(point, latencyMs) {
      const { load, throughputRps, file, line } = point;
      if (isBetter(throughputRps, latencyMs)) {
        best = { point, latencyMs };
        bestIndex = columns.size;
      }
      const kind = load.isUnknown === true ? `${load.kind} in ${file}` : load.kind;
      columns.add({ kind, value: load.value, throughputRps, latencyMs, file, line });
    },
    finish(percentile) {
      const firstOfLoad = columns.firstOfLoad();
      const contradictions: Contradiction[] = [];
      const named: string[] = [];
      let others = 0;
      for (let index = 0; index < columns.size; index++) {
        const earlierIndex = firstOfLoad[index] as number;
        if (earlierIndex !== index) {
          const [point, earlier] = [columns.at(index), columns.at(earlierIndex)];
          if (!hasSameNumbers(point, earlier)) contradictions.push({ point, earlier });
        } else if (index !== bestIndex) {
          others += 1;
          if (named.length < mostNamed) named.push(describeLeftOut(columns.at(index), best, percentile));
        }
      }
      const leftOut = best === undefined || others === 0 ? undefined : noteLeftOut(setting, best.point, named, others);
      return { best, contradictions, leftOut };
    },
  };
}

function hasSameNumbers(a: CompactPoint, b: CompactPoint): boolean {
  return a.throughputRps === b.throughputRps && Object.is(a.latencyMs, b.latencyMs);
}

function describeLeftOut(point: CompactPoint, best: BestPoint | undefined, percentile: Percentile): string {
  if (point.throughputRps === 0) return `${describeLoad(point)} (did not run)`;
  if (Number.isNaN(point.latencyMs)) return `${describeLoad(point)} (no finite ${describePercentile(percentile)})`;
  const isEqual = point.throughputRps === best?.point.throughputRps;
  return `${describeLoad(point)} (${isEqual ? 'same throughput, latency not lower' : 'lower throughput'})`;
}

function noteLeftOut(setting: Setting, { load, file, line }: LoadPoint, named: readonly string[], count: number): Problem {
  const more = count > named.length ? `, and ${count - named.length} more` : '';
  const message = `${describeSetting(setting)}: kept ${describeLoad(load)}; left out ${named.join(', ')}${more}.`;
  return problem('POINTS_LEFT_OUT', { message, file, line, column: 1 });
}

/** A setting in words. */
export function describeSetting({ model, gpu, profile, batch, processes }: Setting): string {
  return `${model} on ${gpu.name} ${profile.name}, batch ${batch}, processes ${processes}`;
}
