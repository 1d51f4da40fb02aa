import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contentionLogShare, eachDerivative, layoutParameters, traitsOf } from './contention.js';
import { trendCount } from './workload-features.js';

const layout = layoutParameters(3);
const parameter = fc.double({ min: -1.5, max: 1.5, noNaN: true });
const parameters = fc.array(parameter, { minLength: layout.count, maxLength: layout.count });
const features = fc.array(fc.array(parameter, { minLength: trendCount, maxLength: trendCount }), { minLength: 3, maxLength: 3 });

function logShare(values: readonly number[], rows: readonly (readonly number[])[], member: number, others: readonly number[]): number {
  const traits = rows.map((row, index) => traitsOf(values, layout, index, row));
  const at = (index: number) => traits[index] as (typeof traits)[number];
  return contentionLogShare(at(member), others.map(at), new Array(others.length).fill(1));
}

test('derivatives agree with finite differences', () => {
  const others = fc.array(fc.nat(2), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(parameters, features, fc.nat(2), others, (values, rows, member, company) => {
      const traits = rows.map((row, index) => traitsOf(values, layout, index, row));
      const gradient = new Float64Array(layout.count);
      eachDerivative({ member, others: company }, traits, layout, rows, (at, slope) => {
        (gradient[at] as number) += slope;
      });
      const step = 1e-5;
      for (let at = 0; at < layout.count; at++) {
        const moved = (by: number) => logShare(values.with(at, (values[at] as number) + by), rows, member, company);
        expect(gradient[at]).toBeCloseTo((moved(step) - moved(-step)) / (2 * step), 6);
      }
    }),
    { seed: 1, numRuns: 40 },
  );
});

test('more company never leaves a larger share', () => {
  fc.assert(
    fc.property(parameters, features, fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }), fc.nat(2), (values, rows, company, more) => {
      expect(logShare(values, rows, 0, [...company, more])).toBeLessThanOrEqual(logShare(values, rows, 0, company));
    }),
    { seed: 2, numRuns: 100 },
  );
});

test('company that is hardly there takes hardly anything, whatever the traits', () => {
  fc.assert(
    fc.property(parameters, features, fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }), (values, rows, others) => {
      const traits = rows.map((row, index) => traitsOf(values, layout, index, row));
      const at = (index: number) => traits[index] as (typeof traits)[number];
      const beside = (presence: number) => contentionLogShare(at(0), others.map(at), new Array(others.length).fill(presence));
      expect(beside(0)).toBeCloseTo(0, 12);
      expect(beside(1e-9)).toBeCloseTo(0, 4);
    }),
    { seed: 3, numRuns: 60 },
  );
});
