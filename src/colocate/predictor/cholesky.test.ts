import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factorCholesky, solveFactored, solveLower } from './cholesky.js';

const size = 5;
const entry = fc.double({ min: -2, max: 2, noNaN: true });
const matrix = fc.array(fc.array(entry, { minLength: size, maxLength: size }), { minLength: size, maxLength: size });
const at = (rows: readonly ArrayLike<number>[], a: number, b: number) => rows[a]?.[b] as number;

test('factors and solves whatever is positive definite', () => {
  fc.assert(
    fc.property(matrix, fc.array(entry, { minLength: size, maxLength: size }), (root, b) => {
      const indices = root.map((_, k) => k);
      const a = indices.map((i) =>
        indices.map((j) => indices.reduce((sum, k) => sum + at(root, i, k) * at(root, j, k), i === j ? 0.1 : 0)),
      );
      const factor = a.map((row, i) => Float64Array.from(row, (value, j) => (j <= i ? value : Number.NaN)));
      factorCholesky(factor);
      const x = solveFactored(factor, b);
      const y = solveLower(factor, b);
      for (const i of indices) {
        expect(indices.reduce((sum, j) => sum + at(a, i, j) * (x[j] as number), 0)).toBeCloseTo(b[i] as number, 6);
        expect(indices.reduce((sum, j) => sum + (j <= i ? at(factor, i, j) * (y[j] as number) : 0), 0)).toBeCloseTo(b[i] as number, 6);
      }
    }),
    { seed: 8, numRuns: 50 },
  );
});
