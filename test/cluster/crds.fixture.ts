import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { hasStatus } from '../../src/cluster/client/kubernetes-error.js';
import { customResourceDefinitions, httpRoutes } from '../../src/cluster/client/resources.js';
import { aRouteKind } from '../../src/cluster/decide/routes.fixture.js';
import { customResourceDefinitions as ownKinds } from '../../src/cluster/objects/crds.js';
import { eventually } from './cluster.fixture.js';

/** Installs the own kinds and waits until the API server serves them. */
export async function installCrds(api: KubernetesApi): Promise<void> {
  for (const definition of ownKinds()) await api.apply(customResourceDefinitions, definition, { fieldManager: 'test', force: true });
  for (const { metadata } of ownKinds()) {
    await eventually(`${metadata.name} is established`, async () => {
      const { status } = await api.get(customResourceDefinitions, metadata);
      return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True');
    });
  }
}

/** Installs a kind HTTPRoute of our own making and waits until the API server serves it. */
export async function installRouteKind(api: KubernetesApi): Promise<void> {
  await api.apply(customResourceDefinitions, aRouteKind(), { fieldManager: 'test' });
  await eventually('HTTPRoutes are served', async () => {
    const answer = await api.list(httpRoutes).catch((error: unknown) => error);
    return !hasStatus(answer, 404);
  });
}
