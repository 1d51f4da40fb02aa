import * as z from 'zod';
import { startSchema } from '../../demand/documents/common.js';
import type { KubeObject } from '../client/object-types.js';

const podSchema = z
  .object({
    namespace: z.string().max(63),
    name: z.string().max(253),
    uid: z.string().max(63).optional(),
    container: z.string().max(63).optional(),
  })
  .describe('Pod that the kubelet gave the device to.');

/** What the agent of a node reports: which GPUs there are, how each is cut, and which pod holds which instance. */
export const nodeStateSpecSchema = z.object({
  observedAt: z.string().optional().meta({ format: 'date-time' }).describe('When the content last changed.'),
  driver: z.string().max(63).optional().describe('Version of the driver.'),
  gpus: z
    .array(
      z.object({
        index: z.int().min(0).max(1023).describe('Index of the GPU on its node.'),
        uuid: z.string().max(253),
        product: z.string().max(253).describe('Product name as the driver prints it.'),
        migEnabled: z.boolean(),
        pod: podSchema.optional().describe('With MIG off: the pod that holds the whole GPU.'),
        instances: z
          .array(
            z.object({
              profile: z.string().max(63).describe('Profile as the driver prints it.'),
              start: startSchema,
              uuid: z.string().max(253),
              pod: podSchema.optional(),
            }),
          )
          .max(64)
          .describe('Instances with MIG on, ascending by start.'),
      }),
    )
    .max(1024),
});

export type NodeStateSpec = z.infer<typeof nodeStateSpecSchema>;

/** Written by the agent of the node of the same name, read by the operator. */
export interface NodeState extends KubeObject {
  readonly spec: NodeStateSpec;
}
