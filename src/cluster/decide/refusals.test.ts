import { describe, expect, it } from 'vitest';
import type { Node } from '../client/object-types.js';
import { nvidia } from '../objects/names.js';
import type { NodeState } from '../objects/node-state.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';
import type { Write } from './write.js';

const tags = { tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 } };

function aCluster(nodes = 2): SimulatedCluster {
  const cluster = new SimulatedCluster({ seed: 1, nodes, gpusPerNode: 2 });
  cluster.put(aPool());
  cluster.put(tables);
  return cluster;
}

/** Runs until nothing is left to do and returns what was written to anything but statuses. */
async function run(cluster: SimulatedCluster, seed = 1): Promise<Write[]> {
  const writes: Write[] = [];
  const life = await runOperator(cluster, { seed, onWrite: (write) => void writes.push(write) });
  expect(life.settled).toBe(true);
  return writes.filter((write) => !(write.kind === 'patch' && write.subresource === 'status'));
}

function conditionOf(cluster: SimulatedCluster, type: string) {
  return cluster.view().workloads[0]?.status?.conditions?.find((condition) => condition.type === type);
}

describe('decide refuses before anything is touched', () => {
  it('nodes whose device plugin has the strategy single, when slices of two sizes are asked for', async () => {
    const cluster = aCluster();
    for (const node of cluster.view().nodes) {
      cluster.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, [nvidia.migStrategy]: 'single' } } } as Node);
    }
    cluster.put(aWorkload('media', tags));
    expect(await run(cluster)).toEqual([]);
    expect(conditionOf(cluster, 'Degraded')?.message).toMatch(
      /MIG_STRATEGY: Node node-0 runs the device plugin with the MIG strategy single/,
    );
    expect(conditionOf(cluster, 'Infeasible')?.status).toBe('True');
  });

  it('nodes of one product whose drivers name a profile differently, until they are two pools', async () => {
    const cluster = aCluster();
    const [first, second] = cluster.view().nodeStates;
    const cut = (state: NodeState | undefined, profile: string) => {
      const gpus = state?.spec.gpus.map((gpu) => ({
        ...gpu,
        migEnabled: true,
        instances: [{ profile, start: 0, uuid: `${state.metadata.name}-${gpu.index}` }],
      }));
      cluster.put({ ...state, spec: { gpus } } as NodeState);
    };
    cut(first, '3g.40gb');
    cut(second, '3g.39gb');
    cluster.put(aWorkload('media', tags));
    expect(await run(cluster)).toEqual([]);
    expect(conditionOf(cluster, 'Invalid')?.reason).toBe('PROFILE_SETS_DIFFER');

    for (const [index, node] of cluster.view().nodes.entries()) {
      cluster.put({ ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, pool: `a100-${index}` } } } as Node);
    }
    cluster.put(aPool({ nodeSelector: { pool: 'a100-0' } }));
    cluster.put({ ...aPool({ nodeSelector: { pool: 'a100-1' } }), metadata: { name: 'other' } });
    await run(cluster, 2);
    expect(conditionOf(cluster, 'Invalid')?.status).toBe('False');
    expect(cluster.view().plans).not.toEqual([]);
    cluster.put(aWorkload('media', tags, { pools: ['a100', 'other'] }));
    await run(cluster, 3);
    expect(conditionOf(cluster, 'Invalid')).toMatchObject({ reason: 'PROFILE_SETS_DIFFER', message: expect.stringContaining('3g.39gb') });
  });

  it('two pools that claim one node', async () => {
    const cluster = aCluster();
    cluster.put({ ...aPool(), metadata: { name: 'twin' } });
    cluster.put(aWorkload('media', tags));
    expect(await run(cluster)).toEqual([]);
    expect(conditionOf(cluster, 'Invalid')?.reason).toBe('NODE_CLAIMED_TWICE');
    expect(cluster.view().pools.map(({ status }) => status?.conditions?.[0]?.reason)).toEqual(['NODE_CLAIMED_TWICE', 'NODE_CLAIMED_TWICE']);
  });

  const container = (more: object) => [{ name: 'server', image: 'vllm:1', ...more }];
  it.each([
    ['tensor parallelism over slices', { containers: container({ args: ['--tensor-parallel-size', '2'] }) }, /splits the model/],
    ['tensor parallelism written with =', { containers: container({ command: ['vllm', '--tensor_parallel_size=4'] }) }, /splits the model/],
    [
      'a device of its own choice',
      { containers: container({ env: [{ name: 'CUDA_VISIBLE_DEVICES', value: '0' }] }) },
      /sets CUDA_VISIBLE_DEVICES/,
    ],
    ['a GPU resource', { containers: container({ resources: { limits: { 'nvidia.com/gpu': '1' } } }) }, /asks for nvidia\.com\/gpu/],
    ['a node', { containers: container({}), nodeName: 'node-0' }, /chooses its node: it has nodeName/],
    ['labels of nodes', { containers: container({}), nodeSelector: { 'kubernetes.io/hostname': 'node-0' } }, /it has nodeSelector/],
    [
      'labels that nodes must have',
      {
        containers: container({}),
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      },
      /it has affinity\.nodeAffinity/,
    ],
    ['scheduling gates', { containers: container({}), schedulingGates: [{ name: 'theirs' }] }, /it has schedulingGates/],
  ])('a pod template with %s', async (_what, spec, message) => {
    const cluster = aCluster();
    const workload = aWorkload('media', tags);
    cluster.put({
      ...workload,
      spec: { ...workload.spec, services: workload.spec.services.map((service) => ({ ...service, template: { spec } })) },
    } as typeof workload);
    expect(await run(cluster)).toEqual([]);
    expect(conditionOf(cluster, 'Invalid')?.reason).toBe('TEMPLATE_REFUSED');
    expect(conditionOf(cluster, 'Invalid')?.message).toMatch(message);
  });

  it('nothing of what others want because a pod template is none, whatever stands where', async () => {
    const fields = ['command', 'args', 'env', 'resources'];
    const wrong = ['text', 5, { a: 1 }, [null], [5], { limits: 'all' }, { requests: [{}] }, true];
    const specs = [
      ...fields.flatMap((key) => wrong.map((value) => ({ containers: container({ [key]: value }) }))),
      ...['initContainers', 'readinessGates', 'affinity', 'nodeSelector', 'schedulingGates'].flatMap((key) =>
        wrong.map((value) => ({ containers: container({}), [key]: value })),
      ),
    ];
    const cluster = aCluster();
    cluster.put(aWorkload('media', tags));
    for (const [index, spec] of specs.entries()) {
      const { spec: own, ...workload } = aWorkload(`odd-${index}`, { tags: { model: 'resnet50', rateRps: 0, latencyMs: 200 } });
      cluster.put({
        ...workload,
        spec: { ...own, services: own.services.map((service) => ({ ...service, template: { spec } })) },
      } as never);
    }
    const life = await runOperator(cluster, { seed: 1, mostRounds: 300 });
    expect(life.settled).toBe(true);
    const of = (name: string, type: string) =>
      cluster
        .view()
        .workloads.find(({ metadata }) => metadata.name === name)
        ?.status?.conditions?.find((condition) => condition.type === type);
    expect(of('media', 'Ready')?.status).toBe('True');
    for (const [index, spec] of specs.entries()) {
      // An object with limits, an unknown affinity: Kubernetes refuses some of what is read here without harm.
      const invalid = of(`odd-${index}`, 'Invalid');
      if (invalid?.status === 'True') expect(invalid.reason, JSON.stringify(spec)).toBe('TEMPLATE_REFUSED');
    }
    expect(specs.filter((_spec, index) => of(`odd-${index}`, 'Invalid')?.status === 'True').length).toBeGreaterThan(60);
  });

  it('no template for fields that are empty', async () => {
    const cluster = aCluster();
    const { spec: own, ...workload } = aWorkload('media', tags);
    const empty = { command: null, args: null, env: null, resources: null };
    const template = {
      spec: { containers: container(empty), initContainers: null, nodeSelector: {}, affinity: null, schedulingGates: null },
    };
    cluster.put({ ...workload, spec: { ...own, services: own.services.map((service) => ({ ...service, template })) } } as never);
    await run(cluster);
    expect(conditionOf(cluster, 'Ready')?.status).toBe('True');
  });

  it.each([
    ['a pool that does not exist', { pools: ['b200'] }, 'POOL_UNKNOWN'],
    ['a table that does not exist', { performance: [{ configMap: 'tables', key: 'h100.csv' }] }, 'FILE_NOT_FOUND'],
  ])('a workload with %s, with the code of the command line', async (_what, spec, code) => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', tags, spec));
    expect(await run(cluster)).toEqual([]);
    expect(conditionOf(cluster, 'Invalid')?.reason).toBe(code);
  });

  it('a model without rows, in the words of the object', async () => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', { tags: { model: 'resnet51', rateRps: 1, latencyMs: 100 } }));
    expect(await run(cluster)).toEqual([]);
    expect(conditionOf(cluster, 'Invalid')?.reason).toBe('MODEL_WITHOUT_ROWS');
    expect(conditionOf(cluster, 'Invalid')?.message).not.toContain('team.media');
  });

  it('a namespace that may not use the pool', async () => {
    const cluster = aCluster();
    cluster.put(aPool({ namespaces: ['others'] }));
    cluster.put(aWorkload('media', tags));
    expect(await run(cluster)).toEqual([]);
    expect(conditionOf(cluster, 'Invalid')?.reason).toBe('POOL_NOT_ALLOWED');
  });

  it('a demand that the pools cannot meet; what runs goes on', async () => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', tags));
    await run(cluster);
    const before = cluster.view().pods.map(({ metadata }) => metadata.name);
    cluster.setRates('media', { tags: 1e6 });
    expect(await run(cluster, 2)).toEqual([]);
    expect(conditionOf(cluster, 'Infeasible')?.reason).toBe('POOL_TOO_SMALL');
    expect(cluster.view().pods.map(({ metadata }) => metadata.name)).toEqual(before);
  });

  it('nothing of a valid workload because another one is invalid', async () => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', tags));
    cluster.put({
      ...aWorkload('broken', { tags: { model: 'no-such', rateRps: 1, latencyMs: 1 } }),
      metadata: { name: 'broken', namespace: 'team' },
    });
    await run(cluster);
    const conditions = (name: string) => cluster.view().workloads.find(({ metadata }) => metadata.name === name)?.status?.conditions ?? [];
    expect(conditions('media').find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(conditions('broken').find(({ type }) => type === 'Invalid')?.status).toBe('True');
  });
});

describe('what a plan says beforehand', () => {
  it('when a floor cannot be kept: which dip is needed, and it waits for an approval', async () => {
    // One GPU, full to the brim: two services that trade places have nowhere to go in between.
    const cluster = new SimulatedCluster({ seed: 1, nodes: 1, gpusPerNode: 1 });
    cluster.put(aPool());
    cluster.put(tables);
    const demand = {
      tags: { model: 'resnet50', rateRps: 900, latencyMs: 200 },
      search: { model: 'bert-base', rateRps: 150, latencyMs: 100 },
    };
    cluster.put(aWorkload('media', demand));
    await run(cluster);
    expect(cluster.view().plans[0]?.status?.phase).toBe('Ready');
    cluster.setRates('media', { tags: 250, search: 450 });
    const writes = await run(cluster, 2);
    expect(writes.filter(({ kind }) => kind === 'evict')).toEqual([]);
    const plan = cluster.view().plans.find(({ spec }) => spec.sequence === 2);
    expect(plan?.status?.phase).toBe('Proposed');
    expect(plan?.spec.dips?.length).toBeGreaterThan(0);
    expect(conditionOf(cluster, 'Approved')?.message).toMatch(/misses .* rps for .* Approve with: inlay approve a100-2/);

    const { planId = '', stateHash = '' } = plan?.spec ?? {};
    cluster.put({ kind: 'PlanApproval', metadata: { name: 'yes' }, spec: { sharingPlan: 'a100-2', planId, stateHash } } as never);
    await run(cluster, 3);
    expect(cluster.view().plans.find(({ spec }) => spec.sequence === 2)?.status?.phase).toBe('Ready');
    expect(conditionOf(cluster, 'Ready')?.status).toBe('True');
  });
});
