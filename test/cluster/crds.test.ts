import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { KubernetesError } from '../../src/cluster/client/kubernetes-error.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import type { Resource } from '../../src/cluster/client/resources.js';
import { gpuPools, inferenceWorkloads, nodeStates, planApprovals, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { kubectl, skippedBecause, startCluster, type TestCluster, whyNoCluster } from './cluster.fixture.js';
import { installCrds } from './crds.fixture.js';
import { aGpuPool, anInferenceWorkload } from './operator.fixture.js';

describe.skipIf(whyNoCluster)(`the own kinds${skippedBecause}`, () => {
  let cluster: TestCluster;
  let api: KubernetesApi;
  let namespace: string;

  beforeAll(async () => {
    cluster = await startCluster();
    api = await cluster.api();
    await installCrds(api);
    namespace = await cluster.namespace();
  }, 120_000);
  afterAll(() => cluster?.stop());

  const tags = { tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 } };
  const refusal = async <T extends KubeObject>(resource: Resource<T>, object: T): Promise<string> => {
    const error = await api.create(resource, object).then(
      () => undefined,
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(KubernetesError);
    expect((error as KubernetesError).status).toBe(422);
    return (error as KubernetesError).message;
  };

  it('take valid objects and keep what a pod template says', async () => {
    await api.create(gpuPools, aGpuPool({ maintenanceWindows: [{ days: ['Sat', 'Sun'], start: '22:30', durationMinutes: 240 }] }));
    const workload = anInferenceWorkload(namespace, tags);
    const [service] = workload.spec.services;
    const template = {
      spec: {
        ...service?.template.spec,
        containers: [{ name: 'server', image: 'server:1', livenessProbe: { httpGet: { port: 8000 } } }],
        tolerations: [{ key: 'x' }],
      },
    };
    const made = await api.create(inferenceWorkloads, {
      ...workload,
      spec: { ...workload.spec, services: [{ ...service, template }] },
    } as typeof workload);
    expect(made.spec.services[0]?.template).toEqual(template);
  });

  const workload = (change: (spec: Record<string, unknown>, service: Record<string, unknown>) => void) => {
    const made = structuredClone(anInferenceWorkload(namespace, tags)) as unknown as { metadata: object; spec: Record<string, unknown> };
    made.metadata = { name: 'wrong', namespace };
    change(made.spec, (made.spec['services'] as Record<string, unknown>[])[0] as Record<string, unknown>);
    return made as unknown as ReturnType<typeof anInferenceWorkload>;
  };

  it.each<[string, Parameters<typeof workload>[0], RegExp]>([
    ['a mode that does not exist', (spec) => Object.assign(spec, { mode: 'apply' }), /spec\.mode.*supported values: "Plan", "Apply"/s],
    ['no pools', (spec) => Object.assign(spec, { pools: [] }), /spec\.pools.*at least 1/s],
    ['a rate below 0', (_, service) => Object.assign(service, { rateRps: -1 }), /rateRps.*greater than or equal to 0/s],
    ['a service name that is no label', (_, service) => Object.assign(service, { name: 'Tags!' }), /services\[0\]\.name/],
    ['a port out of range', (_, service) => Object.assign(service, { port: 70_000 }), /port.*less than or equal to 65535/s],
    [
      'a factor beside a percentile',
      (_, service) => Object.assign(service, { latency: { factor: 0.4, percentile: 99 } }),
      /factor is a rule of its own/,
    ],
    [
      'a pod template without a server',
      (_, service) => Object.assign(service, { template: { spec: { containers: [{ name: 'web', image: 'web:1' }] } } }),
      /needs a container named server/,
    ],
    ['a percentile of 100', (spec) => Object.assign(spec, { latency: { percentile: 100 } }), /percentile.*less than 100/s],
    [
      'two services of one name',
      (spec) => Object.assign(spec, { services: [...(spec['services'] as object[]), ...(spec['services'] as object[])] }),
      /Duplicate value/,
    ],
    ['a name with a control character', (_, service) => Object.assign(service, { model: 'a\u0007b' }), /services\[0\]\.model/],
  ])('refuse a workload with %s', async (_what, change, message) => {
    expect(await refusal(inferenceWorkloads, workload(change))).toMatch(message);
  });

  it.each(['1media', 'media.eu', 'm'.repeat(64)])('refuse a workload called %s, after which no Service can be named', async (name) => {
    const object = { ...anInferenceWorkload(namespace, tags), metadata: { name, namespace } };
    expect(await refusal(inferenceWorkloads, object)).toMatch(/a letter first, and at most 63 characters/);
  });

  it('take the longest names, and refuse a pool whose name is no value of a label', async () => {
    await api.create(inferenceWorkloads, { ...anInferenceWorkload(namespace, tags), metadata: { name: 'm'.repeat(63), namespace } });
    await api.create(gpuPools, { ...aGpuPool(), metadata: { name: `1.${'p'.repeat(61)}` } });
    const message = await refusal(gpuPools, { ...aGpuPool(), metadata: { name: 'p'.repeat(64) } });
    expect(message).toMatch(/becomes the value of a label/);
  });

  it('refuse a pool that would take every node, or opens at no hour', async () => {
    expect(await refusal(gpuPools, { ...aGpuPool({ nodeSelector: {} }), metadata: { name: 'wrong' } })).toMatch(
      /nodeSelector.*at least 1/s,
    );
    const window = { days: ['Mon' as const], start: '25:00', durationMinutes: 10 };
    expect(await refusal(gpuPools, { ...aGpuPool({ maintenanceWindows: [window] }), metadata: { name: 'wrong' } })).toMatch(/start/);
  });

  it('let nobody change a plan or an approval', async () => {
    const hash = `sha256:${'0'.repeat(64)}`;
    const spec = {
      group: 'a100',
      sequence: 1,
      workloads: [],
      planId: hash,
      stateHash: hash,
      inputHash: hash,
      hardwareHash: hash,
      gpus: 1,
      bound: 1,
      services: [],
      summary: { podStarts: 0, podStops: 0, wipes: 0, kept: 0, seconds: 0 },
      transition: { anything: [{ at: 'all' }] },
    };
    const plan = await api.create(sharingPlans, { metadata: { name: 'a100-1' }, spec });
    expect(plan.spec.transition).toEqual(spec.transition);
    await expect(api.patch(sharingPlans, plan.metadata, { spec: { gpus: 2 } })).rejects.toThrow(/cannot be changed/);
    await expect(api.patch(sharingPlans, plan.metadata, { spec: { transition: { anything: [] } } })).rejects.toThrow(/cannot be changed/);
    await api.patch(sharingPlans, plan.metadata, { status: { phase: 'Ready' } }, { subresource: 'status' });
    await api.create(planApprovals, { metadata: { name: 'a100-1' }, spec: { sharingPlan: 'a100-1', planId: hash, stateHash: hash } });
    await expect(api.patch(planApprovals, plan.metadata, { spec: { sharingPlan: 'a100-2' } })).rejects.toThrow(/cannot be changed/);
  });

  it('show what matters in a table, and have short names', async () => {
    const kubeconfig = await cluster.kubeconfig();
    const status = { gpus: 3, bound: 2.5, ready: '4/5', capacity: '98%', sharingPlan: 'a100-1' };
    const ready = { type: 'Ready', status: 'False', reason: 'DemandNotMet', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const name = { namespace, name: 'media' };
    await api.patch(inferenceWorkloads, name, { status: { ...status, conditions: [ready] } }, { subresource: 'status' });
    const pool = { nodes: 4, gpus: 32, gpusUsed: 3, gpusReserved: 1, freeSlices: 230 };
    await api.patch(gpuPools, { name: 'a100' }, { status: pool }, { subresource: 'status' });
    await api.create(nodeStates, { metadata: { name: 'gpu-0' }, spec: { driver: '580.95.05', gpus: [] } });
    const linesOf = async (...args: string[]) =>
      (await kubectl(kubeconfig, 'get', ...args)).stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/).slice(0, -1).join(' | '));
    expect(await linesOf('iwl', '-n', namespace, 'media')).toEqual([
      'NAME | MODE | GPUS | BOUND | SERVICES | CAPACITY | READY | PLAN',
      'media | Apply | 3 | 2.5 | 4/5 | 98% | False | a100-1',
    ]);
    expect(await linesOf('gpool', 'a100')).toEqual([
      'NAME | GPU | BACKEND | NODES | GPUS | USED | RESERVED | FREE SLICES',
      'a100 | A100-80GB | mig-manager | 4 | 32 | 3 | 1 | 230',
    ]);
    expect(await linesOf('splan')).toEqual([
      'NAME | PHASE | GPUS | BOUND | STARTS | WIPES | DONE | STEPS',
      expect.stringMatching(/^a100-1 \| Ready \| 1 \| 1 \| 0 \| 0/),
    ]);
    expect(await linesOf('pa')).toEqual(['NAME | PLAN', 'a100-1 | a100-1']);
    expect(await linesOf('gns')).toEqual(['NAME | DRIVER | OBSERVED', expect.stringMatching(/^gpu-0 \| 580.95.05/)]);
  });
});
