import { describe, expect, test } from 'vitest';
import type { MeasuredGroup, MeasuredWorkload } from '../measured-workload.js';
import { syntheticGroups, syntheticWorkloads } from '../synthetic-measurements.fixture.js';
import { fitInterference } from './fit-interference.js';
import { createSpreadPredictor } from './spread.js';

const workloads = syntheticWorkloads();
const named = (...names: readonly string[]) =>
  names.map((name) => workloads.find((workload) => workload.name === name) as MeasuredWorkload);
const spreadOf = (groups: readonly MeasuredGroup[]) => createSpreadPredictor(fitInterference(groups, workloads), groups);
const pairs = syntheticGroups(workloads, 60);
const spread = spreadOf(pairs);
const group = named('model0-b4', 'model1-b4');

describe('the spread of a prediction', () => {
  test('is nothing for a workload alone, and beside an idle one', () => {
    const [first] = named('model0-b1');
    const idle = { ...(first as MeasuredWorkload), name: 'idle', computePercent: 0, dramPercent: 0, memoryPercent: 0, smUtilPercent: 0 };
    expect(spread(named('model0-b1'))).toEqual([0]);
    expect(spread([first as MeasuredWorkload, idle])[0]).toBe(0);
  });

  test('shrinks with every measurement', () => {
    const spreads = [10, 20, 40, 60].map((count) => Math.max(...spreadOf(pairs.slice(0, count))(group)));
    expect(spreads).toEqual(spreads.toSorted((a, b) => b - a));
    expect(spreads.at(-1)).toBeLessThan(0.8 * (spreads[0] as number));
  });

  test('is wider for a batch size that was not measured, wider still for a family', () => {
    const without = (part: string) => pairs.filter(({ members }) => !members.some((name) => name.startsWith(part)));
    const [known, newBatch, newFamily] = [pairs, without('model1-b4'), without('model1')].map(
      (groups) => spreadOf(groups)(group)[0] as number,
    );
    expect(newBatch).toBeGreaterThan(known as number);
    expect(newFamily).toBeGreaterThan(newBatch as number);
  });

  test('grows faster beyond the largest measured group than within', () => {
    const withFour = spreadOf([...pairs, ...syntheticGroups(workloads, 1, 3, 4)]);
    const four = named('model0-b4', 'model1-b4', 'model2-b4', 'model0-b1');
    spread(four).forEach((value, k) => {
      expect(value).toBeGreaterThan(1.5 * (withFour(four)[k] as number));
    });
  });

  test('does not mind the order of the members', () => {
    const [a, b, c] = spread(named('model0-b4', 'model1-b4', 'model2-b4'));
    expect(spread(named('model2-b4', 'model0-b4', 'model1-b4'))).toEqual([c, a, b]);
  });
});
