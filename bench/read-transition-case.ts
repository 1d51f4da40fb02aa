import { apiVersion } from '../../src/demand/documents/common.js';
import type { StateDocument } from '../../src/demand/documents/state.js';
import type { WorkloadDocument } from '../../src/demand/documents/workload.js';
import type { Workload } from '../../src/demand/workload.js';
import { readDataJson, readDataRows, resolveDocument } from '../read-data.js';

const profiles = ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'];

export interface RawWorkload {
  readonly name: string;
  readonly gpu: string;
  readonly latency_factor: number;
  readonly max_processes: number;
  readonly profiles: string;
  readonly services: readonly { readonly id: string; readonly model: string; readonly rate_rps: number; readonly slo_ms: number }[];
}

interface RawState {
  readonly gpus: readonly {
    readonly id: string;
    readonly instances: readonly { profile: string; start: number; service: string | null; batch: number; processes: number }[];
  }[];
}

export interface TransitionCase {
  readonly state: StateDocument;
  readonly workload: Workload;
}

export function resolveRaw(raw: RawWorkload): Workload {
  const document: WorkloadDocument = {
    apiVersion,
    kind: 'Workload',
    metadata: { name: raw.name },
    spec: {
      performance: [raw.profiles],
      latency: { factor: raw.latency_factor },
      processes: { max: raw.max_processes },
      pools: [{ name: 'a100', gpu: raw.gpu, profiles: [...profiles] }],
      services: raw.services.map(({ id, model, rate_rps: rateRps, slo_ms: latencyMs }) => ({ name: id, model, rateRps, latencyMs })),
    },
  };
  return resolveDocument(document, readDataRows(raw.profiles));
}

export function readCase(name: string): TransitionCase {
  const old = readDataJson<RawWorkload>(`transitions/${name}-old.json`);
  const start = readDataJson<RawState>(`transitions/${name}-start.json`);
  return {
    workload: resolveRaw(readDataJson<RawWorkload>(`transitions/${name}-new.json`)),
    state: {
      apiVersion,
      kind: 'State',
      metadata: { name },
      services: old.services.map(({ id, model, rate_rps: rateRps, slo_ms: latencyMs }) => ({ name: id, model, rateRps, latencyMs })),
      gpus: start.gpus.map((gpu) => ({ id: gpu.id, pool: 'a100', type: 'A100-80GB', instances: gpu.instances.map((i) => ({ ...i })) })),
    },
  };
}
