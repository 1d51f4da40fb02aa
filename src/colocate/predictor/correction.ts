import { factorCholesky, solveFactored } from './cholesky.js';
import type { Place } from './observations.js';

const signalVariance = 0.03;
const noiseVariance = 0.1;

/**
 * A Gaussian process over what the contention model leaves unexplained. Two places are alike when their members are alike
 * and, on average, their others; places at which nothing alike was measured are left to the contention model.
 * `likeness` has one row and column a workload. Answers one weight a place.
 */
export function fitCorrection(
  places: readonly Place[],
  residuals: readonly number[],
  likeness: readonly Float64Array[],
): readonly number[] {
  const rows = places.map(({ member, others }, index) => {
    const own = likeness[member] as Float64Array;
    const company = meanRow(others.map((j) => likeness[j] as Float64Array));
    const row = new Float64Array(places.length);
    for (let b = 0; b <= index; b++) {
      const other = places[b] as Place;
      row[b] = (signalVariance * (own[other.member] as number) * sumAt(company, other.others)) / other.others.length;
    }
    (row[index] as number) += noiseVariance;
    return row;
  });
  factorCholesky(rows);
  return [...solveFactored(rows, residuals)];
}

/**
 * What a member is corrected by in company, as a weight for each workload of the training groups: multiplied by the likeness of
 * another workload and summed it is the correction beside that one. The correction among several is the mean.
 */
export function correctionBeside(
  memberLikeness: ArrayLike<number>,
  places: readonly (Place & { readonly weight: number })[],
): Float64Array {
  const beside = new Float64Array(memberLikeness.length);
  for (const { member, others, weight } of places) {
    const each = (signalVariance * weight * (memberLikeness[member] as number)) / others.length;
    for (const j of others) (beside[j] as number) += each;
  }
  return beside;
}

function meanRow(rows: readonly Float64Array[]): Float64Array {
  return (rows[0] as Float64Array).map((_, k) => rows.reduce((sum, row) => sum + (row[k] as number), 0) / rows.length);
}

function sumAt(row: Float64Array, indices: readonly number[]): number {
  return indices.reduce((sum, index) => sum + (row[index] as number), 0);
}
