import { apiVersion } from '../src/demand/documents/common.js';
import type { StateDocument } from '../src/demand/documents/state.js';
import type { WorkloadDocument } from '../src/demand/documents/workload.js';
import type { Workload } from '../src/demand/workload.js';
import { readDataJson, readDataRows, resolveDocument } from './read-data.js';

/** One profile of each size, as in the published numbers. */
const profiles = ['1g.10gb', '2g.20gb', '3g.40gb', '4g.40gb', '7g.80gb'];

interface DataWorkload {
  readonly name: string;
  readonly gpu: string;
  readonly latency_factor: number;
  readonly max_processes: number;
  readonly profiles: string;
  readonly services: readonly { readonly id: string; readonly model: string; readonly rate_rps: number; readonly slo_ms: number }[];
}

interface DataState {
  readonly gpus: readonly { readonly id: string; readonly instances: StateDocument['gpus'][number]['instances'] }[];
}

/** What runs and what is wanted next. */
export interface TransitionCase {
  readonly state: StateDocument;
  readonly workload: Workload;
}

/** A case of the data: the state it starts from, and the new workload on a pool without count. */
export function readTransitionCase(name: string): TransitionCase {
  const before = readDataJson<DataWorkload>(`transitions/${name}-old.json`);
  const after = readDataJson<DataWorkload>(`transitions/${name}-new.json`);
  const { gpus } = readDataJson<DataState>(`transitions/${name}-start.json`);
  const document: WorkloadDocument = {
    apiVersion,
    kind: 'Workload',
    metadata: { name: after.name },
    spec: {
      performance: [after.profiles],
      latency: { factor: after.latency_factor },
      processes: { max: after.max_processes },
      pools: [{ name: 'a100', gpu: after.gpu, profiles }],
      services: listServices(after),
    },
  };
  return {
    workload: resolveDocument(document, readDataRows(after.profiles)),
    state: {
      apiVersion,
      kind: 'State',
      metadata: { name },
      services: listServices(before),
      gpus: gpus.map(({ id, instances }) => ({ id, pool: 'a100', type: after.gpu, instances })),
    },
  };
}

function listServices({ services }: DataWorkload): { name: string; model: string; rateRps: number; latencyMs: number }[] {
  return services.map(({ id, model, rate_rps: rateRps, slo_ms: latencyMs }) => ({ name: id, model, rateRps, latencyMs }));
}
