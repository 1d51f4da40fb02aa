import type { KubernetesApi } from '../client/kubernetes-api.js';
import { apiVersionOf, events } from '../client/resources.js';
import type { Write } from '../decide/write.js';

/** Events about objects without a namespace go where those of the API server go. */
const clusterNamespace = 'default';

/** Tells people what was done to an object, as an event of it. `instance` names the process, `number` is unique in it. */
export async function writeEvent(
  api: KubernetesApi,
  write: Write,
  uid: string | undefined,
  { instance, number, at }: EventOrigin,
): Promise<void> {
  const { resource, where, event: reason = '', why } = write;
  const namespace = where.namespace ?? clusterNamespace;
  await api.create(events, {
    metadata: { namespace, name: `${where.name.slice(0, 180)}.${instance}.${number}` },
    // Microseconds are what the API server wants to see.
    eventTime: at.replace('Z', '000Z'),
    reportingController: 'inlay.dev/operator',
    reportingInstance: instance,
    action: reason,
    reason,
    note: why.slice(0, 1000),
    type: reason === 'LayoutRolledBack' ? 'Warning' : 'Normal',
    regarding: {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      name: where.name,
      ...(where.namespace !== undefined && { namespace: where.namespace }),
      ...(uid !== undefined && { uid }),
    },
  });
}

export interface EventOrigin {
  readonly instance: string;
  readonly number: number;
  /** RFC 3339 in UTC with milliseconds. */
  readonly at: string;
}
