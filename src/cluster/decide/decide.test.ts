import { describe, expect, it } from 'vitest';
import type { ConfigMap, Node, Pod } from '../client/object-types.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import type { NodeState } from '../objects/node-state.js';
import type { PlanApproval } from '../objects/sharing-plan.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { contentOf, runOperator, watchFloor } from './run-operator.fixture.js';
import { SimulatedCluster, type SimulationOptions } from './simulated-cluster.fixture.js';
import { placeInstances, readyThroughput } from './simulated-objects.fixture.js';

const media = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 },
};

function aCluster(options: Partial<SimulationOptions> = {}): SimulatedCluster {
  const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 2, ...options });
  cluster.put(aPool());
  cluster.put(tables);
  return cluster;
}

describe('decide', () => {
  it('rolls out a first plan on empty nodes', async () => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', media));
    const life = await runOperator(cluster, { seed: 1 });
    expect(life.settled).toBe(true);
    const [plan] = cluster.view().plans;
    expect(plan?.status?.phase).toBe('Ready');
    const ready = readyThroughput(cluster.view());
    for (const [name, { rateRps }] of Object.entries(media)) expect(ready.get(`team.media.${name}`)).toBeGreaterThanOrEqual(rateRps);
    expect(contentOf(cluster)).toHaveLength(plan?.spec.gpus as number);
    expect(cluster.disturbed).toBe(false);
  });

  it('follows a change of demand without a service below its floor', async () => {
    const cluster = aCluster({ nodes: 3 });
    cluster.put(aWorkload('media', media));
    await runOperator(cluster, { seed: 1 });
    cluster.setRates('media', { tags: 200, search: 700, captions: 20 });
    const onChange = watchFloor(cluster, { 'team.media.tags': 200, 'team.media.search': 300, 'team.media.captions': 14 });
    const life = await runOperator(cluster, { seed: 2, onChange });
    expect(life.settled).toBe(true);
    const plan = cluster.view().plans.find(({ spec }) => spec.sequence === 2);
    expect(plan?.status?.phase).toBe('Ready');
    expect(readyThroughput(cluster.view()).get('team.media.search')).toBeGreaterThanOrEqual(700);
    expect(cluster.disturbed).toBe(false);
  });

  it('brings pods elsewhere when a person cordons their node, and leaves the cordon alone', async () => {
    const cluster = aCluster({ nodes: 3 });
    cluster.put(aWorkload('media', media));
    await runOperator(cluster, { seed: 1 });
    const [node] = cluster.view().nodes;
    cluster.put({ ...node, spec: { unschedulable: true } } as Node);
    const onChange = watchFloor(cluster, { 'team.media.tags': 600, 'team.media.search': 300, 'team.media.captions': 14 });
    const life = await runOperator(cluster, { seed: 3, onChange });
    expect(life.settled).toBe(true);
    const elsewhere = cluster.view().pods.filter(({ spec }) => spec.nodeName !== undefined && spec.nodeName !== node?.metadata.name);
    expect(elsewhere.length).toBeGreaterThanOrEqual(3);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(cluster.view().nodes[0]?.spec?.unschedulable).toBe(true);
  });

  it('brings pods elsewhere when their node vanishes', async () => {
    const cluster = aCluster({ nodes: 3 });
    cluster.put(aWorkload('media', media));
    await runOperator(cluster, { seed: 1 });
    cluster.drop('Node', 'node-0');
    const life = await runOperator(cluster, { seed: 3 });
    expect(life.settled).toBe(true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    const ready = readyThroughput(cluster.view());
    for (const [name, { rateRps }] of Object.entries(media)) expect(ready.get(`team.media.${name}`)).toBeGreaterThanOrEqual(rateRps);
  });

  it('makes again what a person deleted or changed', async () => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', media));
    await runOperator(cluster, { seed: 1 });
    const before = contentOf(cluster);
    const { deployments, budgets, configMaps } = cluster.view();
    cluster.drop('Deployment', deployments[0]?.metadata.name ?? '', 'team');
    cluster.drop('PodDisruptionBudget', budgets[0]?.metadata.name ?? '', 'team');
    for (const map of configMaps.filter(({ metadata }) => metadata.name === 'inlay-mig-config'))
      cluster.put({ ...map, data: { 'config.yaml': 'gone' } } as ConfigMap);
    const life = await runOperator(cluster, { seed: 2 });
    expect(life.settled).toBe(true);
    expect(contentOf(cluster)).toEqual(before);
    expect(cluster.view().budgets).toHaveLength(budgets.length);
    expect(cluster.view().configMaps.find(({ metadata }) => metadata.name === 'inlay-mig-config')?.data?.['config.yaml']).toContain(
      'all-disabled',
    );
  });

  it('never touches pods that are not its own, and plans around their GPUs', async () => {
    const cluster = aCluster();
    const [state] = cluster.view().nodeStates;
    const gpus = state?.spec.gpus.map((gpu) => (gpu.index === 0 ? { ...gpu, pod: { namespace: 'other', name: 'training' } } : gpu));
    cluster.put({ ...state, spec: { gpus } } as NodeState);
    cluster.put({
      kind: 'Pod',
      metadata: { name: 'training', namespace: 'other' },
      spec: { nodeName: 'node-0', containers: [{ name: 'main', resources: { limits: { 'nvidia.com/gpu': '1' } } }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    } as Pod);
    cluster.put(aWorkload('media', media));
    const life = await runOperator(cluster, { seed: 1, onWrite: (write) => expect(write.where.name).not.toBe('training') });
    expect(life.settled).toBe(true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(cluster.view().pods.filter(({ metadata }) => metadata.annotations?.['inlay.dev/gpu'] === 'node-0/0')).toEqual([]);
    expect(cluster.view().pools[0]?.status?.gpusReserved).toBe(1);
  });

  it('changes nothing in mode Plan until an approval names the plan as it is', async () => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', media, { mode: 'Plan' }));
    await runOperator(cluster, { seed: 1 });
    expect(cluster.view().deployments).toEqual([]);
    const plan = newest(cluster);
    expect(plan?.status?.phase).toBe('Proposed');
    const { planId = '', stateHash = '' } = plan?.spec ?? {};
    const approval = (id: string): PlanApproval => ({
      kind: 'PlanApproval',
      metadata: { name: 'yes' },
      spec: { sharingPlan: plan?.metadata.name ?? '', planId: id, stateHash },
    });
    cluster.put(approval(`sha256:${'0'.repeat(64)}`));
    await runOperator(cluster, { seed: 2 });
    expect(cluster.view().deployments).toEqual([]);
    expect(conditionOf(cluster, 'Approved')?.reason).toBe('ApprovalExpired');
    cluster.put(approval(planId));
    await runOperator(cluster, { seed: 3 });
    expect(newest(cluster)?.status?.phase).toBe('Ready');
  });

  it('keeps a plan that meets a lower demand unless enough GPUs are saved', async () => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', media, { hysteresis: { minSavedGpus: 2 } }));
    await runOperator(cluster, { seed: 1 });
    cluster.setRates('media', { tags: 590, search: 290, captions: 13 });
    const life = await runOperator(cluster, { seed: 2 });
    expect(newest(cluster)?.spec.sequence).toBe(1);
    expect(conditionOf(cluster, 'Planned')?.reason).toBe('KeptByHysteresis');
    expect(life.settled).toBe(true);
  });

  it('rolls a new pod template out, through an idle slice where a service has nothing to spare', async () => {
    const cluster = aCluster();
    cluster.put(aWorkload('media', media));
    await runOperator(cluster, { seed: 1 });
    const before = contentOf(cluster);
    const workload = cluster.view().workloads[0] as InferenceWorkload;
    const services = workload.spec.services.map((service) => ({
      ...service,
      template: { spec: { containers: [{ name: 'server', image: 'server:2' }] } },
    }));
    cluster.put({ ...workload, spec: { ...workload.spec, services } } as InferenceWorkload);
    const onChange = watchFloor(cluster, { 'team.media.tags': 600, 'team.media.search': 300, 'team.media.captions': 14 });
    // Idle slices of each size, as a released GPU leaves them.
    const state = cluster.view().nodeStates.find(({ metadata }) => metadata.name === 'node-1');
    const profiles = new Set(cluster.view().pods.map(({ metadata }) => metadata.labels?.['inlay.dev/profile'] ?? ''));
    const gpus = state?.spec.gpus.map((gpu) => ({
      ...gpu,
      migEnabled: true,
      instances: placeInstances(gpu.product, [...profiles], `spare-${gpu.index}`),
    }));
    cluster.put({ ...state, spec: { gpus } } as NodeState);
    const life = await runOperator(cluster, { seed: 2, onChange });
    expect(life.settled).toBe(true);
    expect(new Set(cluster.view().pods.map(({ spec }) => spec.containers[0]?.image))).toEqual(new Set(['server:2']));
    expect(contentOf(cluster)).toEqual(before);
  });

  it('works without an agent, a whole node at a time, with every floor kept', async () => {
    const cluster = aCluster({ nodes: 4, gpusPerNode: 1 });
    cluster.put(aWorkload('media', media));
    const first = await runOperator(cluster, { seed: 1, blind: true });
    expect(first.settled).toBe(true);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    cluster.setRates('media', { tags: 200, search: 700 });
    const onChange = watchFloor(cluster, { 'team.media.tags': 200, 'team.media.search': 300, 'team.media.captions': 14 });
    const second = await runOperator(cluster, { seed: 2, blind: true, onChange });
    expect(second.settled).toBe(true);
    expect(newest(cluster)?.spec.sequence).toBeGreaterThan(1);
    expect(newest(cluster)?.status?.phase).toBe('Ready');
    expect(cluster.disturbed).toBe(false);
    expect(conditionOf(cluster, 'Degraded')?.message).toMatch(/Without an agent a node changes as a whole/);
  });

  it('never cuts a node without an agent while a pod may be on the GPU', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const cluster = aCluster({ nodes: 2, gpusPerNode: 2, seed });
      cluster.put(aWorkload('media', media));
      await runOperator(cluster, { seed, blind: true });
      cluster.setRates('media', { tags: 200, search: 700 });
      const onChange = watchFloor(cluster, { 'team.media.tags': 200, 'team.media.search': 300, 'team.media.captions': 14 });
      await runOperator(cluster, { seed, blind: true, onChange, mostRounds: 300 });
      expect(cluster.disturbed, `seed ${seed}`).toBe(false);
    }
  });

  it('waits for its maintenance window before it stops pods or cuts GPUs', async () => {
    const cluster = aCluster({ nodes: 3 });
    cluster.put(aWorkload('media', media));
    await runOperator(cluster, { seed: 1 });
    // The simulated clock begins on a Monday.
    cluster.put(aPool({ maintenanceWindows: [{ days: ['Sat'], start: '02:00', durationMinutes: 120 }] }));
    cluster.setRates('media', { tags: 200, search: 700 });
    const forbidden: string[] = [];
    await runOperator(cluster, {
      seed: 2,
      mostRounds: 60,
      onWrite: ({ kind, resource, why }) => void ((kind === 'evict' || resource.kind === 'Node') && forbidden.push(why)),
    });
    expect(forbidden).toEqual([]);
    cluster.nowMs = Date.UTC(2026, 0, 10, 2, 30);
    await runOperator(cluster, { seed: 3 });
    expect(newest(cluster)?.status?.phase).toBe('Ready');
  });
});

function newest(cluster: SimulatedCluster) {
  return cluster.view().plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
}

function conditionOf(cluster: SimulatedCluster, type: string) {
  return cluster.view().workloads[0]?.status?.conditions?.find((condition) => condition.type === type);
}
