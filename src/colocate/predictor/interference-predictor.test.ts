import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interferenceModelSchema } from '../documents/interference-model.js';
import type { MeasuredGroup, MeasuredWorkload } from '../measured-workload.js';
import { syntheticGroups, syntheticRates, syntheticWorkloads } from '../synthetic-measurements.fixture.js';
import { createPredictor } from './interference-predictor.js';
import { trainInterference } from './train-interference.js';

const workloads = syntheticWorkloads();
const groups = [...syntheticGroups(workloads, 40), ...syntheticGroups(workloads, 20, 2, 3)];
const model = trainInterference('synthetic', groups, workloads);
const predictor = createPredictor(model);
const members = fc.array(fc.constantFrom(...workloads), { minLength: 1, maxLength: 4 });
const rates = (list: readonly MeasuredWorkload[]) => predictor.predict(list).map(({ throughput }) => throughput);

describe('a trained predictor', () => {
  test('predicts groups that it has not seen, with intervals that hold', () => {
    let inside = 0;
    let all = 0;
    for (const seed of [1, 3, 5, 7]) {
      const trained = createPredictor(trainInterference('seeded', syntheticGroups(workloads, 40, seed), workloads));
      for (const group of syntheticGroups(workloads, 100, 90 + seed)) {
        const list = group.members.map((name) => workloads.find((workload) => workload.name === name) as MeasuredWorkload);
        trained.predict(list).forEach(({ throughput, low, high }, k) => {
          const rate = group.rates[k] as number;
          expect(Math.abs(throughput / rate - 1)).toBeLessThan(0.25);
          if (rate >= low && rate <= high) inside++;
          all++;
        });
      }
    }
    expect(inside / all).toBeGreaterThan(0.82);
    expect(inside / all).toBeLessThan(0.96);
    expect(model.training.memberErrorPercent).toBeLessThan(5);
  });

  test('gives one workload alone its exclusive rate', () => {
    for (const workload of workloads) {
      expect(predictor.predict([workload])).toMatchObject([
        { throughput: workload.exclusiveRate, low: workload.exclusiveRate, slowdown: 1 },
      ]);
    }
  });

  test('does not mind the order of the members', () => {
    fc.assert(
      fc.property(members, fc.nat(3), (list, by) => {
        const turned = [...list.slice(by), ...list.slice(0, by)];
        const expected = new Map(predictor.predict(list).map((member) => [member.workload, member]));
        for (const member of predictor.predict(turned)) expect(member).toEqual(expected.get(member.workload));
      }),
      { seed: 3, numRuns: 60 },
    );
  });

  test('never makes a member faster by another copy of it', () => {
    fc.assert(
      fc.property(members, (list) => {
        const [first] = list as [MeasuredWorkload];
        expect(rates([...list, first])[0]).toBeLessThanOrEqual((rates(list)[0] as number) * (1 + 1e-12));
      }),
      { seed: 4, numRuns: 100 },
    );
  });

  test('never makes a member faster by another copy of it, even if measurements say so', () => {
    const [a, b] = workloads as [MeasuredWorkload, MeasuredWorkload];
    const share = (own: MeasuredWorkload, kept: number) => own.exclusiveRate * kept;
    const odd: MeasuredGroup[] = [1, 2, 3, 4].flatMap((k) => [
      { id: `same${k}`, members: [a.name, a.name], rates: [share(a, 0.98), share(a, 0.98)] },
      { id: `other${k}`, members: [a.name, b.name], rates: [share(a, 0.3), share(b, 0.9)] },
      { id: `three${k}`, members: [a.name, b.name, a.name], rates: [share(a, 0.9), share(b, 0.9), share(a, 0.9)] },
    ]);
    const misled = createPredictor(trainInterference('odd', [...groups, ...odd], workloads));
    const rateOf = (list: readonly MeasuredWorkload[]) => misled.predict(list)[0]?.throughput as number;
    expect(rateOf([a, b, a])).toBeLessThanOrEqual(rateOf([a, b]));
    expect(rateOf([a, b, a, a])).toBeLessThanOrEqual(rateOf([a, b, a]));
  });

  test('is not disturbed by an idle member', () => {
    const idle: MeasuredWorkload = {
      ...(workloads[0] as MeasuredWorkload),
      name: 'idle',
      family: 'idle inference',
      threads: 32,
      computePercent: 0.01,
      dramPercent: 0.01,
      memoryPercent: 0.01,
      smUtilPercent: 0.01,
      memoryUtilPercent: 0,
      registers: 512,
      sharedMemoryBytes: 0,
    };
    fc.assert(
      fc.property(members, (list) => {
        const without = rates(list);
        rates([...list, idle])
          .slice(0, -1)
          .forEach((rate, k) => {
            expect(Math.abs(rate / (without[k] as number) - 1)).toBeLessThan(0.02);
          });
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  test('predicts the same bytes after it was saved', () => {
    const saved = createPredictor(interferenceModelSchema.parse(JSON.parse(JSON.stringify(model))));
    for (const { members: names } of groups) {
      const list = names.map((name) => workloads.find((workload) => workload.name === name) as MeasuredWorkload);
      expect(JSON.stringify(saved.predict(list))).toBe(JSON.stringify(predictor.predict(list)));
    }
  });
});

test('training twice gives the same bytes', () => {
  expect(JSON.stringify(trainInterference('synthetic', groups, workloads))).toBe(JSON.stringify(model));
});

test('other names for the same workloads change nothing', () => {
  const rename = (name: string) => `w${(7 * [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)) % 997} ${name}`;
  const renamed = workloads.map((workload) => ({ ...workload, name: rename(workload.name), family: rename(workload.family) }));
  const renamedGroups: MeasuredGroup[] = groups.map((group) => ({ ...group, members: group.members.map(rename) }));
  const other = createPredictor(trainInterference('renamed', renamedGroups, renamed));
  const list = [0, 4, 8].map((k) => workloads[k] as MeasuredWorkload);
  const expected = rates(list);
  other.predict([0, 4, 8].map((k) => renamed[k] as MeasuredWorkload)).forEach(({ throughput }, k) => {
    expect(throughput / (expected[k] as number)).toBeCloseTo(1, 8);
  });
});

test('a workload that was not trained on is predicted from its family and metrics, with a wider interval', () => {
  const isNew = ({ name }: MeasuredWorkload) => name === 'model1-b4';
  const some = groups.filter(({ members: names }) => !names.includes('model1-b4'));
  const few = createPredictor(trainInterference('few', some, workloads));
  const list = [workloads.find(isNew), workloads[0]] as MeasuredWorkload[];
  const [own] = few.predict(list);
  expect(Math.abs((own?.throughput ?? 0) / (syntheticRates(list)[0] as number) - 1)).toBeLessThan(0.25);
  const known = few.predict([workloads[0], workloads[1]] as MeasuredWorkload[])[0];
  const width = (member: typeof own) => (member === undefined ? 0 : member.high / member.low);
  expect(width(own)).toBeGreaterThanOrEqual(width(known));
});

test('a single measured group is enough to train, and says that the error is unknown', () => {
  const one = trainInterference('one', groups.slice(0, 1), workloads);
  expect(one.training).toMatchObject({ folds: 0, totalErrorPercent: null });
  expect(
    createPredictor(one)
      .predict(workloads.slice(0, 2))
      .every(({ throughput }) => throughput > 0),
  ).toBe(true);
});
