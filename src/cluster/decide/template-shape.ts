import * as z from 'zod';

/** A field that Kubernetes takes for absent when it is null: an empty line of YAML. */
const field = <T extends z.ZodType>(schema: T) => schema.nullish();
const named = z.looseObject({ name: z.string() });
const amounts = z.record(z.string(), z.union([z.string(), z.number()]));

const container = z.looseObject({
  name: z.string(),
  command: field(z.array(z.string())),
  args: field(z.array(z.string())),
  env: field(z.array(named)),
  resources: field(z.looseObject({ requests: field(amounts), limits: field(amounts) })),
});

const templateShape = z.looseObject({
  spec: z.looseObject({
    containers: z.array(container),
    initContainers: field(z.array(container)),
    readinessGates: field(z.array(z.looseObject({ conditionType: z.string() }))),
    nodeSelector: field(z.record(z.string(), z.string())),
    affinity: field(z.looseObject({ nodeAffinity: field(z.looseObject({})) })),
  }),
});

/**
 * What of a pod template is not of the type that Kubernetes wants, as far as templates are read here: the API server stores the rest
 * of an object unseen and refuses only the Deployment that is made from it.
 */
export function findShapeErrors(template: unknown): readonly { readonly path: string; readonly message: string }[] {
  const { error } = templateShape.safeParse(template);
  return (error?.issues ?? []).map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join(''),
    message,
  }));
}
