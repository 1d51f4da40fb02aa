import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { runInProcess } from '../../src/cli/io.fixture.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import { deployments, nodes, pods } from '../../src/cluster/client/resources.js';
import { removeEmulatedNodes } from '../../src/cluster/emulate/emulated-fleet.js';
import { faultAnnotation } from '../../src/cluster/emulate/faults.js';
import { gpuPools, inferenceWorkloads, nodeStates } from '../../src/cluster/objects/kinds.js';
import { labels } from '../../src/cluster/objects/names.js';
import type { StateDocument } from '../../src/demand/documents/state.js';
import { eventually, kubectl, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { installRouteKind } from './crds.fixture.js';
import { clusterRoleBindings, clusterRoles, type Role, rbacGroup, readDeploy } from './deploy.fixture.js';
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
    await bindViewer('viewer', 'inlay-viewer', (rules) => rules);
    // Of the built-in roles for looking, few allow to list Deployments everywhere.
    await bindViewer('team', 'inlay-few-rights', (rules) => rules.filter(({ apiGroups }) => !apiGroups.includes('apps')));
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

  /** Makes the role inlay-viewer of deploy/, or a part of it, and binds it to a user. */
  async function bindViewer(user: string, name: string, change: (rules: Role['rules']) => Role['rules']): Promise<void> {
    const role = readDeploy().find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'inlay-viewer') as Role;
    await lab.api.create(clusterRoles, { metadata: { name }, rules: change(role.rules) });
    await lab.api.create(clusterRoleBindings, {
      metadata: { name: `inlay-test-${user}` },
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', name: user, apiGroup: rbacGroup }],
    } as KubeObject);
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

  it('knows the capacities, and goes without them when the user may not read Deployments', async () => {
    const capacitiesFor = async (kubeconfig: string) => {
      const { gpus } = await readState(kubeconfig);
      return gpus.flatMap(({ instances }) => instances.flatMap(({ service, capacityRps }) => (service === null ? [] : [capacityRps])));
    };
    const capacities = await capacitiesFor(viewer);
    expect(capacities.every((rps) => rps !== undefined && rps > 0)).toBe(true);
    expect(await capacitiesFor(await lab.cluster.kubeconfig('team'))).toEqual(capacities.map(() => undefined));
  });

  it('gives what `inlay plan --current` and `inlay transition` read: the same demand leaves everything where it is', async () => {
    const { exitCode } = await runInProcess(['state', '-o', file, '--kubeconfig', viewer]);
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
    const { exitCode, stderr } = await runInProcess(['state', '--kubeconfig', await lab.cluster.kubeconfig('approver')]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('CLUSTER_FORBIDDEN');
  });

  it('has a counterpart: what `inlay export` writes is taken as it is, routes included, without a warning', async () => {
    await installRouteKind(lab.api);
    const namespace = await lab.cluster.namespace();
    const [templates, plan, manifests] = ['templates.yaml', 'plan.json', 'manifests.yaml'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const workload = parse(readFileSync('examples/kubernetes/workload.yaml', 'utf8'));
    workload.metadata.namespace = namespace;
    workload.spec.gateway = { name: 'public', namespace: 'edge' };
    writeFileSync(templates, stringify(workload));
    expect(await runInProcess(['plan', 'examples/media/workload.yaml', '-o', plan])).toMatchObject({ exitCode: 0 });
    const written = await runInProcess(['export', plan, '--format', 'kubernetes', '--templates', templates, '-o', manifests]);
    expect(written).toMatchObject({ exitCode: 0, stderr: '' });
    const { stdout, stderr } = await kubectl(await lab.cluster.kubeconfig(), 'apply', '--server-side', '-f', manifests);
    expect(stderr).toBe('');
    const kinds = stdout.split('\n').map((line) => line.split('/')[0]);
    const names = workload.spec.services.map(({ name }: { readonly name: string }) => name);
    for (const kind of ['poddisruptionbudget.policy', 'httproute.gateway.networking.k8s.io']) {
      expect(kinds.filter((one) => one === kind)).toHaveLength(names.length);
    }
    const made = (await lab.api.list(deployments, { namespace })).items;
    expect(new Set(made.map(({ metadata }) => metadata.labels?.[labels.service]))).toEqual(new Set(names));
    expect(kinds.filter((one) => one === 'deployment.apps')).toHaveLength(made.length);
  });
});
