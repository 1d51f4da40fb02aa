import { readDataJson } from '../../bench/read-data.js';
import { readTransitionCase, type TransitionCase } from '../../bench/read-transition-case.js';
import { apiVersion } from '../../src/demand/documents/common.js';
import type { StateInstance } from '../../src/demand/documents/state.js';
import {
  defaultStepDurations,
  type TransitionCounts,
  type TransitionDocument,
  type TransitionStep,
} from '../../src/demand/documents/transition.js';
import type { Workload } from '../../src/demand/workload.js';

interface StoredPlan {
  readonly target: { readonly gpus: readonly { readonly id: string; readonly instances: readonly StateInstance[] }[] };
  readonly steps: readonly TransitionStep[];
}

/** What the data leaves out of a transition. */
export interface Claims {
  readonly counts: TransitionCounts;
  readonly peakGpus: number;
  readonly maxExtraGpus: number;
}

/** A transition of the data, as a document with these claims. */
export function readStoredPlan(name: string, file: string, claims: Claims): TransitionCase & { readonly transition: TransitionDocument } {
  const { state, workload } = readTransitionCase(name);
  const stored = readDataJson<StoredPlan>(`transitions/${file}.json`);
  const listed = new Set(stored.target.gpus.map(({ id }) => id));
  const emptied = [...new Set(stored.steps.map(({ gpu }) => gpu))].filter((id) => !listed.has(id));
  const gpus = [...stored.target.gpus, ...emptied.map((id) => ({ id, instances: [] }))];
  const transition: TransitionDocument = {
    apiVersion,
    kind: 'Transition',
    metadata: { name },
    backend: 'instance',
    floor: 'raw',
    durations: defaultStepDurations,
    target: {
      services: workload.services.map(({ name, model, rateRps, latencyMs }) => ({ name, model, rateRps, latencyMs })),
      gpus: gpus.map(({ id, instances }) => ({
        id,
        pool: 'a100',
        type: 'A100-80GB',
        instances: instances.map((instance) => withCapacity(workload, instance)),
      })),
    },
    steps: stored.steps.map((step) => ('service' in step ? withCapacity(workload, step) : step)),
    makespanS: Math.max(...stored.steps.map(({ endS }) => endS)),
    ...claims,
    bounds: {},
  };
  return { state, workload, transition };
}

function withCapacity<T extends Omit<StateInstance, 'capacityRps'>>(workload: Workload, pod: T): T {
  const model = workload.services.find(({ name }) => name === pod.service)?.model;
  const row = workload.rows.find(
    (one) => one.model === model && one.profile === pod.profile && one.batch === pod.batch && one.processes === pod.processes,
  );
  return row === undefined ? pod : { ...pod, capacityRps: row.throughputRps };
}
