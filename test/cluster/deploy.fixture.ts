import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import { resourceOf } from '../../src/cluster/client/resources.js';
import type { AuditedRequest } from './audit.fixture.js';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

export interface Role extends KubeObject {
  readonly rules: readonly Rule[];
}

/** One right: a verb on a resource, in one namespace or (undefined) everywhere, on one name or (undefined) on all. */
export interface Grant {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export const rbacGroup = 'rbac.authorization.k8s.io';
export const clusterRoles = resourceOf<Role>(`clusterroles.v1.${rbacGroup}`, 'ClusterRole', 'cluster');
export const clusterRoleBindings = resourceOf(`clusterrolebindings.v1.${rbacGroup}`, 'ClusterRoleBinding', 'cluster');
const runtimeClasses = resourceOf<KubeObject & { readonly handler: string }>('runtimeclasses.v1.node.k8s.io', 'RuntimeClass', 'cluster');

/** The objects of `deploy/inlay.yaml` in their order. */
export function readDeploy(): readonly KubeObject[] {
  return parseAllDocuments(readFileSync('deploy/inlay.yaml', 'utf8')).map((document) => document.toJS() as KubeObject);
}

/** What NVIDIA's toolkit brings and the agent runs under. */
export async function installRuntimeClass(api: KubernetesApi): Promise<void> {
  await api.apply(runtimeClasses, { metadata: { name: 'nvidia' }, handler: 'nvidia' }, { fieldManager: 'test' });
}

/** The rights in the Roles and ClusterRoles of a name. */
export function grantsOf(role: string): Grant[] {
  const roles = readDeploy().filter(({ kind, metadata }) => /^(Cluster)?Role$/.test(kind ?? '') && metadata.name === role) as Role[];
  return roles.flatMap(({ rules, metadata: { namespace } }) =>
    rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.flatMap((verb) => resourceNames.map((name) => ({ verb, group, resource, namespace, name })))),
      ),
    ),
  );
}

const covers = (grant: Grant, request: AuditedRequest): boolean =>
  grant.verb === request.verb &&
  grant.group === request.group &&
  grant.resource === request.resource &&
  (grant.namespace === undefined || grant.namespace === request.namespace) &&
  (grant.name === undefined || grant.name === request.name);

/** Rights without which every one of the requests would have been allowed all the same. */
export function needlessGrants(grants: readonly Grant[], requests: readonly AuditedRequest[]): Grant[] {
  return grants.filter(
    (grant) => !requests.some((request) => covers(grant, request) && !grants.some((other) => other !== grant && covers(other, request))),
  );
}

/** Rights on all objects or in all namespaces that were used on one only: a narrower one would have done. */
export function wideGrants(grants: readonly Grant[], requests: readonly AuditedRequest[]): string[] {
  const only = (values: readonly string[]) => new Set(values).size === 1 && values[0] !== '';
  return grants.flatMap((grant) => {
    const used = requests.filter((request) => covers(grant, request));
    const what = `${grant.verb} ${grant.resource}`;
    const objects = used.map(({ namespace, name }) => (name === '' ? '' : `${namespace}/${name}`));
    return [
      ...(grant.name === undefined && only(objects) ? [`${what} ${objects[0]}`] : []),
      ...(grant.namespace === undefined && only(used.map(({ namespace }) => namespace)) ? [`${what} in ${used[0]?.namespace}`] : []),
    ];
  });
}
