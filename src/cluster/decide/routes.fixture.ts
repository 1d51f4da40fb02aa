import type { CustomResourceDefinition, HttpRoute } from '../client/object-types.js';

/** On definitions that tests install: a real one has no such label. */
export const testKindLabel = 'test.inlay.dev/kind';

/** The definition of HTTPRoute as far as the operator needs it: made here, not the Gateway API's own. */
export function aRouteKind(): CustomResourceDefinition {
  const text = { type: 'string' };
  const object = (properties: object) => ({ type: 'object', properties });
  const list = (items: object) => ({ type: 'array', items });
  const spec = object({
    parentRefs: list(object({ group: { ...text, default: 'gateway.networking.k8s.io' }, name: text, namespace: text })),
    hostnames: list(text),
    rules: list(
      object({
        backendRefs: list(
          object({ kind: { ...text, default: 'Service' }, name: text, port: { type: 'integer' }, weight: { type: 'integer', default: 1 } }),
        ),
      }),
    ),
  });
  return {
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'httproutes.gateway.networking.k8s.io',
      labels: { [testKindLabel]: '' },
      // Of a group under k8s.io the API server asks for this.
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/gateway-api' },
    },
    spec: {
      group: 'gateway.networking.k8s.io',
      scope: 'Namespaced',
      names: { kind: 'HTTPRoute', listKind: 'HTTPRouteList', plural: 'httproutes', singular: 'httproute' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: object({ spec }) } }],
    },
  };
}

/** Share of each backend, by the name of its Service. */
export function sharesOf(route: HttpRoute | undefined): Readonly<Record<string, number>> {
  const refs = route?.spec.rules.flatMap(({ backendRefs }) => backendRefs) ?? [];
  const sum = refs.reduce((all, { weight }) => all + weight, 0);
  return Object.fromEntries(refs.map(({ name, weight }) => [name, weight / sum]));
}
