import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { runInProcess } from '../../src/cli/io.fixture.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import { nodes, pods, type Resource, resourceOf } from '../../src/cluster/client/resources.js';
import { removeEmulatedNodes } from '../../src/cluster/emulate/emulated-fleet.js';
import { faultAnnotation } from '../../src/cluster/emulate/faults.js';
import { gpuPools, inferenceWorkloads, nodeStates } from '../../src/cluster/objects/kinds.js';
import type { StateDocument } from '../../src/demand/documents/state.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, startOperatorCluster } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};

describe.skipIf(whyNoCluster)(`inlay state${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let viewer: string;
  const folder = mkdtempSync(join(tmpdir(), 'inlay-state-'));
  const file = join(folder, 'state.json');

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
    const { api, cluster, namespace } = lab;
    await letView('viewer');
    viewer = await cluster.kubeconfig('viewer');
    const operator = lab.start();
    await api.create(inferenceWorkloads, anInferenceWorkload(namespace, demands));
    await planOfPhase(api, namespace, 'Ready');
    await operator.stop();
  }, 120_000);
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await lab?.stop();
  });

  /** Binds the role inlay-viewer of deploy/. */
  async function letView(user: string): Promise<void> {
    const group = 'rbac.authorization.k8s.io';
    const roles: Resource = resourceOf(`clusterroles.v1.${group}`, 'ClusterRole', 'cluster');
    const bindings: Resource = resourceOf(`clusterrolebindings.v1.${group}`, 'ClusterRoleBinding', 'cluster');
    const documents = parseAllDocuments(readFileSync('deploy/base/people-roles.yaml', 'utf8')).map(
      (document) => document.toJS() as KubeObject,
    );
    const role = documents.find(({ metadata }) => metadata.name === 'inlay-viewer');
    if (role === undefined) throw new Error('deploy/ has no role inlay-viewer');
    await lab.api.create(roles, role);
    const binding = {
      metadata: { name: 'viewers' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'inlay-viewer' },
      subjects: [{ kind: 'User', name: user, apiGroup: group }],
    };
    await lab.api.create(bindings, binding);
  }

  const readState = async (kubeconfig: string): Promise<StateDocument> => {
    const { exitCode, stdout, stderr } = await runInProcess(['state', '--json', '--kubeconfig', kubeconfig]);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    return JSON.parse(stdout) as StateDocument;
  };

  it('shows every pod on its instance, to a user who may only read', async () => {
    const state = await readState(viewer);
    const running = (await lab.api.list(pods, { namespace: lab.namespace })).items;
    const used = state.gpus.flatMap(({ instances }) => instances.filter(({ service }) => service !== null));
    expect(used).toHaveLength(running.length);
    expect(new Set(used.map(({ service }) => service))).toEqual(
      new Set(Object.keys(demands).map((name) => `${lab.namespace}.media.${name}`)),
    );
    expect(state.gpus.map(({ id, pool, type }) => `${id} ${pool} ${type}`)).toEqual(
      ['gpu-0/0', 'gpu-0/1', 'gpu-1/0', 'gpu-1/1'].map((id) => `${id} a100 A100-80GB`),
    );
    expect(state.services.map(({ name, rateRps }) => [name, rateRps])).toEqual(
      Object.entries(demands).map(([name, { rateRps }]) => [`${lab.namespace}.media.${name}`, rateRps]),
    );
    const requests = lab.cluster.controlPlane?.requestsOf('viewer') ?? [];
    expect(requests.filter(({ verb }) => verb !== 'list' && verb !== 'get')).toEqual([]);
  });

  it('knows the capacities when the user may read Deployments', async () => {
    const state = await readState(await lab.cluster.kubeconfig('admin'));
    const capacities = state.gpus.flatMap(({ instances }) =>
      instances.flatMap(({ service, capacityRps }) => (service === null ? [] : [capacityRps])),
    );
    expect(capacities.every((rps) => rps !== undefined && rps > 0)).toBe(true);
  });

  it('gives what `inlay plan --current` and `inlay transition` read: the same demand leaves everything where it is', async () => {
    const { exitCode } = await runInProcess(['state', '-o', file, '--kubeconfig', await lab.cluster.kubeconfig('admin')]);
    expect(exitCode).toBe(0);
    const workload = join(folder, 'workload.yaml');
    writeFileSync(
      join(folder, 'a100.csv'),
      readFileSync('examples/media/a100.csv', 'utf8').replace(/^(?!#)(resnet50|bert-base)/gm, `${lab.namespace}.media/$1`),
    );
    const services = Object.entries(demands).map(([name, demand]) => ({
      name: `${lab.namespace}.media.${name}`,
      ...demand,
      model: `${lab.namespace}.media/${demand.model}`,
      latency: { percentile: 99, router: 'random' },
    }));
    const spec = { performance: ['a100.csv'], pools: [{ name: 'a100', gpu: 'A100-80GB', count: 4 }], services };
    writeFileSync(workload, stringify({ apiVersion: 'inlay.dev/v1alpha1', kind: 'Workload', metadata: { name: 'media' }, spec }));
    expect(await runInProcess(['plan', workload, '--current', file, '--json'])).toMatchObject({ exitCode: 0, stderr: '' });
    const plan = await runInProcess(['transition', file, workload, '--json']);
    expect(plan.stderr).toBe('');
    expect(JSON.parse(plan.stdout)).toMatchObject({ steps: [] });
  });

  it('reserves what others run, and GPUs of a node that nobody reports from as far as needed', async () => {
    const { api, namespace } = lab;
    const free = (await readState(viewer)).gpus.find(({ instances }) => instances.length === 0);
    if (free !== undefined) {
      const resources = { limits: { 'nvidia.com/gpu': '1' } };
      const spec = { nodeSelector: { 'kubernetes.io/hostname': free.node ?? '' }, containers: [{ name: 'x', image: 'x', resources }] };
      await api.create(pods, { metadata: { name: 'foreign', namespace }, spec });
      await eventually('the foreign pod is reserved', async () => {
        const { gpus } = await readState(viewer);
        return gpus.find(({ id }) => id === free.id)?.instances.some(({ reserved, profile }) => reserved === true && profile === 'full');
      });
    }
    await api.patch(nodes, { name: 'gpu-1' }, { metadata: { annotations: { [faultAnnotation]: 'agent-missing' } } });
    await eventually('the report is gone', async () => (await api.list(nodeStates)).items.length === 1);
    const { stdout, stderr } = await runInProcess(['state', '--json', '--kubeconfig', viewer]);
    expect(stderr).toContain('AGENT_MISSING');
    expect(stderr).toContain('gpu-1');
    expect((JSON.parse(stdout) as StateDocument).gpus).toHaveLength(4);
  });

  it('makes a pool of each GPU model where there are no pools, and an empty state where there is nothing', async () => {
    const { api } = lab;
    await api.remove(gpuPools, { name: 'a100' });
    const pools = async () => {
      const { stdout } = await runInProcess(['state', '--json', '--quiet', '--kubeconfig', viewer]);
      return (JSON.parse(stdout) as StateDocument).gpus.map(({ pool }) => pool);
    };
    expect(await pools()).toEqual(Array.from({ length: 4 }, () => 'a100-80gb'));
    await removeEmulatedNodes(api);
    expect(await pools()).toEqual([]);
  });

  it('says what is missing to a user who may not read nodes', async () => {
    const { exitCode, stderr } = await runInProcess(['state', '--kubeconfig', await lab.cluster.kubeconfig('team')]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('CLUSTER_FORBIDDEN');
  });
});
