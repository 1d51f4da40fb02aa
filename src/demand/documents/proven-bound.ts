import * as z from 'zod';

/** Something that is to be small, and how small it can be at all. */
export const provenBoundSchema = z
  .strictObject({
    achieved: z.number().min(0).describe('What the target has, without what is only temporary.'),
    limit: z.number().min(0).describe('Proven: no less is possible, given the earlier aims.'),
    gap: z.number().min(0).describe('achieved − limit; 0 is a proof that nothing is better.'),
  })
  .describe('A number and its proven limit.');

export type ProvenBound = z.infer<typeof provenBoundSchema>;

/** A number beside its limit, which is never written above what is achieved. */
export function toProvenBound(achieved: number, limit: number): ProvenBound {
  const proven = Math.min(achieved, limit);
  return { achieved, limit: proven, gap: achieved - proven };
}
