import type { PlanDocument, PlanGpu, PlanInstance, PlanService } from '../demand/documents/plan.js';

/** Shape of a synthetic plan. */
export interface SyntheticPlan {
  readonly services: number;
  readonly gpus: number;
  readonly seed?: number;
  /** Pools in the order in which their GPUs are made; the number of GPUs is split over them. */
  readonly pools?: readonly SyntheticPool[];
}

/** Legal layouts of one GPU model, as profile and start. */
export interface SyntheticPool {
  readonly name: string;
  readonly type: string;
  readonly layouts: readonly (readonly (readonly [string, number])[])[];
}

const sevenSingles = [0, 1, 2, 3, 4, 5, 6].map((start) => ['1g.10gb', start] as const);

/** A pool of A100-80GB, with MIG on and off. */
export const a100Pool: SyntheticPool = {
  name: 'a100',
  type: 'A100-80GB',
  layouts: [
    sevenSingles,
    sevenSingles.slice(0, 3),
    [
      ['4g.40gb', 0],
      ['3g.40gb', 4],
    ],
    [
      ['3g.40gb', 0],
      ['2g.20gb', 4],
      ['1g.10gb', 6],
    ],
    [
      ['2g.20gb', 0],
      ['2g.20gb', 2],
      ['3g.40gb', 4],
    ],
    [['7g.80gb', 0]],
    [['full', 0]],
  ],
};

/** A pool of a GPU without MIG. */
export const t4Pool: SyntheticPool = { name: 't4', type: 'T4-16GB', layouts: [[['full', 0]]] };

/** A made-up plan with legal layouts and numbers that mean nothing; equal shapes give equal plans. */
export function syntheticPlan({ services, gpus, seed = 1, pools = [a100Pool] }: SyntheticPlan): PlanDocument {
  const pick = seededPicker(seed);
  const names = Array.from({ length: services }, (_, index) => `${pick(modelNames)}-${index + 1}`);
  const placed = Array.from({ length: gpus }, (_, index): PlanGpu => {
    const pool = pools[Math.floor((index * pools.length) / gpus)] as SyntheticPool;
    const layout = pick(pool.layouts);
    return {
      id: `${pool.name}-${String(index + 1).padStart(4, '0')}`,
      pool: pool.name,
      type: pool.type,
      instances: layout.map(([profile, start]) => syntheticInstance(profile, start, pick(names), pick)),
    };
  });
  return {
    apiVersion: 'inlay.dev/v1alpha1',
    kind: 'Plan',
    metadata: { name: 'synthetic fleet', id: `sha256:${seed.toString(16).padStart(64, '0')}` },
    objective: 'gpus',
    strategy: 'exact',
    gpus: placed,
    services: names.map((name) => summarise(name, placed)),
    totals: { gpus, cost: gpus, instances: placed.reduce((sum, { instances }) => sum + instances.length, 0) },
    bound: { value: gpus - 0.3, gpus, certificate: { slicePrices: {}, poolPrices: {} } },
    gap: 0.3 / Math.max(1, gpus),
    gapGpus: 0,
    optimal: true,
    stoppedBy: 'proof',
  };
}

const modelNames = ['resnet50', 'bert-large-uncased', 'vit', 'whisper', 'gpt2', 'densenet121', 't5'] as const;

type Pick = <T>(items: readonly T[]) => T;

function seededPicker(seed: number): Pick {
  let state = seed;
  return (items) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return items[Math.floor((state / 2_147_483_648) * items.length)] as never;
  };
}

function syntheticInstance(profile: string, start: number, service: string, pick: Pick): PlanInstance {
  const capacityRps = pick([37.5, 120, 373.5, 1120]);
  const plannedLoad = pick([0.31, 0.62, 0.74, 0.97]);
  return {
    profile,
    start,
    service,
    batch: pick([1, 8, 32]),
    processes: pick([1, 2, 3]),
    capacityRps,
    plannedCapacityRps: capacityRps * 0.9,
    weight: 0.5,
    plannedLoad,
    predictedP99Ms: pick([12.25, 136.4, null]),
  };
}

function summarise(name: string, gpus: readonly PlanGpu[]): PlanService {
  const own = gpus.flatMap(({ instances }) => instances).filter(({ service }) => service === name);
  const capacityRps = own.reduce((sum, instance) => sum + instance.capacityRps, 0);
  const plannedCapacityRps = own.reduce((sum, instance) => sum + instance.plannedCapacityRps, 0);
  return { name, rateRps: plannedCapacityRps * 0.8, capacityRps, plannedCapacityRps, instances: own.length, limitedBy: 'latency' };
}
