import * as z from 'zod';
import { type AiperfMetric, type AiperfRun, aiperfMetrics, percentOf } from './aiperf-run.js';
import type { Load } from './load-point.js';
import { readMeasurementJson } from './read-measurement-json.js';

const statistics = ['avg', 'p1', 'p5', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p99'] as const;

const metricSchema = z.looseObject({
  unit: z.string().optional(),
  ...Object.fromEntries(statistics.map((name) => [name, z.number().min(0).nullish()])),
});

const summarySchema = z.looseObject({
  ...Object.fromEntries(aiperfMetrics.map((name) => [name, metricSchema.nullish()])),
  was_cancelled: z.boolean().nullish(),
});

/** Reads `profile_export_aiperf.json` and `profile_export_genai_perf.json`. Throws InlayError with every problem. */
export async function readAiperfJson(file: string): Promise<AiperfRun> {
  const { value: summary, source } = await readMeasurementJson(file, summarySchema);
  const metrics = new Map<string, AiperfMetric>();
  for (const name of aiperfMetrics) {
    const metric = summary[name] as (z.infer<typeof metricSchema> & { readonly avg?: number | null }) | null | undefined;
    if (metric === null || metric === undefined) continue;
    const percentiles = new Map<number, number>();
    for (const [key, value] of Object.entries(metric)) {
      const percent = percentOf(key);
      if (percent !== undefined && typeof value === 'number') percentiles.set(percent, value);
    }
    metrics.set(name, { unit: metric.unit, mean: metric.avg ?? undefined, percentiles, ...source.locate([name]) });
  }
  const input = summary['input_config'];
  return { metrics, model: readModel(input), load: readLoad(input), cancelled: summary['was_cancelled'] === true };
}

/** Where the tools have written the model's name, newest first. */
function readModel(input: unknown): string | undefined {
  for (const path of [['endpoint', 'model_names'], ['model_names'], ['model']]) {
    const found = valueAt(input, path);
    const name: unknown = Array.isArray(found) && found.length === 1 ? found[0] : found;
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}

/** Where the tools have written the load, newest first. */
function readLoad(input: unknown): Load | undefined {
  for (const path of [['loadgen'], ['perf_analyzer', 'stimulus'], []]) {
    for (const [key, kind] of [
      ['request_rate', 'request rate'],
      ['concurrency', 'concurrency'],
    ] as const) {
      const value = valueAt(input, [...path, key]);
      if (typeof value === 'number') return { kind, value };
      if (value === 'inf') return { kind, value: Number.POSITIVE_INFINITY };
    }
  }
  return undefined;
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
