import fc from 'fast-check';
import { aPool, aRow, aService } from '../demand/demand.fixture.js';
import type { Pool, Service, Workload } from '../demand/workload.js';
import { aGpu } from '../gpu/gpu.fixture.js';
import { createInlineSolver } from '../solver/highs/highs-solver.js';
import type { PlanOptions } from './plan.js';
import { plan } from './plan.js';
import type { PlanResult } from './plan-result.js';

const solver = createInlineSolver();

/** Plans on this thread. */
export async function planHere(workload: Workload, options: Omit<PlanOptions, 'solver'> = {}): Promise<PlanResult> {
  return plan(workload, { solver: await solver, ...options });
}

/** A pool whose sizes are few enough to try everything: A30 with its three base profiles. */
export function aSmallPool(parts: Partial<Pool> = {}): Pool {
  const gpu = aGpu('A30-24GB');
  return aPool({ name: 'a30', gpu, rowsOf: gpu.name, ...parts }, ['1g.6gb', '2g.12gb', '4g.24gb']);
}

/** What a test workload is drawn from. */
export interface WorkloadShape {
  readonly services: number;
  readonly pools: readonly Pool[];
  /** Largest rate as a multiple of what the largest slice gives. */
  readonly most: number;
  readonly maxReplicas?: number;
}

/**
 * Random workloads under the factor rule, where throughput is simply what the row says: every service has rows on some
 * profiles of every pool, growing with the slice but bent, so that mixing sizes pays.
 */
export function workloads(shape: WorkloadShape): fc.Arbitrary<Workload> {
  const service = fc.record({
    rps: fc.integer({ min: 20, max: 200 }),
    bend: fc.double({ min: -0.4, max: 0.4, noNaN: true }),
    missing: fc.integer({ min: 0, max: 7 }),
    demand: fc.double({ min: 0.05, max: shape.most, noNaN: true }),
    replicas: fc.integer({ min: 1, max: shape.maxReplicas ?? 1 }),
  });
  return fc.array(service, { minLength: 1, maxLength: shape.services }).map((drawn) => {
    const services = drawn.map(({ rps, demand, replicas }, i): Service => {
      const rateRps = Math.round(demand * rps * 4 * 100) / 100;
      return aService({
        name: `s${i}`,
        model: `m${i}`,
        rateRps,
        minReplicas: replicas,
        latency: { kind: 'factor', factor: 1 },
        latencyMs: 1e6,
      });
    });
    const rows = drawn.flatMap(({ rps, bend, missing }, i) =>
      shape.pools.flatMap(({ gpu, profiles }, g) =>
        profiles
          .filter((_, k) => k === profiles.length - 1 || ((missing >> k) & 1) === 0)
          .map((profile) => {
            const throughputRps = Math.round(rps * profile.computeSlices ** (1 + bend) * (1 + 0.3 * g) * 10) / 10;
            return aRow({ model: `m${i}`, gpu: gpu.name, profile: profile.name, throughputRps });
          }),
      ),
    );
    return { name: 'random', services, pools: shape.pools, rows, maxProcesses: Number.POSITIVE_INFINITY };
  });
}
