import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { customResourceDefinitions } from '../../src/cluster/client/resources.js';
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
