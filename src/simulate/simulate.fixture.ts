import type { InstanceKind, SimulatedService } from './simulated-service.js';

/** Equal instances whose batches take `perBatchMs + n · perRequestMs`. */
export function aKind(parts: Partial<InstanceKind> & { readonly perBatchMs?: number; readonly perRequestMs?: number } = {}): InstanceKind {
  const { perBatchMs = 8, perRequestMs = 2, ...given } = parts;
  const { maxBatch = 8, processes = 1 } = given;
  const batchMs = Float64Array.from({ length: maxBatch + 1 }, (_, n) => (n === 0 ? 0 : perBatchMs + n * perRequestMs));
  const capacityRps = (1000 * maxBatch * processes) / (batchMs[maxBatch] as number);
  return { count: 1, processes, maxBatch, capacityRps, weight: capacityRps, batchMs, ...given };
}

/** A service with one instance under Poisson arrivals. */
export function aSimulatedService(parts: Partial<SimulatedService> = {}): SimulatedService {
  return {
    name: 's',
    rateRps: 100,
    limitMs: 100,
    percentile: 99,
    arrivals: { kind: 'renewal', burstiness: 1 },
    router: 'round-robin',
    kinds: [aKind()],
    ...parts,
  };
}

/** Neither delay nor scatter. */
export const plainBatching = { delayMs: 0, batchVariation: 0 } as const;
