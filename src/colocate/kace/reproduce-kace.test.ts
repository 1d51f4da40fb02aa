import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMeasuredGroups } from '../../formats/colocate/read-groups.js';
import { readSplits } from '../../formats/colocate/read-splits.js';
import { readWorkloads } from '../../formats/colocate/read-workloads.js';
import { evaluatePolicy } from '../evaluate/evaluate-splits.js';
import { fitKace, kaceScores, kaceTotals } from './least-squares.js';

const data = process.env['INLAY_DATA'];

describe('the predictor of KACE', () => {
  test.skipIf(data === undefined)('reproduces every stored run of its artifact (needs INLAY_DATA)', async () => {
    const at = (file: string) => join(data as string, 'kace', file);
    expect(existsSync(at('pairs.csv'))).toBe(true);
    const workloads = await readWorkloads(at('workloads.csv'));
    const groups = await readMeasuredGroups(
      [at('pairs.csv')],
      workloads.map(({ name }) => name),
    );
    const stored = (file: string, policy: string) =>
      readFileSync(at(file), 'utf8')
        .split('\n')
        .map((line) => line.trim().split(','))
        .filter((fields) => fields[2] === policy)
        .map((fields) => Number(fields[4]));
    const choices: number[] = [];
    const fits: number[] = [];
    for (const { splits } of await readSplits(at('splits_pairs.json'), groups)) {
      for (const split of splits) {
        const { published } = evaluatePolicy('kace', [split], workloads);
        choices.push(published.percentOfOracle / 100);
        fits.push(published.rSquared);
      }
    }
    const far = (values: readonly number[], expected: readonly number[]) =>
      Math.max(...values.map((value, k) => Math.abs(value - (expected[k] ?? Number.NaN))));
    expect(choices).toHaveLength(45);
    expect(far(choices, stored('reference_relative_throughput.csv', 'model:KACE'))).toBeLessThan(1e-9);
    expect(far(fits, stored('reference_accuracy.csv', 'KACE'))).toBeLessThan(1e-9);
  });

  test('finds a linear law, on its own scale and on that of the groups asked about', () => {
    const features = [
      [1, 2],
      [2, 1],
      [3, 5],
      [4, 0],
      [5, 3],
    ];
    const totals = features.map(([a = 0, b = 0]) => 10 + 3 * a - 2 * b);
    const model = fitKace(features, totals);
    kaceTotals(model, [
      [6, 6],
      [0, 0],
    ]).forEach((total, k) => {
      expect(total).toBeCloseTo([16, 10][k] as number, 9);
    });
    const scores = kaceScores(model, features);
    expect(scores.indexOf(Math.max(...scores))).toBe(totals.indexOf(Math.max(...totals)));
  });
});
