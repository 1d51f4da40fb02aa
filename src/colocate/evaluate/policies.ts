import { groupFeatures } from '../kace/group-features.js';
import { fitKace, kaceScores, kaceTotals } from '../kace/least-squares.js';
import { type MeasuredGroup, type MeasuredWorkload, totalRate } from '../measured-workload.js';
import { createSharePredictor, fitInterference } from '../predictor/fit-interference.js';
import type { ChoiceScore } from './score-predictions.js';

/** A trained way to choose groups. */
export interface TrainedPolicy {
  /** What groups are chosen by. */
  readonly choose: ChoiceScore;
  /** Predicted rates of the members; absent for a way that predicts totals only, or nothing. */
  readonly rates?: (group: MeasuredGroup) => readonly number[];
  /** Predicted totals, samples per second; absent for a rule. */
  readonly totals?: (groups: readonly MeasuredGroup[]) => readonly number[];
  /** Predicted standard scores as KACE publishes them. */
  readonly scores?: (groups: readonly MeasuredGroup[]) => readonly number[];
}

/** Trains on some groups; `frozen` scales by the training groups alone, as it should be. */
type Policy = (train: readonly MeasuredGroup[], workloads: ReadonlyMap<string, MeasuredWorkload>, frozen: boolean) => TrainedPolicy;

/** Every way to choose groups, by the name that the command line knows. */
export const policies = {
  /** Contention model with its correction: what `train` trains. */
  inlay: (train, workloads) => interference(train, workloads, true),
  /** The contention model alone. */
  contention: (train, workloads) => interference(train, workloads, false),
  /** Least squares as published. */
  kace: (train, workloads, frozen) => {
    const featuresOf = (groups: readonly MeasuredGroup[]) => groups.map((group) => groupFeatures(membersOf(group, workloads)));
    const totalsOf = (groups: readonly MeasuredGroup[]) => groups.map(({ rates }) => totalRate(rates));
    const model = fitKace(featuresOf(train), totalsOf(train));
    const totals = (groups: readonly MeasuredGroup[]) => kaceTotals(model, featuresOf(groups));
    const scores = (groups: readonly MeasuredGroup[]) => kaceScores(model, featuresOf(groups));
    return { choose: frozen ? totals : scores, totals, scores };
  },
  'least-memory': rule((workload) => -workload.memoryGiB),
  'least-sm-utilisation': rule((workload) => -workload.smUtilPercent),
  'least-memory-utilisation': rule((workload) => -workload.memoryUtilPercent),
  'most-sm-throughput': rule((workload) => workload.computePercent),
  /** The mean over all choices rather than one draw. */
  random: () => ({ choose: (groups) => groups.map(() => 0) }),
  oracle: () => ({ choose: (groups) => groups.map(({ rates }) => totalRate(rates)) }),
} as const satisfies Record<string, Policy>;

/** The name of a policy. */
export type PolicyName = keyof typeof policies;

function interference(train: readonly MeasuredGroup[], workloads: ReadonlyMap<string, MeasuredWorkload>, correct: boolean): TrainedPolicy {
  const predict = createSharePredictor(fitInterference(train, [...workloads.values()], correct));
  const rates = (group: MeasuredGroup) => {
    const members = membersOf(group, workloads);
    return predict(members).map((share, k) => share * (members[k] as MeasuredWorkload).exclusiveRate);
  };
  const totals = (groups: readonly MeasuredGroup[]) => groups.map((group) => totalRate(rates(group)));
  return { choose: totals, totals, rates };
}

function rule(merit: (workload: MeasuredWorkload) => number): Policy {
  return (_, workloads) => ({
    choose: (groups) => groups.map((group) => membersOf(group, workloads).reduce((sum, workload) => sum + merit(workload), 0)),
  });
}

function membersOf({ members }: MeasuredGroup, workloads: ReadonlyMap<string, MeasuredWorkload>): readonly MeasuredWorkload[] {
  return members.map((name) => workloads.get(name) as MeasuredWorkload);
}
