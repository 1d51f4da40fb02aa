import { apiVersion } from '../../demand/documents/common.js';
import type { InterferenceModel } from '../documents/interference-model.js';
import type { MeasuredGroup, MeasuredWorkload } from '../measured-workload.js';
import { calibrate } from './calibrate.js';
import { fitInterference } from './fit-interference.js';
import { featureNames } from './workload-features.js';

/**
 * Trains the predictor on measured groups (at least one, each of at least two members, every member among `workloads`), and
 * cross-validates it. Takes up to two seconds for 200 groups; deterministic.
 */
export function trainInterference(
  name: string,
  groups: readonly MeasuredGroup[],
  workloads: readonly MeasuredWorkload[],
): InterferenceModel {
  const { scale, workloads: known, contention, correction } = fitInterference(groups, workloads);
  const { folds, totalErrorPercent, memberErrorPercent, errors } = calibrate(groups, workloads);
  return {
    apiVersion,
    kind: 'InterferenceModel',
    metadata: { name },
    training: {
      groups: groups.map(({ id, members, rates }) => ({ id, members: [...members], rates: [...rates] })),
      largestGroup: Math.max(...groups.map(({ members }) => members.length)),
      folds,
      totalErrorPercent,
      memberErrorPercent,
    },
    scale: { names: [...featureNames], means: [...scale.means], deviations: [...scale.deviations] },
    workloads: known.map(({ features, ...workload }) => ({ ...workload, features: [...features] })),
    contention: {
      intercepts: contention.intercepts,
      trends: copyTraits(contention.trends),
      offsetWeights: copyTraits(contention.offsetWeights),
    },
    correction: correction.map(({ member, others, weight }) => ({ member, others: [...others], weight })),
    errors,
  };
}

function copyTraits({ alone, sensitivity, pressure }: Readonly<Record<'alone' | 'sensitivity' | 'pressure', readonly number[]>>) {
  return { alone: [...alone], sensitivity: [...sensitivity], pressure: [...pressure] };
}
