import type { EncodedWorkload } from './workload-features.js';

// Variances and lengths were chosen by cross-validation inside training sets: docs/design/0004-interference-model.md.
const offset = { own: 0.03, family: 7, familyLength: 4 } as const;
const resemblance = { own: 0.1, family: 1, familyLength: 2, features: 3, featureLength: 0.7 } as const;

/** Prior covariance of the offsets of two workloads: large within a family at similar batch sizes, nothing across families. */
export function offsetCovariance(a: EncodedWorkload, b: EncodedWorkload): number {
  return (a.name === b.name ? offset.own : 0) + offset.family * familyLikeness(a, b, offset.familyLength);
}

/** How alike two workloads are, 0 to 1: the same, of one family, or with similar metrics. */
export function likeness(a: EncodedWorkload, b: EncodedWorkload): number {
  const { own, family, familyLength, features, featureLength } = resemblance;
  let distance = 0;
  for (let k = 0; k < a.features.length; k++) distance += ((a.features[k] as number) - (b.features[k] as number)) ** 2;
  const alike = Math.exp(-distance / (2 * featureLength ** 2 * a.features.length));
  const sum = (a.name === b.name ? own : 0) + family * familyLikeness(a, b, familyLength) + features * alike;
  return sum / (own + family + features);
}

function familyLikeness(a: EncodedWorkload, b: EncodedWorkload, length: number): number {
  return a.family === b.family ? Math.exp(-(((a.logBatch - b.logBatch) / length) ** 2) / 2) : 0;
}
