import type { ContendedResource } from '../colocate/describe-contention.js';
import type { InterferenceModel } from '../colocate/documents/interference-model.js';
import type { PolicyScore } from '../colocate/evaluate/evaluate-splits.js';
import type { Grouping } from '../colocate/group/group-jobs.js';
import type { MemberPrediction } from '../colocate/predictor/interference-predictor.js';
import type { SuggestedGroup } from '../colocate/suggest/suggest-groups.js';
import { formatCount, formatNumber } from './format-number.js';
import { formatTable } from './text-table.js';

/** What `colocate train` says of a model. */
export function formatTraining({ training, workloads }: InterferenceModel): string {
  const { groups, largestGroup, folds, totalErrorPercent, memberErrorPercent } = training;
  const trained = `Trained on ${formatCount(groups.length, 'group')} of up to ${largestGroup} of ${formatCount(workloads.length, 'workload')}.\n`;
  if (totalErrorPercent === null || memberErrorPercent === null) return `${trained}Too few groups to tell the error.\n`;
  const errors = `group totals ${totalErrorPercent.toFixed(1)} %, members ${memberErrorPercent.toFixed(1)} %`;
  return `${trained}Mean absolute error on groups left out (${folds}-fold): ${errors}.\n`;
}

/** A predicted group as a table, and what it fights for. */
export function formatPrediction(group: {
  readonly id: string;
  readonly members: readonly MemberPrediction[];
  readonly total: number;
  readonly contention: readonly ContendedResource[];
}): string {
  const rows = group.members.map(({ workload, throughput, low, high, slowdown }) => [
    workload,
    formatNumber(throughput),
    `${formatNumber(low)} – ${formatNumber(high)}`,
    `${formatNumber(slowdown)}×`,
  ]);
  const table = formatTable(
    [
      { title: 'workload' },
      { title: 'predicted samples/s', align: 'right' },
      { title: '90 % interval', align: 'right' },
      { title: 'slowdown', align: 'right' },
    ],
    rows,
  );
  return `Group ${group.id}: ${formatNumber(group.total)} samples/s predicted in total\n${table}${describeContention(group.contention)}\n`;
}

function describeContention(contention: readonly ContendedResource[]): string {
  if (contention.length === 0) return '  No resource is asked for beyond its peak.';
  const parts = contention.map(
    ({ resource, percents }) => `${resource} ${percents.map((percent) => `${percent.toFixed(0)} %`).join(' + ')}`,
  );
  return `  They fight for ${parts.join('; ')}.`;
}

const objectives = {
  throughput: 'most throughput (sum of weight × share of the speed alone)',
  fairness: 'the fairest grouping (largest least share of the speed alone)',
  'fewest-gpus': 'fewest GPUs',
} as const;

const risks = {
  mean: 'predicted means',
  pessimistic: 'rates that are met nine times out of ten',
  measured: 'measured groups only',
} as const;

/** A grouping: what it is best at, its proof, and one line a GPU. */
export function formatGrouping(grouping: Grouping, memoryGiB: number): string {
  const { groups, objective, risk, value, bound, gap, optimal } = grouping;
  const proof = optimal ? 'proven best' : `bound ${formatNumber(bound)}, gap ${(100 * gap).toFixed(2)} %`;
  const rows = groups.map(({ jobs, predicted, shares, measured, memoryGiB: used }, index) => [
    `${index + 1}`,
    jobs.join(' + '),
    predicted.map(({ throughput }) => formatNumber(throughput)).join(' + '),
    shares.map((share) => `${formatNumber(1 / share)}×`).join(' '),
    `${formatNumber(used)} of ${formatNumber(memoryGiB)}`,
    jobs.length === 1 ? 'alone' : measured ? 'measured' : 'predicted',
  ]);
  const table = formatTable(
    [
      { title: 'GPU', align: 'right' },
      { title: 'jobs' },
      { title: 'predicted samples/s' },
      { title: 'slowdown counted on' },
      { title: 'GiB', align: 'right' },
      { title: 'known' },
    ],
    rows,
  );
  return `${formatCount(groups.length, 'GPU')}: ${objectives[objective]}, ${formatNumber(value)}, ${proof}.\nCounting on ${risks[risk]}.\n${table}`;
}

/** Groups to measure, best first. */
export function formatSuggestions(suggested: readonly SuggestedGroup[]): string {
  if (suggested.length === 0) return 'Every group is measured.\n';
  const why = {
    unseen: 'no measured group shows one of them',
    plan: 'the best grouping would use it',
    uncertain: 'it would lower the error most',
  } as const;
  return formatTable(
    [{ title: 'measure' }, { title: 'because' }],
    suggested.map(({ members, reason }) => [members.join(' + '), why[reason]]),
  );
}

/** Scores of every policy on every case. */
export function formatEvaluation(results: readonly { readonly case: string; readonly scores: readonly PolicyScore[] }[]): string {
  const show = (value: number, digits: number) => (Number.isNaN(value) ? '–' : value.toFixed(digits));
  const rows = results.flatMap(({ case: name, scores }) =>
    scores.map((score) => [
      name,
      score.policy,
      show(score.published.percentOfOracle, 1),
      show(score.published.rSquared, 3),
      show(score.percentOfOracle, 1),
      show(score.rSquared, 3),
      show(score.totalErrorPercent, 1),
      show(score.memberErrorPercent, 1),
    ]),
  );
  const table = formatTable(
    [
      { title: 'case' },
      { title: 'chosen by' },
      { title: 'published: % of oracle', align: 'right' },
      { title: 'R²', align: 'right' },
      { title: 'ours: % of oracle', align: 'right' },
      { title: 'R²', align: 'right' },
      { title: 'error of totals, %', align: 'right' },
      { title: 'of members, %', align: 'right' },
    ],
    rows,
  );
  return `${table}Published: fitted to 80 % of the training groups, scaled by test statistics (KACE, SoCC 2024). Ours: fitted to all training groups, nothing taken from test groups.\n`;
}
