import { type MeasuredGroup, type MeasuredWorkload, totalRate } from '../measured-workload.js';
import { type PolicyName, policies, type TrainedPolicy } from './policies.js';
import { meanErrorPercent, percentOfOracle, publishedRSquared, rSquared } from './score-predictions.js';

/** One way to divide groups; the order of `test` decides between equals. */
export interface Split {
  readonly train: readonly MeasuredGroup[];
  /** What KACE really fits to; all of `train` where the split does not say. */
  readonly trainUsed: readonly MeasuredGroup[];
  readonly test: readonly MeasuredGroup[];
}

/** How one policy does on a case, the mean over its splits. NaN where a policy predicts nothing of the kind. */
export interface PolicyScore {
  readonly policy: PolicyName;
  /** By the published protocol: fitted to `trainUsed`, scaled by test statistics. */
  readonly published: { readonly percentOfOracle: number; readonly rSquared: number };
  /** By ours: fitted to all of `train`, which alone decides every scale. */
  readonly percentOfOracle: number;
  readonly rSquared: number;
  readonly totalErrorPercent: number;
  readonly memberErrorPercent: number;
}

/** Scores a policy on the splits of one case. `targets` are the workloads for which groups are chosen; all unless given. */
export function evaluatePolicy(
  policy: PolicyName,
  splits: readonly Split[],
  workloads: readonly MeasuredWorkload[],
  targets: readonly string[] = workloads.map(({ name }) => name),
): PolicyScore {
  const scores = splits.map((split) => scoreSplit(policy, split, workloads, targets));
  const mean = (value: (score: PolicyScore) => number) => scores.reduce((sum, score) => sum + value(score), 0) / scores.length;
  return {
    policy,
    published: { percentOfOracle: mean((score) => score.published.percentOfOracle), rSquared: mean((score) => score.published.rSquared) },
    percentOfOracle: mean((score) => score.percentOfOracle),
    rSquared: mean((score) => score.rSquared),
    totalErrorPercent: mean((score) => score.totalErrorPercent),
    memberErrorPercent: mean((score) => score.memberErrorPercent),
  };
}

function scoreSplit(policy: PolicyName, split: Split, workloads: readonly MeasuredWorkload[], targets: readonly string[]): PolicyScore {
  const { train, trainUsed, test } = split;
  const byName = new Map(workloads.map((workload) => [workload.name, workload]));
  const published = policies[policy](trainUsed, byName, false) as TrainedPolicy;
  const ours = policies[policy](train, byName, true) as TrainedPolicy;
  const totals = test.map(({ rates }) => totalRate(rates));
  const predicted = ours.totals?.(test);
  const members = ours.rates && test.map(ours.rates);
  return {
    policy,
    published: {
      percentOfOracle: policy === 'random' ? meanChoice(test, targets) : percentOfOracle(test, targets, published.choose),
      rSquared: publishedFit(published, test, totals),
    },
    percentOfOracle: policy === 'random' ? meanChoice(test, targets) : percentOfOracle(test, targets, ours.choose),
    rSquared: predicted === undefined ? Number.NaN : rSquared(totals, predicted),
    totalErrorPercent: predicted === undefined ? Number.NaN : meanErrorPercent(totals, predicted),
    memberErrorPercent:
      members === undefined
        ? Number.NaN
        : meanErrorPercent(
            test.flatMap(({ rates }) => rates),
            members.flat(),
          ),
  };
}

function publishedFit(policy: TrainedPolicy, test: readonly MeasuredGroup[], totals: readonly number[]): number {
  if (policy.scores !== undefined) return publishedRSquared(totals, policy.scores(test));
  return policy.totals === undefined ? Number.NaN : rSquared(totals, policy.totals(test));
}

/** What choosing at random brings: the mean over all candidates of each target. */
function meanChoice(groups: readonly MeasuredGroup[], targets: readonly string[]): number {
  const means = targets.flatMap((target) => {
    const totals = groups.filter(({ members }) => members.includes(target)).map(({ rates }) => totalRate(rates));
    return totals.length < 2 ? [] : [totals.reduce((sum, total) => sum + total, 0) / totals.length / Math.max(...totals)];
  });
  return (100 * means.reduce((sum, mean) => sum + mean, 0)) / means.length;
}
