import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { publishNodeState } from '../../src/cluster/agent/run-agent.js';
import { hasStatus } from '../../src/cluster/client/kubernetes-error.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import {
  configMaps,
  deployments,
  httpRoutes,
  podDisruptionBudgets,
  pods,
  type Resource,
  resourceOf,
  services,
} from '../../src/cluster/client/resources.js';
import { inferenceWorkloads, planApprovals, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { installRouteKind } from './crds.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster } from './operator.fixture.js';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Role extends KubeObject {
  readonly rules: readonly Rule[];
}

interface Binding extends KubeObject {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly apiGroup?: string }[];
}

const rbac = 'rbac.authorization.k8s.io';
const resources = {
  ClusterRole: resourceOf<Role>(`clusterroles.v1.${rbac}`, 'ClusterRole', 'cluster'),
  Role: resourceOf<Role>(`roles.v1.${rbac}`, 'Role', 'namespaced'),
  ClusterRoleBinding: resourceOf<Binding>(`clusterrolebindings.v1.${rbac}`, 'ClusterRoleBinding', 'cluster'),
  RoleBinding: resourceOf<Binding>(`rolebindings.v1.${rbac}`, 'RoleBinding', 'namespaced'),
} as const;

const createdByApply = [
  'create configmaps',
  'create deployments.apps',
  'create httproutes.gateway.networking.k8s.io',
  'create poddisruptionbudgets.policy',
  'create services',
];

const demands = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};

/** What a role of deploy/ grants: `verb resource[.group][/subresource]`, sorted. */
function grantsOf(roles: readonly Role[]): string[] {
  const grants = roles.flatMap(({ rules }) =>
    rules.flatMap(({ apiGroups, resources: named, verbs }) =>
      apiGroups.flatMap((group) =>
        named.flatMap((name) => {
          const [resource, subresource] = name.split('/');
          const where = `${[resource, group].filter((part) => part !== '').join('.')}${subresource === undefined ? '' : `/${subresource}`}`;
          return verbs.map((verb) => `${verb} ${where}`);
        }),
      ),
    ),
  );
  return [...new Set(grants)].sort();
}

describe.skipIf(whyNoCluster)(`the roles of deploy/${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let manifests: readonly KubeObject[];

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
    await installRouteKind(lab.api);
    manifests = parseAllDocuments(await readFile('deploy/inlay.yaml', 'utf8')).map((document) => document.toJS() as KubeObject);
    for (const object of manifests) {
      if (object.kind === 'ClusterRole' || object.kind === 'Role')
        await lab.api.apply(resources[object.kind], object as Role, { fieldManager: 'test' });
    }
    await bind('operator', 'inlay-operator', ['gpu-operator', 'inlay-system']);
    await bind('agent', 'inlay-agent');
    await bind('viewer', 'inlay-viewer');
    await bind('approver', 'inlay-approver');
    await bind('team', 'inlay-workload-editor');
  }, 120_000);
  afterAll(() => lab?.stop());

  async function bind(user: string, role: string, namespaces: readonly string[] = []): Promise<void> {
    const subjects = [{ kind: 'User', name: user, apiGroup: rbac }];
    await lab.api.create(resources.ClusterRoleBinding, {
      metadata: { name: `test-${user}` },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects,
    });
    for (const namespace of namespaces) {
      await lab.api.create(resources.RoleBinding, {
        metadata: { name: `test-${user}`, namespace },
        roleRef: { apiGroup: rbac, kind: 'Role', name: role },
        subjects,
      });
    }
  }

  const roles = (name: string) =>
    manifests.filter(
      ({ kind, metadata }) => (kind === 'ClusterRole' || kind === 'Role') && metadata.name === name,
    ) as unknown as readonly Role[];
  const forbidden = async (attempt: Promise<unknown>) => expect(attempt).rejects.toSatisfy((error: unknown) => hasStatus(error, 403));

  it('give the operator just what it uses, and it uses all of it', async ({ skip }) => {
    const { controlPlane } = lab.cluster;
    if (controlPlane === undefined) return skip();
    const api = await lab.cluster.api('operator');
    const started = lab.start({ api, election: { namespace: 'inlay-system', leaseMs: 1000 } });
    await lab.api.create(inferenceWorkloads, anInferenceWorkload(lab.namespace, demands, { gateway: { name: 'public' } }));
    await planOfPhase(lab.api, lab.namespace, 'Ready');
    // Enough changes for an old plan to be forgotten, and for Deployments that nobody needs.
    for (const rates of [
      { tags: 100, search: 900 },
      { tags: 900, search: 100 },
      { tags: 100, search: 900 },
      { tags: 600, search: 300 },
      { tags: 100, search: 900 },
    ]) {
      await setRates(lab.api, lab.namespace, rates);
      await planOfPhase(lab.api, lab.namespace, 'Ready');
    }
    const where = { namespace: lab.namespace };
    await eventually('there are routes', async () => (await lab.api.list(httpRoutes, where)).items.length > 0);
    await lab.api.patch(inferenceWorkloads, { ...where, name: 'media' }, { spec: { gateway: null } });
    await eventually('the routes are gone', async () => (await lab.api.list(httpRoutes, where)).items.length === 0);
    await eventually('and what they pointed to', async () =>
      (await lab.api.list(services, where)).items.every(({ metadata }) => metadata.labels?.['inlay.dev/profile'] === undefined),
    );
    const { spec } = await lab.api.get(inferenceWorkloads, { ...where, name: 'media' });
    await lab.api.patch(inferenceWorkloads, { ...where, name: 'media' }, { spec: { services: spec.services.slice(0, 1) } });
    await eventually('a service that is given up leaves nothing', async () => {
      const [own, budgets] = [await lab.api.list(services, where), await lab.api.list(podDisruptionBudgets, where)];
      return own.items.length === 1 && budgets.items.length === 1;
    });
    await started.stop();
    expect(lab.log.filter((line) => line.includes('"status":403'))).toEqual([]);
    // An apply that creates is a patch in the audit log, and needs the right to create as well: see the next test.
    const granted = grantsOf(roles('inlay-operator')).filter((grant) => !createdByApply.includes(grant));
    expect(controlPlane.verbsOf('operator')).toEqual(granted);
    api.close();
  }, 180_000);

  it('let the operator create what it applies, which it could not without that right', async () => {
    expect(grantsOf(roles('inlay-operator'))).toEqual(expect.arrayContaining([...createdByApply]));
    const api = await lab.cluster.api('operator');
    const objects = [
      [services, { kind: 'Service', spec: { ports: [{ port: 80 }] } }, lab.namespace],
      [podDisruptionBudgets, { kind: 'PodDisruptionBudget', spec: { minAvailable: 1 } }, lab.namespace],
      [httpRoutes, { kind: 'HTTPRoute', spec: {} }, lab.namespace],
      [configMaps, { kind: 'ConfigMap', data: {} }, 'gpu-operator'],
      [configMaps, { kind: 'ConfigMap', data: {} }, 'inlay-system'],
    ] as const;
    const apply = (n: number, name: string) => {
      const [resource, object, namespace] = objects[n] as (typeof objects)[number];
      return api.apply(resource as Resource, { ...object, metadata: { name, namespace } }, { fieldManager: 'test' });
    };
    for (const n of objects.keys()) await apply(n, 'allowed');
    for (const role of roles('inlay-operator')) {
      const rules = role.rules
        .map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') }))
        .filter(({ verbs }) => verbs.length > 0);
      await lab.api.apply(resources[role.kind as 'Role'], { ...role, rules }, { fieldManager: 'test', force: true });
    }
    await eventually('the rights are gone', async () => {
      const error = await apply(0, 'later').catch((caught: unknown) => caught);
      return hasStatus(error, 403);
    });
    for (const n of objects.keys()) await forbidden(apply(n, 'forbidden'));
  });

  it('let the agent publish its node and nothing else', async () => {
    const api = await lab.cluster.api('agent');
    await publishNodeState(api, 'gpu-0', { gpus: [] });
    await forbidden(api.list(pods));
    await forbidden(api.list(inferenceWorkloads));
    await forbidden(api.patch(resourceOf('nodes.v1', 'Node', 'cluster'), { name: 'gpu-0' }, { spec: { unschedulable: true } }));
  });

  it('let a viewer look, an approver approve, and a team edit its workloads, no more', async () => {
    const [viewer, approver, team] = [await lab.cluster.api('viewer'), await lab.cluster.api('approver'), await lab.cluster.api('team')];
    const { items } = await viewer.list(sharingPlans);
    const plan = items[0];
    const approval = {
      metadata: { name: 'yes' },
      spec: { sharingPlan: plan?.metadata.name ?? '', planId: plan?.spec.planId ?? '', stateHash: plan?.spec.stateHash ?? '' },
    };
    await forbidden(viewer.create(planApprovals, approval));
    await forbidden(team.create(planApprovals, approval));
    await approver.create(planApprovals, approval);
    await forbidden(approver.remove(sharingPlans, plan?.metadata ?? { name: '' }));
    await forbidden(approver.list(inferenceWorkloads));
    await setRates(team, lab.namespace, { tags: 500 });
    await forbidden(team.list(deployments));
    await eventually(
      'the team reads its status',
      async () => (await team.get(inferenceWorkloads, { namespace: lab.namespace, name: 'media' })).status !== undefined,
    );
  });
});
