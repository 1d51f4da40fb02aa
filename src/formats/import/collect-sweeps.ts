import { entryOf } from '../../demand/entry-of.js';
import { type InlayError, inlayError, type Problem, problem } from '../../errors.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { limits } from '../limits.js';
import type { ImportedPoint } from './check-imported-rows.js';
import type { ImportSink, MeasurementFile } from './import-sink.js';
import { describeLoad, describePercentile, type LoadPoint, type Percentile } from './load-point.js';
import { createLoadSweep, describeSetting, type LoadSweep } from './load-sweep.js';
import { tidy } from './milliseconds.js';
import { createSettingResolver, lengthTolerance, type Setting } from './resolve-setting.js';

/** Sorts points into the sweeps of their settings, and ends with the best point of each. */
export interface SweepCollector {
  keep(point: LoadPoint): void;
  /** The rows, in the order in which their settings first appeared; tells which points were left out. */
  finish(): readonly ImportedPoint[];
}

/** Collects the points of `files`; contradictions between them are refused with both places. */
export function createSweepCollector(
  files: readonly MeasurementFile[],
  catalogue: GpuCatalogue,
  { percentile, saturation, refuse, note }: Omit<ImportSink, 'keep'>,
): SweepCollector {
  const resolve = createSettingResolver(catalogue, refuse, note);
  const fileOf = new Map(files.map((entry) => [entry.file, entry]));
  const sweeps = new Map<string, LoadSweep>();
  let points = 0;

  const keep = (point: LoadPoint): void => {
    points += 1;
    if (points > limits.measuredPoints.value) throw tooManyPoints(point);
    const setting = resolve(fileOf.get(point.file) as MeasurementFile, point);
    if (setting === undefined) return;
    if (point.latency.kind === 'saturated' && !saturation) {
      refuse(saturated(point));
      return;
    }
    const sweep = entryOf(sweeps, keyOf(setting), () => createLoadSweep(setting, point));
    const otherLength = differentLength(sweep.setting, setting);
    if (otherLength !== undefined) refuse(conflict(setting, point, sweep.first, otherLength));
    sweep.add(point, latencyOf(point, setting));
  };

  const finish = (): readonly ImportedPoint[] =>
    [...sweeps.values()].flatMap((sweep) => {
      const { best, contradictions, leftOut } = sweep.finish(percentile);
      for (const { point, earlier } of contradictions) {
        refuse(conflict(sweep.setting, point, earlier, `different numbers at ${describeLoad(point)}`));
      }
      if (best === undefined) refuse(nothingFinite(sweep, percentile));
      if (leftOut !== undefined) note(leftOut);
      return best === undefined ? [] : [{ setting: sweep.setting, ...best }];
    });

  return { keep, finish };
}

function keyOf({ model, gpu, profile, batch, processes }: Setting): string {
  return [gpu.name, profile.name, batch, processes, model].join('\n');
}

/** At saturation the time of a batch is known all the same: that many are worked on at once. */
function latencyOf({ latency, throughputRps }: LoadPoint, { batch, processes }: Setting): number {
  switch (latency.kind) {
    case 'measured':
      return latency.ms;
    case 'not-finite':
      return Number.NaN;
    case 'saturated':
      return throughputRps > 0 ? tidy((1000 * batch * processes) / throughputRps) : Number.NaN;
  }
}

/** Rows of a language model hold for one prompt and response length; means of random lengths differ by a little. */
function differentLength(first: Setting, setting: Setting): string | undefined {
  const [a, b] = [first.tokens, setting.tokens];
  if (a === undefined || b === undefined) return undefined;
  const differs = (x: number, y: number) => Math.abs(x - y) > lengthTolerance * Math.max(x, y);
  return differs(a.prompt, b.prompt) || differs(a.response, b.response)
    ? `prompt and response lengths ${describeTokens(a)} and ${describeTokens(b)}`
    : undefined;
}

function describeTokens({ prompt, response }: NonNullable<Setting['tokens']>): string {
  return `${Math.round(prompt)}/${Math.round(response)}`;
}

function conflict(
  setting: Setting,
  { file, line }: Pick<LoadPoint, 'file' | 'line'>,
  other: { readonly file: string; readonly line: number },
  what: string,
): Problem {
  const message = `Two measurements of ${describeSetting(setting)} have ${what}; the other is ${other.file}:${other.line}.`;
  const hint = 'Keep one of them, or import them under different settings or model names.';
  return problem('CONFLICTING_ROWS', { message, file, line, column: 1, hint });
}

function saturated({ file, line, load }: LoadPoint): Problem {
  return problem('RUN_REFUSED', {
    message: `${file} was measured at saturation (${describeLoad(load)}): its latency says how many requests there were, not how long one takes.`,
    file,
    line,
    column: 1,
    hint: 'Measure at a finite load, or pass --saturation to take the throughput, with latency_ms = batch × processes ÷ throughput.',
  });
}

function nothingFinite({ setting, first }: LoadSweep, percentile: Percentile): Problem {
  const message = `No point of ${describeSetting(setting)} ran with a finite ${describePercentile(percentile)} latency.`;
  return problem('NO_ROWS', {
    message,
    file: first.file,
    line: first.line,
    column: 1,
    hint: 'Measure again, or choose another latency with --percentile.',
  });
}

function tooManyPoints({ file, line }: LoadPoint): InlayError {
  return inlayError('TOO_MANY', {
    message: 'There are too many measurements.',
    file,
    line,
    column: 1,
    expected: `at most ${limits.measuredPoints.value} points`,
  });
}
