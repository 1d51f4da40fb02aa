import { inlayError } from '../../errors.js';
import type { PlanDocument, PlanGpu } from './plan.js';

/** Most GPUs that are written out one by one. */
export const maxUnfoldedGpus = 1_000_000;

/** How many GPUs entries stand for: one each, or their `count`. */
export function countGpus(gpus: Iterable<{ readonly count?: number | undefined }>): number {
  let sum = 0;
  for (const { count = 1 } of gpus) sum += count;
  return sum;
}

/**
 * The same plan with an entry of its own for every GPU; the plan itself where it has no `count`. Its id is that of the folded plan.
 * Throws TOO_MANY above `maxUnfoldedGpus`.
 */
export function unfoldPlan(plan: PlanDocument): PlanDocument {
  if (plan.gpus.every(({ count }) => count === undefined)) return plan;
  const total = countGpus(plan.gpus);
  if (total > maxUnfoldedGpus) {
    throw inlayError('TOO_MANY', {
      message: `The plan has ${total} GPUs, too many to be looked at one by one.`,
      path: 'gpus',
      expected: `at most ${maxUnfoldedGpus} GPUs`,
      received: String(total),
      hint: 'Split the workload into smaller ones, and plan each by itself.',
    });
  }
  return { ...plan, gpus: plan.gpus.flatMap(unfoldGpu) };
}

function unfoldGpu({ count = 1, ...gpu }: PlanGpu): readonly PlanGpu[] {
  return Array.from({ length: count }, (_, n) => ({ ...gpu, id: numberOn(gpu.id, n) }));
}

/** Whether an entry of a plan stands for the GPU of that id. */
export function isNamed({ id, count = 1 }: { readonly id: string; readonly count?: number | undefined }, other: string): boolean {
  if (count === 1) return id === other;
  const [stem, first] = splitId(id);
  const [otherStem, number] = splitId(other);
  return stem === otherStem && number >= first && number < first + BigInt(count) && numberOn(id, Number(number - first)) === other;
}

/** An id as what comes before its last digits, and the number they make; 0 without digits. */
export function splitId(id: string): readonly [stem: string, number: bigint] {
  const digits = /\d*$/.exec(id)?.[0] ?? '';
  return [id.slice(0, id.length - digits.length), BigInt(digits === '' ? '0' : digits)];
}

/** The id `steps` GPUs after `id`: its last digits count on, as `a100-0009` to `a100-0010`. An id without digits counts as 0. */
export function numberOn(id: string, steps: number): string {
  if (steps === 0) return id;
  const [stem, number] = splitId(id);
  return stem + String(number + BigInt(steps)).padStart(id.length - stem.length, '0');
}
