import type { ConfigMap } from '../client/object-types.js';
import type { GpuPool } from '../objects/gpu-pool.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import { exampleTable } from './run-operator.fixture.js';

/** A pool of all nodes that needs no patience. */
export function aPool(spec: Partial<GpuPool['spec']> = {}): GpuPool {
  return {
    kind: 'GpuPool',
    metadata: { name: 'a100' },
    spec: {
      gpu: 'A100-80GB',
      nodeSelector: { pool: 'a100' },
      backend: 'mig-manager',
      namespaces: ['*'],
      migManager: {
        namespace: 'gpu-operator',
        configMap: 'inlay-mig-config',
        settleSeconds: 0,
        timeoutSeconds: 600,
        retries: 1,
        backoffSeconds: 1,
      },
      ...spec,
    },
  };
}

/** A workload of the services given, name → model and demand, with the table of ConfigMap `tables`. */
export function aWorkload(
  name: string,
  services: Readonly<
    Record<string, { readonly model: string; readonly rateRps: number; readonly latencyMs: number; readonly minReplicas?: number }>
  >,
  spec: Partial<InferenceWorkload['spec']> = {},
): InferenceWorkload {
  return {
    kind: 'InferenceWorkload',
    metadata: { name, namespace: 'team' },
    spec: {
      mode: 'Apply',
      pools: ['a100'],
      performance: [{ configMap: 'tables', key: 'a100.csv' }],
      services: Object.entries(services).map(([service, demand]) => ({
        name: service,
        port: 8000,
        template: { spec: { containers: [{ name: 'server', image: 'server:1' }] } },
        ...demand,
      })),
      ...spec,
    },
  };
}

/** The ConfigMap with the table that the workload names. */
export const tables = {
  kind: 'ConfigMap',
  metadata: { name: 'tables', namespace: 'team' },
  data: { 'a100.csv': exampleTable },
} as ConfigMap;
