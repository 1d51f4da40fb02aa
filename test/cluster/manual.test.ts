import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import { configMaps, deployments, nodes, podDisruptionBudgets, pods, type Resource, services } from '../../src/cluster/client/resources.js';
import { inferenceWorkloads } from '../../src/cluster/objects/kinds.js';
import { fieldManager, nvidia } from '../../src/cluster/objects/names.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, startOperatorCluster } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 1500, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};
const kinds: readonly Resource[] = [nodes, pods, deployments, services, podDisruptionBudgets];

describe.skipIf(whyNoCluster)(`a pool that a person cuts${skippedBecause}`, () => {
  let lab: OperatorCluster;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 1, gpus: 2, pool: { backend: 'manual' } });
  }, 120_000);
  afterAll(() => lab?.stop());

  /** Hands the file to a mig-manager and asks for one of its configs. */
  async function cut(node: string, config: string): Promise<void> {
    const labels = { [nvidia.migConfig]: config, [nvidia.migState]: null };
    await lab.api.patch(nodes, { name: node }, { metadata: { labels } });
    await eventually(`${node} is cut as ${config} says`, async () => {
      const { metadata } = await lab.api.get(nodes, { name: node });
      return metadata.labels?.[nvidia.migState] === 'success';
    });
  }

  async function scale(name: string, replicas: number): Promise<void> {
    const where = { namespace: lab.namespace, name };
    await lab.api.patch(deployments, where, { spec: { replicas } });
    await eventually(`${name} has ${replicas} ready pods`, async () => {
      const { status } = await lab.api.get(deployments, where);
      return ((status as { readyReplicas?: number } | undefined)?.readyReplicas ?? 0) === replicas;
    });
  }

  it('is carried out by the files alone, step by step, and the operator writes nothing else', async () => {
    const { api, namespace } = lab;
    lab.start();
    await api.create(inferenceWorkloads, anInferenceWorkload(namespace, demands));
    await planOfPhase(api, namespace, 'Applying');
    const { data = {}, metadata } = await eventually('the files are there', async () => {
      const { items } = await api.list(configMaps, { namespace: 'inlay-system' });
      return items.find((map) => map.metadata.name === 'a100-1-files');
    });
    expect(metadata.ownerReferences).toMatchObject([{ kind: 'SharingPlan', name: 'a100-1' }]);
    await eventually('the workload says that steps wait for a person', async () => {
      const { status } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
      return status?.conditions?.some(({ type, reason }) => type === 'Progressing' && reason === 'WaitsForPerson');
    });

    const file = { 'config.yaml': data['mig-parted.yaml'] ?? '' };
    await api.create(configMaps, { metadata: { name: 'inlay-mig-config', namespace: 'gpu-operator' }, data: file });
    for (const document of parseAllDocuments(data['manifests.yaml'] ?? '')) {
      const object = document.toJS() as KubeObject;
      await api.apply(kinds.find(({ kind }) => kind === object.kind) as Resource, object, { fieldManager: 'person' });
    }
    const commands = (data['steps.txt'] ?? '').split('\n').filter((line) => line.startsWith('    '));
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) {
      const [, node, config] = /on (\S+): nvidia-mig-parted .* -c (\S+)$/.exec(command) ?? [];
      const [, name, replicas] = /kubectl scale .* deployment\/(\S+) --replicas=(\d+)$/.exec(command) ?? [];
      if (node !== undefined && config !== undefined) await cut(node, config);
      else await scale(name ?? command, Number(replicas));
    }
    expect((await planOfPhase(api, namespace, 'Ready')).metadata.name).toBe('a100-1');
    for (const resource of kinds) {
      const { items } = await api.list(resource);
      const touched = items.filter(({ metadata: own }) =>
        (own as { readonly managedFields?: readonly { readonly manager?: string }[] }).managedFields?.some(
          ({ manager }) => manager === fieldManager,
        ),
      );
      expect(touched.map(({ metadata: own }) => own.name)).toEqual([]);
    }
  });
});
