import type { LatencyRule, PerformanceRow, Pool, Service, Workload } from '../demand/workload.js';
import type { GpuModel, MigProfile } from '../gpu/gpu-model.js';

/** Synthetic hardware and measurements for the tests of this room. */

const evidence = { certainty: 'certain', source: 'synthetic' } as const;
const noEngines = { decoder: 0, encoder: 0, jpeg: 0, opticalFlow: 0 };

interface ProfileShape {
  readonly name: string;
  readonly compute: number;
  readonly memory: number;
  readonly starts: readonly number[];
  readonly decoders?: number;
}

/** A profile with as many instances as there are starts. */
export function aProfile({ name, compute, memory, starts, decoders = 0 }: ProfileShape): MigProfile {
  return {
    name,
    variant: 'base',
    computeSlices: compute,
    memorySlices: memory,
    starts,
    maxCount: starts.length,
    memoryMiB: { value: memory * 10 * 1024, ...evidence },
    engines: { ...noEngines, decoder: decoders },
    placement: evidence,
  };
}

/** A GPU cut like the seven-slice chips, with 2 decoders that the `+me` profile and the large ones share. */
export function aGpuModel(name = 'SYN-80GB'): GpuModel {
  const profiles = [
    aProfile({ name: '1g', compute: 1, memory: 1, starts: [0, 1, 2, 3, 4, 5, 6] }),
    { ...aProfile({ name: '1g+me', compute: 1, memory: 1, starts: [0, 1, 2, 3, 4, 5, 6], decoders: 1 }), maxCount: 1 },
    aProfile({ name: '2g', compute: 2, memory: 2, starts: [0, 2, 4] }),
    aProfile({ name: '3g', compute: 3, memory: 4, starts: [0, 4], decoders: 1 }),
    aProfile({ name: '4g', compute: 4, memory: 4, starts: [0], decoders: 1 }),
    aProfile({ name: '7g', compute: 7, memory: 8, starts: [0], decoders: 2 }),
  ];
  return {
    name,
    computeSlices: 7,
    memorySlices: 8,
    profiles,
    full: aProfile({ name: 'full', compute: 7, memory: 8, starts: [0], decoders: 2 }),
    engines: { ...noEngines, decoder: 2 },
    products: [],
    pciIds: [],
    remarks: [],
  };
}

/** A pool of the synthetic model with its plain profiles. */
export function aPool(changes: Partial<Pool> = {}): Pool {
  const gpu = changes.gpu ?? aGpuModel();
  return {
    name: 'syn',
    gpu,
    rowsOf: gpu.name,
    count: Number.POSITIVE_INFINITY,
    price: 1,
    profiles: gpu.profiles.filter(({ name }) => name !== '1g+me'),
    forbid4gWith3g: false,
    ...changes,
  };
}

/** The default latency rule. */
export const safeRule: LatencyRule = { kind: 'percentile', percentile: 99, burstiness: 1, router: 'round-robin', rule: 'safe' };

/** A service of the synthetic model `net`. */
export function aService(changes: Partial<Service> = {}): Service {
  return {
    name: 'api',
    model: 'net',
    rateRps: 100,
    latencyMs: 200,
    minReplicas: 1,
    maxUtilization: 1,
    maxBatch: Number.POSITIVE_INFINITY,
    priority: 0,
    latency: safeRule,
    ...changes,
  };
}

/** Rows of a made-up model: throughput grows less than the slices, batches and processes do. `speed` is requests per second of a 1g at batch 1. */
export function someRows(model: string, gpu: GpuModel, speed: number): readonly PerformanceRow[] {
  const rows: PerformanceRow[] = [];
  for (const { name, computeSlices } of [...gpu.profiles, gpu.full]) {
    for (const batch of [1, 4, 16]) {
      for (const processes of [1, 2, 3]) {
        const throughputRps = speed * computeSlices ** 0.9 * batch ** 0.35 * processes ** 0.2;
        const latencyMs = Math.round((1000 * batch * processes) / throughputRps);
        rows.push({ model, gpu: gpu.name, profile: name, batch, processes, throughputRps, latencyMs, memoryGiB: 2 + batch / 4 });
      }
    }
  }
  return rows;
}

/** A workload of these services; every model they name is measured on every pool. */
export function aWorkload(services: readonly Service[], pools: readonly Pool[] = [aPool()]): Workload {
  const models = [...new Set(services.map(({ model }) => model))];
  const gpus = [...new Map(pools.map(({ gpu }) => [gpu.name, gpu])).values()];
  const rows = models.flatMap((model, index) =>
    gpus.flatMap((gpu, generation) => someRows(model, gpu, 60 * (index + 1) * (generation + 1))),
  );
  return { name: 'synthetic', services, pools, rows, maxProcesses: 3 };
}
