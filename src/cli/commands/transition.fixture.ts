import type { StateDocument } from '../../demand/documents/state.js';
import { defaultStepDurations, type TransitionDocument } from '../../demand/documents/transition.js';
import { useTemporaryFolder } from '../../formats/temporary-folder.fixture.js';

/** Synthetic files for the tests of commands about transitions: one A30 that runs a service, which is to move to another. */

const table = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms
net,A30-24GB,1g.6gb,4,1,100,40
net,A30-24GB,2g.12gb,4,1,190,21
`;

const workload = (rateRps: number) => `apiVersion: inlay.dev/v1alpha1
kind: Workload
metadata: {name: small}
spec:
  performance: [table.csv]
  latency: {factor: 0.5}
  pools: [{name: a30, gpu: A30-24GB, count: 3}]
  services: [{name: api, model: net, rateRps: ${rateRps}, latencyMs: 400}]
`;

const pod = { profile: '1g.6gb', start: 0, service: 'api', batch: 4, processes: 1, capacityRps: 100 };
const services = [{ name: 'api', model: 'net', rateRps: 80, latencyMs: 400 }];
const a30 = { pool: 'a30', type: 'A30-24GB' };

/** One service on one GPU of a node. */
export const smallState: StateDocument = {
  apiVersion: 'inlay.dev/v1alpha1',
  kind: 'State',
  metadata: { name: 'now' },
  services,
  gpus: [{ id: 'g0', ...a30, node: 'n0', index: 0, uuid: 'GPU-0', instances: [pod, { profile: '1g.6gb', start: 2, service: null }] }],
};

/** Moves the service of `smallState` to a new GPU. */
export const smallTransition: TransitionDocument = {
  apiVersion: 'inlay.dev/v1alpha1',
  kind: 'Transition',
  metadata: { name: 'move' },
  backend: 'instance',
  floor: 'raw',
  durations: defaultStepDurations,
  target: { services, gpus: [{ id: 'g1', ...a30, instances: [pod] }] },
  steps: [
    { id: 'c', kind: 'create-instance', gpu: 'g1', profile: '1g.6gb', start: 0, after: [], startS: 0, endS: 1 },
    { id: 'd', kind: 'delete-instance', gpu: 'g0', profile: '1g.6gb', start: 2, after: [], startS: 0, endS: 0.7 },
    { id: 's', kind: 'start-pod', gpu: 'g1', ...pod, after: ['c'], startS: 1, endS: 31 },
    { id: 't', kind: 'stop-pod', gpu: 'g0', ...pod, after: ['s'], startS: 31, endS: 36 },
    { id: 'e', kind: 'delete-instance', gpu: 'g0', profile: '1g.6gb', start: 0, after: ['t'], startS: 36, endS: 36.7 },
  ],
  makespanS: 36.7,
  maxExtraGpus: 1,
  peakGpus: 2,
  counts: {
    kept: 0,
    podStarts: 1,
    restartsInPlace: 0,
    moves: 1,
    temporaryPods: 0,
    instanceCreations: 1,
    instanceDeletions: 2,
    wipes: 0,
    gpusTouched: 2,
  },
  bounds: {},
};

/** A folder with a writer of the files; documents are written as JSON. */
export function useTransitionFiles() {
  const folder = useTemporaryFolder();
  return {
    writeWorkload: async (rateRps = 80) => {
      await folder.write('table.csv', table);
      return folder.write('workload.yaml', workload(rateRps));
    },
    write: (name: string, document: object) => folder.write(name, JSON.stringify(document, null, 1)),
    pathOf: (name: string) => `${folder.path}/${name}`,
  };
}
