import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { KubernetesError } from '../../src/cluster/client/kubernetes-error.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import type { Resource } from '../../src/cluster/client/resources.js';
import { gpuPools, inferenceWorkloads, planApprovals, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { skippedBecause, startCluster, type TestCluster, whyNoCluster } from './cluster.fixture.js';
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

  it('show what matters in a table', async () => {
    const table = (await api.read(`/apis/inlay.dev/v1alpha1/gpupools`)) as unknown;
    expect(JSON.stringify(table)).toContain('GpuPoolList');
    const names = (await api.read('/apis/inlay.dev/v1alpha1')) as
      | { readonly resources: readonly { readonly name: string; readonly shortNames?: readonly string[] }[] }
      | string;
    const found = typeof names === 'string' ? JSON.parse(names) : names;
    const short = Object.fromEntries(
      (found.resources as { name: string; shortNames?: string[] }[]).map(({ name, shortNames }) => [name, shortNames?.[0]]),
    );
    expect(short).toMatchObject({
      gpupools: 'gpool',
      inferenceworkloads: 'iwl',
      sharingplans: 'splan',
      planapprovals: 'pa',
      nodestates: 'gns',
    });
  });
});
