import type { MeasuredWorkload } from '../measured-workload.js';

/** What the predictor sees of a workload, each on a logarithmic scale but the last: 1 for training, 0 for inference. */
export const featureNames = [
  'threads',
  'batchSize',
  'stepSeconds',
  'training',
  'computePercent',
  'dramPercent',
  'memoryPercent',
  'smUtilPercent',
] as const;

/**
 * Features whose effect on contention is fitted as a trend; all of them say how alike two workloads are. With a few dozen
 * groups more trends than these overfit (docs/design/0004-interference-model.md).
 */
export const trendCount = 4;

/** Mean and standard deviation of each feature over the workloads of the training groups. */
export interface FeatureScale {
  readonly means: readonly number[];
  /** 1 for a feature without spread. */
  readonly deviations: readonly number[];
}

/** Utilisations below this percentage count as this: it keeps logarithms finite. */
const leastValue = 1e-3;

/** The features of a workload in the order of `featureNames`, before scaling. */
export function rawFeatures(workload: MeasuredWorkload): readonly number[] {
  const { batchSize, exclusiveRate, task } = workload;
  const log = (value: number) => Math.log(Math.max(value, leastValue));
  return [
    log(workload.threads),
    log(batchSize),
    log(batchSize / exclusiveRate),
    task === 'training' ? 1 : 0,
    log(workload.computePercent),
    log(workload.dramPercent),
    log(workload.memoryPercent),
    log(workload.smUtilPercent),
  ];
}

/** The scale of features over `workloads` (at least one). */
export function featureScale(workloads: readonly MeasuredWorkload[]): FeatureScale {
  const rows = workloads.map(rawFeatures);
  const means = featureNames.map((_, k) => rows.reduce((sum, row) => sum + (row[k] as number), 0) / rows.length);
  const deviations = means.map((mean, k) => {
    const deviation = Math.sqrt(rows.reduce((sum, row) => sum + ((row[k] as number) - mean) ** 2, 0) / rows.length);
    return deviation > 1e-9 ? deviation : 1;
  });
  return { means, deviations };
}

/** A workload as the predictor knows it. */
export interface EncodedWorkload {
  readonly name: string;
  readonly family: string;
  readonly logBatch: number;
  /** Scaled features in the order of `featureNames`. */
  readonly features: readonly number[];
  /** 0 to 1: how much of its effect on others counts; below 1 only for a workload that is nearly idle. */
  readonly presence: number;
}

/** A workload whose every utilisation is below this percentage disturbs others less in proportion, and not at all at 0. */
const busyPercent = 5;

/** Scales the features of a workload. */
export function encodeWorkload(workload: MeasuredWorkload, scale: FeatureScale): EncodedWorkload {
  const { name, family, batchSize, computePercent, dramPercent, memoryPercent, smUtilPercent } = workload;
  return {
    name,
    family,
    logBatch: Math.log2(batchSize),
    features: rawFeatures(workload).map((value, k) => (value - (scale.means[k] as number)) / (scale.deviations[k] as number)),
    presence: Math.min(1, Math.max(computePercent, dramPercent, memoryPercent, smUtilPercent) / busyPercent),
  };
}
