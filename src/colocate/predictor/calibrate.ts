import type { InterferenceModel } from '../documents/interference-model.js';
import type { MeasuredGroup, MeasuredWorkload } from '../measured-workload.js';
import { createSharePredictor, fitInterference } from './fit-interference.js';
import { createSpreadPredictor } from './spread.js';

/** How predictions erred on groups that were left out of the fit. */
export interface Calibration {
  readonly folds: number;
  /** Mean absolute percentages; null when nothing could be left out. */
  readonly totalErrorPercent: number | null;
  readonly memberErrorPercent: number | null;
  readonly errors: InterferenceModel['errors'];
}

type ErrorQuantiles = InterferenceModel['errors']['known'];

/** Rounds in which groups are left out, and most rounds in which workloads or families are. */
const folds = 5;
const mostRounds = 10;
/** What is assumed where too little could be left out: about twice what public measurements show (pairs of KACE, n = 2: ±0.35). */
const unknownErrors: ErrorQuantiles = { low: -0.7, cautious: -0.55, high: 0.7 };
/** Fewer errors than this say nothing about tails. */
const leastErrors = 10;

/**
 * Cross-validates: groups left out say how well known workloads are predicted, workloads or families left out how well new
 * ones are (by the contention model alone: the correction has little to say of them). Errors count in spreads, so that the few and far places of a fold widen no interval of a sure prediction. The folds
 * depend on the order of groups and workloads only; repeated measurements of a group stay in one fold.
 */
export function calibrate(groups: readonly MeasuredGroup[], workloads: readonly MeasuredWorkload[]): Calibration {
  const byName = new Map(workloads.map((workload) => [workload.name, workload]));
  const familyOf = (name: string) => byName.get(name)?.family ?? name;
  const keys = groups.map(({ members }) => members.toSorted().join('\n'));
  const order = new Map([...new Set(keys)].map((key, place) => [key, place]));
  const names = [...new Set(groups.flatMap(({ members }) => members))];
  const families = [...new Set(names.map(familyOf))];
  const withSiblings = names.filter((name) => names.some((other) => other !== name && familyOf(other) === familyOf(name)));
  const byGroup = leaveOut(groups, workloads, true, folds, (_, index) => [(order.get(keys[index] as string) as number) % folds]);
  const byWorkload = leaveOut(groups, workloads, false, mostRounds, ({ members }) => roundsOf(withSiblings, members));
  const byFamily = leaveOut(groups, workloads, false, mostRounds, ({ members }) => roundsOf(families, members.map(familyOf)));

  const known = quantiles(byGroup.errors, unknownErrors);
  const newFamily = quantiles(byFamily.errors, unknownErrors);
  // Batch sizes left out are mostly far from the others, and their spreads ample; those asked about lie mostly between.
  return {
    folds: byGroup.errors.length === 0 ? 0 : folds,
    totalErrorPercent: meanPercent(byGroup.totalErrors),
    memberErrorPercent: meanPercent(byGroup.memberErrors),
    errors: { known, newBatch: widest(quantiles(byWorkload.errors, newFamily), known), newFamily },
  };
}

/** The rounds in which things of a list are left out, dealt in turn. */
function roundsOf(list: readonly string[], some: readonly string[]): readonly number[] {
  return some.map((name) => list.indexOf(name)).flatMap((place) => (place < 0 ? [] : [place % mostRounds]));
}

interface LeftOut {
  /** Logarithm of measured ÷ predicted in spreads, one a member. */
  readonly errors: number[];
  /** Predicted ÷ measured − 1, one a member and one a group. */
  readonly memberErrors: number[];
  readonly totalErrors: number[];
}

function leaveOut(
  groups: readonly MeasuredGroup[],
  workloads: readonly MeasuredWorkload[],
  correct: boolean,
  rounds: number,
  roundsOut: (group: MeasuredGroup, index: number) => readonly number[],
): LeftOut {
  const byName = new Map(workloads.map((workload) => [workload.name, workload]));
  const result: LeftOut = { errors: [], memberErrors: [], totalErrors: [] };
  const outIn = groups.map(roundsOut);
  for (let round = 0; round < rounds; round++) {
    const out = groups.filter((_, index) => outIn[index]?.includes(round) === true);
    const rest = groups.filter((_, index) => outIn[index]?.includes(round) !== true);
    if (out.length === 0 || rest.length === 0) continue;
    const fit = fitInterference(rest, workloads, correct);
    const predict = createSharePredictor(fit);
    const spread = createSpreadPredictor(fit, rest);
    for (const { members, rates } of out) {
      const measured = members.map((name) => byName.get(name) as MeasuredWorkload);
      const predicted = predict(measured).map((share, k) => share * (measured[k] as MeasuredWorkload).exclusiveRate);
      const spreads = spread(measured);
      rates.forEach((rate, k) => {
        // Beside idle company nothing is open and nothing to learn.
        if ((spreads[k] as number) > 0) result.errors.push(Math.log(rate / (predicted[k] as number)) / (spreads[k] as number));
        result.memberErrors.push((predicted[k] as number) / rate - 1);
      });
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
