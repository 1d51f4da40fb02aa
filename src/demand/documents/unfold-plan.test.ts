import { describe, expect, test } from 'vitest';
import type { PlanDocument, PlanGpu } from './plan.js';
import { countGpus, isNamed, numberOn, unfoldPlan } from './unfold-plan.js';

const gpu = (id: string, count?: number): PlanGpu => ({
  id,
  pool: 'p',
  type: 'A30-24GB',
  instances: [],
  ...(count !== undefined && { count }),
});
const planOf = (...gpus: readonly PlanGpu[]): PlanDocument => ({ gpus }) as unknown as PlanDocument;

describe('entries that stand for several GPUs', () => {
  test.each([
    ['a100-0009', 0, 'a100-0009'],
    ['a100-0009', 1, 'a100-0010'],
    ['a100-9999', 1, 'a100-10000'],
    ['gpu', 2, 'gpu2'],
    ['7', 5, '12'],
    ['x-00000000000000000009007199254740993', 1, 'x-00000000000000000009007199254740994'],
  ])('%s numbers on by %s to %s', (id, steps, expected) => {
    expect(numberOn(id, steps)).toBe(expected);
  });

  test('are written out one by one', () => {
    expect(unfoldPlan(planOf(gpu('a-08', 3), gpu('b'))).gpus).toEqual([gpu('a-08'), gpu('a-09'), gpu('a-10'), gpu('b')]);
  });

  test('leave a plan alone that has none', () => {
    const plan = planOf(gpu('a'), gpu('b'));
    expect(unfoldPlan(plan)).toBe(plan);
    expect(countGpus(plan.gpus)).toBe(2);
  });

  test('name the GPUs that they count through, and no other', () => {
    const entry = gpu('a-08', 3);
    expect(['a-07', 'a-08', 'a-09', 'a-10', 'a-11', 'a-9', 'b-09', 'a-'].filter((id) => isNamed(entry, id))).toEqual([
      'a-08',
      'a-09',
      'a-10',
    ]);
    expect(isNamed(gpu('a'), 'a')).toBe(true);
    expect(isNamed(gpu('a'), 'a0')).toBe(false);
  });

  test('are refused where there are too many to be written out', () => {
    expect(() => unfoldPlan(planOf(gpu('a', 1_000_001)))).toThrow(/too many to be looked at one by one/);
  });
});
