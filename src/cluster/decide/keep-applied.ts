import type { KubeObject } from '../client/object-types.js';
import type { Resource } from '../client/resources.js';
import { managedBy } from '../objects/names.js';
import type { Write } from './write.js';

/** Applies an object whose wanted spec is not what is there; fields that the server fills in do not count. */
export function keepApplied<T extends KubeObject & { readonly spec: unknown }>(
  resource: Resource<T>,
  object: T,
  all: readonly T[],
): Write[] {
  const { name, namespace = '' } = object.metadata;
  const current = all.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (current !== undefined && covers(current.spec, object.spec)) return [];
  const key = 'app.kubernetes.io/managed-by';
  const isNew = current?.metadata.labels?.[key] !== managedBy[key];
  return [{ kind: 'apply', resource, where: { namespace, name }, object, isNew, why: isNew ? 'a service needs it' : 'it was changed' }];
}

function covers(has: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return Array.isArray(has) && has.length === wanted.length && wanted.every((one, index) => covers(has[index], one));
  if (typeof wanted !== 'object' || wanted === null) return has === wanted;
  if (typeof has !== 'object' || has === null) return false;
  return Object.entries(wanted).every(([key, value]) => value === undefined || covers(Reflect.get(has, key), value));
}
