import { standardScores } from '../kace/standard-scores.js';
import { type MeasuredGroup, totalRate } from '../measured-workload.js';

/** Coefficient of determination of predicted totals. */
export function rSquared(measured: readonly number[], predicted: readonly number[]): number {
  const mean = measured.reduce((sum, value) => sum + value, 0) / measured.length;
  const rest = measured.reduce((sum, value, k) => sum + (value - (predicted[k] as number)) ** 2, 0);
  return 1 - rest / measured.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** R² as KACE publishes it: of predicted standard scores against totals scaled by their own statistics. */
export function publishedRSquared(measured: readonly number[], scores: readonly number[]): number {
  return rSquared(
    standardScores(measured.map((value) => [value])).map(([score]) => score as number),
    scores,
  );
}

/** Mean absolute percentage error. */
export function meanErrorPercent(measured: readonly number[], predicted: readonly number[]): number {
  return (100 * measured.reduce((sum, value, k) => sum + Math.abs((predicted[k] as number) / value - 1), 0)) / measured.length;
}

/** Scores the groups among which one is to be chosen; the highest is taken, the first of equals. */
export type ChoiceScore = (candidates: readonly MeasuredGroup[]) => readonly number[];

/**
 * KACE's end metric: for each target that occurs in at least two of the groups, the measured total of the group chosen for it
 * ÷ that of the best group with it; the mean over the targets, as a percentage. NaN without such a target.
 */
export function percentOfOracle(groups: readonly MeasuredGroup[], targets: readonly string[], score: ChoiceScore): number {
  const ratios = targets.flatMap((target) => {
    const candidates = groups.filter(({ members }) => members.includes(target));
    if (candidates.length < 2) return [];
    const scores = score(candidates);
    const best = scores.reduce((at, value, index) => (value > (scores[at] as number) ? index : at), 0);
    const totals = candidates.map(({ rates }) => totalRate(rates));
    return [(totals[best] as number) / Math.max(...totals)];
  });
  return (100 * ratios.reduce((sum, ratio) => sum + ratio, 0)) / ratios.length;
}
