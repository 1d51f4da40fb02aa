import { Matrix, SingularValueDecomposition } from 'ml-matrix';
import { type ColumnScale, columnScale, standardScores } from './standard-scores.js';

/** KACE's predictor: the standard score of a group's total rate is linear in the standard scores of its features. */
export interface KaceModel {
  /** Intercept first, then one weight a feature. */
  readonly weights: readonly number[];
  /** Scales of the groups that it was fitted to. */
  readonly features: ColumnScale;
  readonly totals: ColumnScale;
}

/** Ordinary least squares on standard scores; the smallest solution where several fit. */
export function fitKace(features: readonly (readonly number[])[], totals: readonly number[]): KaceModel {
  const labels = totals.map((total) => [total]);
  const scales = { features: columnScale(features), totals: columnScale(labels) };
  const rows = standardScores(features, scales.features).map((row) => [1, ...row]);
  const solution = new SingularValueDecomposition(new Matrix(rows), { autoTranspose: true }).solve(
    new Matrix(standardScores(labels, scales.totals)),
  );
  return { weights: solution.to1DArray(), ...scales };
}

/**
 * Predicted standard scores of totals among the groups given. As published, features are scaled by the statistics of these
 * very groups, whatever the model was fitted to.
 */
export function kaceScores(model: KaceModel, features: readonly (readonly number[])[]): readonly number[] {
  return applyWeights(model, standardScores(features));
}

/** Predicted totals in samples per second, everything scaled as in the fit. */
export function kaceTotals(model: KaceModel, features: readonly (readonly number[])[]): readonly number[] {
  const { means, deviations } = model.totals;
  const scores = applyWeights(model, standardScores(features, model.features));
  return scores.map((score) => (means[0] as number) + score * (deviations[0] as number));
}

function applyWeights({ weights: [intercept = 0, ...weights] }: KaceModel, rows: readonly (readonly number[])[]): readonly number[] {
  return rows.map((row) => row.reduce((sum, value, i) => sum + value * (weights[i] as number), intercept));
}
