import { describe, expect, it } from 'vitest';
import type { TransitionDocument, TransitionStep } from '../../demand/documents/transition.js';
import type { ConfigMap, Pod } from '../client/object-types.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import { labels } from '../objects/names.js';
import { neighbours, neighbourTable, smallOn } from './busy-neighbour.fixture.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator, watchFloor } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';

/** A GPU with a busy 4g and a busy 2g, after which the 2g is to become two 1g. */
async function aBusyGpu(gpus: number): Promise<SimulatedCluster> {
  const cluster = new SimulatedCluster({ seed: 1, nodes: gpus, gpusPerNode: 1 });
  cluster.put(aPool());
  cluster.put({ ...tables, data: { 'a100.csv': neighbourTable } } as ConfigMap);
  const workload = aWorkload('media', neighbours, { latency: { factor: 1 } });
  cluster.put({ ...workload, spec: { ...workload.spec, services: smallOn(workload.spec.services, '2g.20gb') } } as InferenceWorkload);
  expect((await runOperator(cluster, { seed: 1 })).settled).toBe(true);
  expect(cluster.view().pods.map(profileOf).sort()).toEqual(['2g.20gb', '4g.40gb']);
  const [first] = cluster.view().workloads as [InferenceWorkload];
  cluster.put({ ...first, spec: { ...first.spec, services: smallOn(first.spec.services, '1g.10gb') } } as InferenceWorkload);
  return cluster;
}

const profileOf = ({ metadata }: Pod) => metadata.labels?.[labels.profile];
const bigPod = (cluster: SimulatedCluster) => cluster.view().pods.find((pod) => profileOf(pod) === '4g.40gb');
const newest = (cluster: SimulatedCluster) => cluster.view().plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
const stepsOf = (cluster: SimulatedCluster) => (newest(cluster)?.spec.transition as TransitionDocument | undefined)?.steps ?? [];
const isOfBig = (step: TransitionStep) => (step.kind === 'start-pod' || step.kind === 'stop-pod') && step.profile === '4g.40gb';

describe('a 4g that is kept busy while the 2g beside it becomes two 1g', () => {
  it('is stopped before the whole GPU is wiped, and the plan that says so waits for an approval', async () => {
    const cluster = await aBusyGpu(1);
    const busy = bigPod(cluster)?.metadata.uid;
    await runOperator(cluster, { seed: 2 });
    const plan = newest(cluster);
    expect(plan?.status?.phase).toBe('Proposed');
    expect(plan?.spec.dips?.map(({ service }) => service).sort()).toEqual(['team.media.big', 'team.media.small']);
    expect(plan?.spec.summary).toMatchObject({ kept: 0, podStarts: 3, podStops: 2, wipes: 1 });

    const steps = stepsOf(cluster);
    const [wipe, ...others] = steps.filter(({ kind }) => kind === 'wipe-gpu');
    expect(others).toEqual([]);
    expect(wipe).toMatchObject({ gpu: 'node-0/0', layout: expect.arrayContaining([expect.objectContaining({ profile: '4g.40gb' })]) });
    const [stop, start] = ['stop-pod', 'start-pod'].map((kind) => steps.find((step) => isOfBig(step) && step.kind === kind));
    expect(wipe?.after).toContain(stop?.id);
    expect(start?.after).toContain(wipe?.id);
    // Until somebody says yes the 4g is left alone.
    expect(bigPod(cluster)?.metadata.uid).toBe(busy);

    const { planId = '', stateHash = '' } = plan?.spec ?? {};
    const spec = { sharingPlan: plan?.metadata.name ?? '', planId, stateHash };
    cluster.put({ kind: 'PlanApproval', metadata: { name: 'yes' }, spec } as never);
    expect((await runOperator(cluster, { seed: 3 })).settled).toBe(true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(cluster.view().pods.map(profileOf).sort()).toEqual(['1g.10gb', '1g.10gb', '4g.40gb']);
    expect(bigPod(cluster)?.metadata.uid).not.toBe(busy);
    expect(cluster.disturbed).toBe(false);
  });

  it('is started elsewhere first where there is another GPU, and nobody dips', async () => {
    const cluster = await aBusyGpu(2);
    const home = bigPod(cluster)?.spec.nodeName;
    const onChange = watchFloor(cluster, { 'team.media.big': 90, 'team.media.small': 90 });
    expect((await runOperator(cluster, { seed: 2, onChange })).settled).toBe(true);
    const plan = newest(cluster);
    expect(plan?.spec).toMatchObject({ sequence: 2, gpus: 1, summary: { kept: 0, podStarts: 3 } });
    expect(plan?.spec.dips).toBeUndefined();
    expect(
      stepsOf(cluster)
        .filter(isOfBig)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(['start-pod', 'stop-pod']);
    expect(plan?.status?.phase).toBe('Ready');
    expect(bigPod(cluster)?.spec.nodeName).not.toBe(home);
    expect(cluster.disturbed).toBe(false);
  });
});
