import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveWorkload } from '../../demand/resolve-workload.js';
import type { Workload } from '../../demand/workload.js';
import { parsePerformanceCsv } from '../../formats/performance-csv.js';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { verifyPlan } from '../../verify/verify-plan.js';
import { planHere } from '../plan.fixture.js';
import type { StrategyName } from '../plan.js';
import type { StrategyOptions } from './strategy-options.js';

const dataFolder = process.env['INLAY_DATA'];
const timeoutMs = 60_000;

describe.skipIf(dataFolder === undefined)('measured tables (INLAY_DATA names their folder)', () => {
  const small = ['parvagpu/scenario-1', 'parvagpu/scenario-2', 'parvagpu/scenario-3', 'parvagpu/scenario-4', 'workloads/w01'];

  test.each([
    ['greedy', {}, '2 3 5 7 50'],
    ['greedy', { maxMix: 2, lastMix: 3 }, '3 6 6 8 53'],
    ['greedy', { maxMix: 2, lastMix: 3, capCredit: false }, '6 10 10 12 55'],
    ['mig-serving', { rounds: 10 }, '2 3 5 7 50'],
    ['utility-first', {}, '2 4 6 7 51'],
    ['whole', {}, '6 11 11 11 68'],
    ['whole-single', {}, '6 11 11 11 76'],
    ['smallest', {}, '2 3 5 7 56'],
    ['static-mix', {}, '2 4 5 7 53'],
    ['balanced', {}, '2 4 5 7 50'],
  ] satisfies [StrategyName, StrategyOptions, string][])(
    '%s with %o needs as many GPUs as noted',
    async (strategy, strategyOptions, wanted) => {
      const counts: number[] = [];
      for (const name of small) counts.push(await countVerified(readMeasured(name), strategy, strategyOptions));
      expect(counts.join(' ')).toBe(wanted);
    },
    timeoutMs,
  );

  test(
    'greedy stays within 3.5 % of the proven bound on the largest fleet',
    async () => {
      const workload = readMeasured('workloads/w06');
      const result = await planHere(workload, { strategy: 'greedy' });
      if (result.kind !== 'plan') throw new Error('no plan');
      expect(result.plan.gpus.length).toBeLessThanOrEqual(1.035 * (result.plan.bound.gpus ?? 0));
    },
    timeoutMs,
  );
});

async function countVerified(workload: Workload, strategy: StrategyName, strategyOptions: StrategyOptions): Promise<number> {
  const result = await planHere(workload, { strategy, strategyOptions });
  if (result.kind !== 'plan') throw new Error(result.conflicts.map(({ message }) => message).join('; '));
  expect(verifyPlan(workload, result.plan).kind).toBe('holds');
  return result.plan.gpus.length;
}

/** A stored workload with the five plain profiles, which the noted numbers are for. */
function readMeasured(name: string): Workload {
  const text = (file: string): string => readFileSync(join(dataFolder as string, file), 'utf8');
  const given = JSON.parse(text(`${name}.json`));
  const { rows } = parsePerformanceCsv(text(given.profiles), given.profiles);
  const profiles = ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'];
  const document = {
    apiVersion: 'inlay.dev/v1alpha1' as const,
    kind: 'Workload' as const,
    metadata: { name: given.name },
    spec: {
      performance: [given.profiles],
      latency: { factor: given.latency_factor },
      processes: { max: given.max_processes },
      pools: [{ name: 'a100', gpu: given.gpu, profiles }],
      services: given.services.map(({ id, model, rate_rps, slo_ms }: Record<string, never>) => ({
        name: id,
        model,
        rateRps: rate_rps,
        latencyMs: slo_ms,
      })),
    },
  };
  const { workload } = resolveWorkload(document, rows, builtInCatalogue);
  if (workload === undefined) throw new Error(`${name} does not resolve`);
  return workload;
}
