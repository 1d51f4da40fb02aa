import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../src/cli/io.fixture.js';
import { publishNodeState } from '../../src/cluster/agent/run-agent.js';
import { connect } from '../../src/cluster/client/connect.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { hasStatus } from '../../src/cluster/client/kubernetes-error.js';
import type { ConfigMap, KubeObject, Pod } from '../../src/cluster/client/object-types.js';
import {
  configMaps,
  deployments,
  httpRoutes,
  nodes,
  podDisruptionBudgets,
  pods,
  type Resource,
  services,
} from '../../src/cluster/client/resources.js';
import { storeTransition } from '../../src/cluster/decide/plan-storage.js';
import { gpuPools, inferenceWorkloads, nodeStates, planApprovals, sharingPlans } from '../../src/cluster/objects/kinds.js';
import type { TransitionDocument } from '../../src/demand/documents/transition.js';
import { eventually, kubectl, ownsCluster, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { installRouteKind } from './crds.fixture.js';
import {
  clusterRoleBindings,
  clusterRoles,
  grantsOf,
  installRuntimeClass,
  needlessGrants,
  type Role,
  rbacGroup,
  readDeploy,
  wideGrants,
} from './deploy.fixture.js';
import { aGpuPool, anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};
const kinds: readonly Resource[] = [gpuPools, inferenceWorkloads, sharingPlans, planApprovals, nodeStates];

// The proof reads the API server's audit log.
describe.skipIf(whyNoCluster || !ownsCluster)(`deploy/ on a cluster${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let teams: readonly string[];
  const opened: KubernetesApi[] = [];

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
    await installRouteKind(lab.api);
    await installRuntimeClass(lab.api);
    const other = await lab.cluster.namespace();
    const tables = await lab.api.get(configMaps, { namespace: lab.namespace, name: 'tables' });
    await lab.api.create(configMaps, { metadata: { name: 'tables', namespace: other }, data: tables.data } as ConfigMap);
    await lab.api.create(gpuPools, { ...aGpuPool({ nodeSelector: { pool: 'none' } }), metadata: { name: 'spare' } });
    teams = [lab.namespace, other];
  }, 120_000);
  afterAll(async () => {
    for (const api of opened) api.close();
    await lab?.stop();
  });

  const account = (namespace: string, name: string) => `system:serviceaccount:${namespace}:${name}`;
  const requestsOf = (user: string) => lab.cluster.controlPlane?.requestsOf(user) ?? [];
  const refusedOf = (user: string) => requestsOf(user).filter(({ status }) => status === 403);
  const forbidden = async (attempt: Promise<unknown>) => expect(attempt).rejects.toSatisfy((error: unknown) => hasStatus(error, 403));
  const asPod = async (namespace: string, name: string, pod?: Pod): Promise<KubernetesApi> => {
    const api = await connect({ kubeconfig: await lab.cluster.serviceAccountKubeconfig(namespace, name, pod) });
    opened.push(api);
    return api;
  };
  const bind = (user: string, role: string) =>
    lab.api.create(clusterRoleBindings, {
      metadata: { name: `test-${user}` },
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', name: user, apiGroup: rbacGroup }],
    } as KubeObject);
  const podsOf = async (namespace: string) => (await lab.api.list(pods, { namespace })).items;

  it('is taken without a warning, and its pods run at the level of security that their namespaces state', async () => {
    const { stderr } = await kubectl(
      await lab.cluster.kubeconfig(),
      'apply',
      '--server-side',
      '--force-conflicts',
      '-f',
      'deploy/inlay.yaml',
    );
    expect(stderr).toBe('');
    for (const namespace of ['inlay-system', 'inlay-agent']) {
      // Two replicas of the operator, one agent on each of two nodes.
      await eventually(`the pods of ${namespace} run`, async () => {
        const running = (await podsOf(namespace)).filter(({ status }) => status?.phase === 'Running');
        return running.length === 2;
      });
    }
    const [agent] = await podsOf('inlay-agent');
    const { containers, volumes } = (agent?.spec ?? {}) as Pod['spec'] & { readonly volumes: unknown };
    const where = { name: 'agent', namespace: 'inlay-system' };
    await expect(lab.api.create(pods, { metadata: where, spec: { containers, volumes } as Pod['spec'] })).rejects.toThrow(
      /violates PodSecurity "restricted.*(SYS_ADMIN|hostPath)/,
    );
  });

  it('gives the operator what it uses, each right where it is needed and no wider', async () => {
    const api = await asPod('inlay-system', 'inlay-operator');
    const started = lab.start({ api, election: { namespace: 'inlay-system', leaseMs: 1000 } });
    const inEach = <T>(act: (namespace: string) => Promise<T>) => Promise.all(teams.map(act));
    const settle = () => inEach((namespace) => planOfPhase(lab.api, namespace, 'Ready'));
    await inEach((namespace) =>
      lab.api.create(inferenceWorkloads, anInferenceWorkload(namespace, demands, { gateway: { name: 'public' } })),
    );
    await settle();
    // Enough changes for an old plan to be forgotten, and for Deployments that nobody needs.
    for (const rates of [
      { tags: 100, search: 700 },
      { tags: 700, search: 100 },
      { tags: 100, search: 700 },
    ]) {
      await inEach((namespace) => setRates(lab.api, namespace, rates));
      await settle();
    }
    await inEach((namespace) =>
      eventually('there are routes', async () => (await lab.api.list(httpRoutes, { namespace })).items.length > 0),
    );
    await inEach(async (namespace) => {
      const { spec } = await lab.api.get(inferenceWorkloads, { namespace, name: 'media' });
      const change = { gateway: null, services: spec.services.slice(0, 1) };
      await lab.api.patch(inferenceWorkloads, { namespace, name: 'media' }, { spec: change });
    });
    await inEach((namespace) =>
      eventually('routes and a service that are given up leave nothing', async () => {
        const left = await Promise.all(
          ([services, podDisruptionBudgets, httpRoutes] as Resource[]).map((kind) => lab.api.list(kind, { namespace })),
        );
        return left.map(({ items }) => items.length).join() === '1,1,0';
      }),
    );
    // Parts of plans that are too large for one object, as the operator makes them.
    for (const name of ['a100-98', 'a100-99']) {
      const { parts } = storeTransition({ padding: '.'.repeat(300_000) } as unknown as TransitionDocument, name);
      for (const part of [...parts, ...parts]) await api.apply(configMaps, part, { fieldManager: 'inlay-operator', force: true });
    }
    await started.stop();
    const user = account('inlay-system', 'inlay-operator');
    expect(refusedOf(user)).toEqual([]);
    expect(needlessGrants(grantsOf('inlay-operator'), requestsOf(user))).toEqual([]);
    expect(wideGrants(grantsOf('inlay-operator'), requestsOf(user))).toEqual([]);
  }, 180_000);

  it('lets an agent report its own node and nothing else', async () => {
    const running = await podsOf('inlay-agent');
    const onNode = (name: string) => running.find(({ spec }) => spec.nodeName === name);
    for (const name of ['gpu-0', 'gpu-1']) {
      const api = await asPod('inlay-agent', 'inlay-agent', onNode(name));
      const { spec } = await lab.api.get(nodeStates, { name });
      await lab.api.remove(nodeStates, { name });
      await publishNodeState(api, name, spec);
      const other = name === 'gpu-0' ? 'gpu-1' : 'gpu-0';
      await expect(publishNodeState(api, other, { gpus: [] })).rejects.toThrow(`an agent reports its own node only: ${name}, not ${other}`);
    }
    await expect(publishNodeState(await asPod('inlay-agent', 'inlay-agent'), 'gpu-0', { gpus: [] })).rejects.toThrow(
      /its token names none/,
    );
    const user = account('inlay-agent', 'inlay-agent');
    expect(needlessGrants(grantsOf('inlay-agent'), requestsOf(user))).toEqual([]);
    expect(wideGrants(grantsOf('inlay-agent'), requestsOf(user))).toEqual([]);
    const api = await asPod('inlay-agent', 'inlay-agent', onNode('gpu-0'));
    await forbidden(api.list(pods));
    await forbidden(api.patch(nodes, { name: 'gpu-0' }, { spec: { unschedulable: true } }));
  });

  it('lets a viewer see everything, with kubectl and with inlay', async () => {
    await bind('viewer', 'inlay-viewer');
    const [viewer, kubeconfig] = [await lab.cluster.api('viewer'), await lab.cluster.kubeconfig('viewer')];
    await Promise.all(
      kinds.map(async (kind) => {
        const { items, resourceVersion } = await viewer.list(kind);
        await viewer.get(kind, items[0]?.metadata ?? { name: 'none', namespace: 'none' }).catch((error) => {
          if (!hasStatus(error, 404)) throw error;
        });
        await viewer.watch(kind, { resourceVersion, durationSeconds: 1 }, () => {});
      }),
    );
    const { stdout } = await kubectl(kubeconfig, 'describe', 'iwl', 'media', '-n', lab.namespace);
    expect(stdout).toMatch(/Reason: +DemandMet/);
    expect(await runInProcess(['state', '--json', '--kubeconfig', kubeconfig])).toMatchObject({ exitCode: 0 });
    expect(refusedOf('viewer')).toEqual([]);
    expect(needlessGrants(grantsOf('inlay-viewer'), requestsOf('viewer'))).toEqual([]);
  });

  it('lets an approver approve and a team edit its workloads, and people with the built-in role edit as well', async () => {
    await bind('approver', 'inlay-approver');
    await bind('team', 'inlay-workload-editor');
    const started = lab.start();
    await lab.api.patch(inferenceWorkloads, { namespace: lab.namespace, name: 'media' }, { spec: { mode: 'Plan' } });
    await setRates(lab.api, lab.namespace, { tags: 900 });
    const plan = await planOfPhase(lab.api, lab.namespace, 'Proposed');
    const kubeconfig = await lab.cluster.kubeconfig('approver');
    expect((await kubectl(kubeconfig, 'get', 'splan')).stdout).toContain(plan.metadata.name);
    expect(await runInProcess(['approve', plan.metadata.name, '--kubeconfig', kubeconfig])).toMatchObject({ exitCode: 0 });
    await planOfPhase(lab.api, lab.namespace, 'Ready');
    await started.stop();
    expect(refusedOf('approver')).toEqual([]);
    expect(needlessGrants(grantsOf('inlay-approver'), requestsOf('approver'))).toEqual([]);

    const team = await lab.cluster.api('team');
    const workload = { ...anInferenceWorkload(lab.namespace, demands), metadata: { name: 'second', namespace: lab.namespace } };
    await team.create(inferenceWorkloads, workload);
    await team.apply(inferenceWorkloads, workload, { fieldManager: 'kubectl', force: true });
    await team.replace(inferenceWorkloads, await team.get(inferenceWorkloads, workload.metadata));
    const { resourceVersion } = await team.list(inferenceWorkloads, { namespace: lab.namespace });
    await team.watch(inferenceWorkloads, { resourceVersion, durationSeconds: 1 }, () => {});
    await team.remove(inferenceWorkloads, workload.metadata);
    expect(refusedOf('team')).toEqual([]);
    expect(needlessGrants(grantsOf('inlay-workload-editor'), requestsOf('team'))).toEqual([]);
    await forbidden(team.list(deployments));
    await forbidden(team.create(planApprovals, { metadata: { name: 'own' }, spec: { ...plan.spec, sharingPlan: plan.metadata.name } }));
    for (const name of ['edit', 'admin']) {
      await eventually(`${name} holds the rights on workloads`, async () =>
        (await lab.api.get(clusterRoles, { name })).rules.some(({ resources }) => resources.includes('inferenceworkloads')),
      );
    }
  });

  it('needs the right to create for an apply, which the log does not tell', async () => {
    const api = await asPod('inlay-system', 'inlay-operator');
    const apply = (name: string) =>
      api.apply(configMaps, { metadata: { name, namespace: 'inlay-system' }, data: {} }, { fieldManager: 'test' });
    await apply('allowed');
    const role = readDeploy().find(({ kind, metadata }) => kind === 'Role' && metadata.namespace === 'inlay-system') as Role;
    const rules = role.rules.map((rule) => (rule.resources.includes('configmaps') ? { ...rule, verbs: ['patch'] } : rule));
    const roles = { ...clusterRoles, plural: 'roles', kind: 'Role', namespaced: true };
    await lab.api.apply(roles, { ...role, rules }, { fieldManager: 'test', force: true });
    // What was created before the change came through could be patched for ever.
    let tries = 0;
    await eventually('the right is gone', () =>
      apply(`later-${tries++}`).then(
        () => false,
        (error) => hasStatus(error, 403),
      ),
    );
    await apply('allowed');
    // And a right with a name holds for what an apply creates.
    await forbidden(api.apply(configMaps, { metadata: { name: 'other', namespace: 'gpu-operator' }, data: {} }, { fieldManager: 'test' }));
  });
});
