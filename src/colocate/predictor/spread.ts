import type { MeasuredWorkload } from '../measured-workload.js';
import { factorCholesky, solveLower } from './cholesky.js';
import { type ParameterLayout, type TraitSlopes, type Traits, traitSlopes } from './contention.js';
import { noise, parameterPrecision, predictTraits } from './fit-contention.js';
import type { InterferenceFit } from './fit-interference.js';
import { eachDistinct, placesOf } from './observations.js';
import { type EncodedWorkload, encodeWorkload, trendCount } from './workload-features.js';
import { offsetCovariance } from './workload-similarity.js';

/**
 * How far the log share of each member of a group may lie from its prediction, in the order of the members, on a scale of its
 * own: out-of-fold errors tell how many spreads nine of ten stay within. 0 for a workload alone.
 */
export type SpreadPredictor = (members: readonly MeasuredWorkload[]) => readonly number[];

/** What a share varies by, beside what the parameters leave open. Between 0 and 0.2 cross-validated intervals do not differ. */
const unexplained = 0.05;

interface Known {
  readonly traits: Traits;
  readonly presence: number;
  /** Slopes of each trait by the parameters, divided by the factor of their precision: products are covariances. */
  readonly whitened: Readonly<Record<keyof Traits, Float64Array>>;
  /** Set for a workload that was not measured: its covariances with those that were, and their weights. */
  readonly unseen?: { readonly encoded: EncodedWorkload; readonly covariances: readonly number[]; readonly weights: readonly number[] };
}

/**
 * Makes the spreads of a fit to groups with these members. What measured groups say little about (few measurements, new
 * workloads, far batch sizes, much contention) has a large spread; beyond the largest measured group every further member adds
 * the variance once more.
 */
export function createSpreadPredictor(
  fit: Pick<InterferenceFit, 'scale' | 'workloads' | 'contention'>,
  groups: readonly { readonly members: readonly string[] }[],
): SpreadPredictor {
  const { workloads, contention, scale } = fit;
  const indices = new Map(workloads.map(({ name }, index) => [name, index]));
  const places = groups.flatMap(({ members }) => placesOf(members.map((name) => indices.get(name) as number)));
  const { precision, layout, offsets } = parameterPrecision(contention, workloads, places);
  factorCholesky(precision);
  const mostOthers = Math.max(...groups.map(({ members }) => members.length - 1));
  const known = new Map<string, Known>();

  function look(workload: MeasuredWorkload): Known {
    const found = known.get(workload.name);
    if (found !== undefined) return found;
    const index = indices.get(workload.name);
    const encoded = index === undefined ? encodeWorkload(workload, scale) : (workloads[index] as EncodedWorkload);
    const covariances = workloads.map((other) => offsetCovariance(encoded, other));
    const weights = workloads.map((_, k) =>
      index === undefined ? dot(offsets[k] as readonly number[], covariances) : Number(k === index),
    );
    const whiten = (trait: keyof Traits) => solveLower(precision, parameterSlopes(trait, encoded.features, weights, layout));
    const entry = {
      traits: predictTraits(contention, workloads, encoded),
      presence: encoded.presence,
      whitened: { alone: whiten('alone'), sensitivity: whiten('sensitivity'), pressure: whiten('pressure') },
      ...(index === undefined && { unseen: { encoded, covariances, weights } }),
    };
    known.set(workload.name, entry);
    return entry;
  }

  function spreadOf(member: MeasuredWorkload, others: readonly MeasuredWorkload[]): number {
    if (others.length === 0) return 0;
    const own = look(member);
    const company = others.map(look);
    const slopes = traitSlopes(
      own.traits,
      company.map(({ traits }) => traits),
      company.map(({ presence }) => presence),
    );
    const reach = 1 + Math.max(0, others.length - mostOthers);
    return Math.abs(slopes.sensitivity) * Math.sqrt(reach * (unexplained + variance(own, company, slopes) / noise));
  }

  return (members) => {
    const spreads = new Map<string, number>();
    eachDistinct(members, (member, others) => spreads.set(member.name, spreadOf(member, others)));
    return members.map(({ name }) => spreads.get(name) as number);
  };
}

/** Slopes of a trait by all parameters; `weights` say how its offset depends on those of the measured workloads. */
function parameterSlopes(
  trait: keyof Traits,
  features: readonly number[],
  weights: readonly number[],
  layout: ParameterLayout,
): Float64Array {
  const slopes = new Float64Array(layout.count);
  if (trait !== 'pressure') slopes[layout.intercept[trait]] = 1;
  for (let k = 0; k < trendCount; k++) slopes[layout.trend[trait] + k] = features[k] as number;
  slopes.set(weights, layout.offset[trait]);
  return slopes;
}

/** Variance of a log share from that of all traits it depends on. */
function variance(own: Known, company: readonly Known[], slopes: TraitSlopes): number {
  const parts: readonly (readonly [keyof Traits, Known, number])[] = [
    ['alone', own, slopes.alone],
    ['sensitivity', own, slopes.sensitivity],
    ['pressure', own, slopes.pressure],
    ...company.map((other, k) => ['pressure', other, slopes.others[k] as number] as const),
  ];
  const sum = new Float64Array(own.whitened.alone.length);
  for (const [trait, { whitened }, slope] of parts) {
    for (let k = 0; k < sum.length; k++) (sum[k] as number) += slope * (whitened[trait][k] as number);
  }
  let total = dot(sum, sum);
  for (const [trait, a, slope] of parts) {
    for (const [other, b, by] of parts) if (trait === other) total += slope * by * unseenCovariance(a, b);
  }
  return total;
}

/** What stays open of the offsets of two workloads when those of the measured ones are known; nothing unless both are new. */
function unseenCovariance({ unseen: a }: Known, { unseen: b }: Known): number {
  return a === undefined || b === undefined ? 0 : offsetCovariance(a.encoded, b.encoded) - dot(a.covariances, b.weights);
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k] as number) * (b[k] as number);
  return sum;
}
