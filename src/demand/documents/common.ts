import * as z from 'zod';

/** The one version of every file kind. */
export const apiVersion = 'inlay.dev/v1alpha1';

export const apiVersionSchema = z.literal(apiVersion).describe('Version of the format.');

/** Names of services, pools, GPUs: any text without control characters, 1 to 253 characters. */
export const nameSchema = z
  .string()
  .min(1)
  .max(253)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the rule keeps out
  .regex(/^[^\u0000-\u001f\u007f]+$/u, 'a name without control characters')
  .describe('A name: 1 to 253 characters, no control characters.');

export const metadataSchema = z.strictObject({ name: nameSchema }).describe('What the document is called.');

/** Rates from 1e-9 to 1e9 requests per second work; 0 keeps a service and gives it nothing. */
export const rateSchema = z
  .number()
  .min(0, { abort: true })
  .max(1e9, { abort: true })
  .refine((rate) => rate === 0 || rate >= 1e-9, { message: '0, or a number from 1e-9 to 1e9' })
  .describe('Requests per second: 0, or 1e-9 to 1e9.');
export const latencyLimitSchema = z.number().min(1e-6).max(1e9).describe('Latency limit in milliseconds.');
export const batchSchema = z.number().int().min(1).max(65_536).describe('Requests in one batch.');
export const processesSchema = z.number().int().min(1).max(48).describe('Processes of one model in an instance (MPS allows 48).');
export const startSchema = z.number().int().min(0).max(31).describe('First memory slice of the instance.');
