import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { isNotFound } from '../../src/cluster/client/kubernetes-error.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import { customResourceDefinitions, namespaces, nodes, pods, type Resource, resourceOf } from '../../src/cluster/client/resources.js';
import { testKindLabel } from '../../src/cluster/decide/routes.fixture.js';
import { emulatedLabel } from '../../src/cluster/emulate/node-objects.js';

const rbac = 'rbac.authorization.k8s.io';
const roles = resourceOf(`clusterroles.v1.${rbac}`, 'ClusterRole', 'cluster');
const bindings = resourceOf(`clusterrolebindings.v1.${rbac}`, 'ClusterRoleBinding', 'cluster');
/** On nodes that tests make by hand: no other node of a cluster is ever removed. */
export const testLabel = 'test.inlay.dev/node';

const waitMs = 60_000;

/** Removes what earlier tests left on a cluster that was given: own kinds, emulated nodes, roles and namespaces of tests. */
export async function cleanCluster(api: KubernetesApi): Promise<void> {
  const isTest = ({ metadata: { labels = {} } }: KubeObject) => emulatedLabel in labels || testLabel in labels;
  const emulated = new Set(await removeAll(api, nodes, isTest));
  for (const pod of (await api.list(pods)).items) {
    // No kubelet ends them any more.
    if (emulated.has(pod.spec.nodeName ?? '')) await api.remove(pods, pod.metadata, { gracePeriodSeconds: 0 }).catch(ignoreMissing);
  }
  await removeAll(api, bindings, ({ metadata }) => metadata.name.startsWith('inlay-'));
  await removeAll(api, roles, ({ metadata }) => metadata.name.startsWith('inlay-'));
  await removeAll(api, customResourceDefinitions, ({ metadata }) => metadata.name.endsWith('.inlay.dev'));
  await removeAll(api, customResourceDefinitions, ({ metadata }) => testKindLabel in (metadata.labels ?? {}));
  await removeAll(api, namespaces, ({ metadata }) => /^(gpu-operator|inlay-system|team-[a-z0-9]+)$/.test(metadata.name));
}

async function removeAll<T extends KubeObject>(
  api: KubernetesApi,
  resource: Resource<T>,
  isOurs: (object: T) => boolean,
): Promise<string[]> {
  const ours = async () => (await api.list(resource)).items.filter(isOurs);
  const names = (await ours()).map(({ metadata }) => metadata.name);
  for (const name of names) await api.remove(resource, { name }).catch(ignoreMissing);
  const deadline = performance.now() + waitMs;
  while ((await ours()).length > 0) {
    if (performance.now() > deadline) throw new Error(`${resource.plural} of earlier tests do not go away`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return names;
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
