import type { InterferenceModel } from '../documents/interference-model.js';
import type { MeasuredGroup, MeasuredWorkload } from '../measured-workload.js';
import { createSharePredictor, fitInterference } from './fit-interference.js';

/** How predictions erred on groups that were left out of the fit. */
export interface Calibration {
  readonly folds: number;
  /** Mean absolute percentages; null when nothing could be left out. */
  readonly totalErrorPercent: number | null;
  readonly memberErrorPercent: number | null;
  readonly errors: InterferenceModel['errors'];
}

type ErrorQuantiles = InterferenceModel['errors']['known'];

const folds = 5;
/** What is assumed where nothing could be left out: members within a factor of two, nine times out of ten. */
const unknownErrors: ErrorQuantiles = { low: -Math.LN2, cautious: -Math.LN2 / 1.3, high: Math.LN2 };
/** Logarithmic errors fewer than this say nothing about tails. */
const leastErrors = 10;

/**
 * Cross-validates: groups left out say how well known workloads are predicted, a workload or a family left out how well new
 * ones are (by the contention model alone: the correction has nothing to say of them). The folds depend on the order of the groups only; repeated measurements of a group stay in one fold.
 */
export function calibrate(groups: readonly MeasuredGroup[], workloads: readonly MeasuredWorkload[]): Calibration {
  const byName = new Map(workloads.map((workload) => [workload.name, workload]));
  const familyOf = (name: string) => byName.get(name)?.family ?? name;
  const keys = groups.map(({ members }) => members.toSorted().join('\n'));
  const order = [...new Set(keys)];
  const byGroup = leaveOut(groups, workloads, true, folds, (fold) => (_, index) => order.indexOf(keys[index] as string) % folds === fold);
  const names = [...new Set(groups.flatMap(({ members }) => members))];
  const families = [...new Set(names.map(familyOf))];
  const withSiblings = names.filter((name) => names.some((other) => other !== name && familyOf(other) === familyOf(name)));
  const byWorkload = leaveOut(
    groups,
    workloads,
    false,
    withSiblings.length,
    (k) =>
      ({ members }) =>
        members.includes(withSiblings[k] as string),
  );
  const byFamily = leaveOut(
    groups,
    workloads,
    false,
    families.length,
    (k) =>
      ({ members }) =>
        members.some((name) => familyOf(name) === families[k]),
  );

  const known = quantiles(byGroup.logErrors, unknownErrors);
  const newFamily = widest(quantiles(byFamily.logErrors, unknownErrors), known);
  const newBatch = widest(quantiles(byWorkload.logErrors, newFamily), known);
  return {
    folds: byGroup.logErrors.length === 0 ? 0 : folds,
    totalErrorPercent: meanPercent(byGroup.totalErrors),
    memberErrorPercent: meanPercent(byGroup.logErrors.map((error) => Math.exp(-error) - 1)),
    errors: { known, newBatch, newFamily },
  };
}

interface LeftOut {
  /** Logarithm of measured ÷ predicted, one a member. */
  readonly logErrors: number[];
  /** Predicted ÷ measured − 1, one a group. */
  readonly totalErrors: number[];
}

function leaveOut(
  groups: readonly MeasuredGroup[],
  workloads: readonly MeasuredWorkload[],
  correct: boolean,
  rounds: number,
  isOut: (round: number) => (group: MeasuredGroup, index: number) => boolean,
): LeftOut {
  const byName = new Map(workloads.map((workload) => [workload.name, workload]));
  const result: LeftOut = { logErrors: [], totalErrors: [] };
  for (let round = 0; round < rounds; round++) {
    const out = groups.filter(isOut(round));
    const rest = groups.filter((group) => !out.includes(group));
    if (out.length === 0 || rest.length === 0) continue;
    const predict = createSharePredictor(fitInterference(rest, workloads, correct));
    for (const { members, rates } of out) {
      const measured = members.map((name) => byName.get(name) as MeasuredWorkload);
      const predicted = predict(measured).map((share, k) => share * (measured[k] as MeasuredWorkload).exclusiveRate);
      result.logErrors.push(...rates.map((rate, k) => Math.log(rate / (predicted[k] as number))));
      result.totalErrors.push(sum(predicted) / sum(rates) - 1);
    }
  }
  return result;
}

/** Quantiles with the correction for a finite sample, so that a fresh error falls outside no more often than stated. */
function quantiles(errors: readonly number[], otherwise: ErrorQuantiles): ErrorQuantiles {
  if (errors.length < leastErrors) return otherwise;
  const sorted = errors.toSorted((a, b) => a - b);
  const at = (quantile: number) => {
    const place = quantile < 0.5 ? Math.floor(quantile * (sorted.length + 1)) - 1 : Math.ceil(quantile * (sorted.length + 1)) - 1;
    return sorted[Math.min(Math.max(place, 0), sorted.length - 1)] as number;
  };
  return { low: at(0.05), cautious: at(0.1), high: at(0.95) };
}

function widest(a: ErrorQuantiles, b: ErrorQuantiles): ErrorQuantiles {
  return { low: Math.min(a.low, b.low), cautious: Math.min(a.cautious, b.cautious), high: Math.max(a.high, b.high) };
}

function meanPercent(errors: readonly number[]): number | null {
  return errors.length === 0 ? null : (100 * sum(errors.map(Math.abs))) / errors.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
