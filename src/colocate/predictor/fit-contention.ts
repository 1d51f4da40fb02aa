import { inverse, Matrix } from 'ml-matrix';
import { factorCholesky, solveFactored } from './cholesky.js';
import { contentionLogShare, eachDerivative, layoutParameters, type ParameterLayout, type Traits, traitsOf } from './contention.js';
import type { Observation, Place } from './observations.js';
import { type EncodedWorkload, trendCount } from './workload-features.js';
import { offsetCovariance } from './workload-similarity.js';

/** A fitted contention model, in the form that also tells the traits of workloads it has not seen. */
export interface ContentionFit {
  readonly intercepts: { readonly alone: number; readonly sensitivity: number };
  /** One weight a trend feature. */
  readonly trends: Readonly<Record<keyof Traits, readonly number[]>>;
  /** One weight a workload: an offset is the sum of weight × offsetCovariance. */
  readonly offsetWeights: Readonly<Record<keyof Traits, readonly number[]>>;
}

/** Variance of what the model leaves unexplained in log shares, against which the variances of the priors are meant. */
export const noise = 0.3;
const penalty = { intercept: 0.03, trend: 2 } as const;
const maxRounds = 60;
/** Relative progress at which the fit ends. */
const tolerance = 1e-5;
const traitNames = ['alone', 'sensitivity', 'pressure'] as const;

/** Fits the contention model to log shares by Levenberg–Marquardt from zero; deterministic. Every workload must be in an observation. */
export function fitContention(workloads: readonly EncodedWorkload[], observations: readonly Observation[]): ContentionFit {
  const layout = layoutParameters(workloads.length);
  const features = workloads.map((workload) => workload.features);
  const precision = offsetPrecision(workloads);
  const prior = priorPrecision(layout, precision);
  const traitsAt = (parameters: ArrayLike<number>) => features.map((row, index) => traitsOf(parameters, layout, index, row));
  const costOf = (parameters: number[], traits: readonly Traits[]) => {
    const misfit = observations.reduce((sum, observation) => sum + residual(observation, traits) ** 2, 0);
    return misfit / noise + dot(parameters, multiply(prior, parameters));
  };

  let parameters: number[] = new Array(layout.count).fill(0);
  let traits = traitsAt(parameters);
  let cost = costOf(parameters, traits);
  let damping = 1e-2;
  for (let round = 0; round < maxRounds; round++) {
    const { hessian, gradient } = linearize(observations, traits, layout, features, prior, parameters);
    const before = cost;
    for (let attempt = 0; attempt < 8 && cost === before; attempt++) {
      const damped = hessian.map((row, k) => row.with(k, (row[k] as number) * (1 + damping)));
      factorCholesky(damped);
      const step = solveFactored(damped, gradient);
      const candidate = parameters.map((value, k) => value - (step[k] as number));
      const candidateTraits = traitsAt(candidate);
      const candidateCost = costOf(candidate, candidateTraits);
      if (candidateCost < cost) {
        parameters = candidate;
        traits = candidateTraits;
        cost = candidateCost;
        damping = Math.max(1e-9, damping / 5);
      } else damping *= 4;
    }
    if (before - cost <= tolerance * before) break;
  }
  return toFit(parameters, layout, precision);
}

/** The traits of any workload: its trends plus what the workloads of its family that were fitted tell of its offsets. */
export function predictTraits(fit: ContentionFit, fitted: readonly EncodedWorkload[], workload: EncodedWorkload): Traits {
  const covariances = fitted.map((other) => offsetCovariance(workload, other));
  const value = (trait: keyof Traits) => dot(fit.trends[trait], workload.features) + dot(fit.offsetWeights[trait], covariances);
  return {
    alone: bound(fit.intercepts.alone + value('alone')),
    sensitivity: bound(fit.intercepts.sensitivity + value('sensitivity')),
    pressure: bound(value('pressure')),
  };
}

/** Traits, logarithms of times, that are read from a damaged model or extrapolated without end must not overflow. */
function bound(trait: number): number {
  return Math.max(-50, Math.min(50, trait));
}

/**
 * How sharply the places that were measured, together with the priors, determine the parameters of a fit: the inverse of
 * their covariance by the Laplace approximation. Only the lower half is set.
 */
export function parameterPrecision(
  fit: ContentionFit,
  workloads: readonly EncodedWorkload[],
  places: readonly Place[],
): {
  readonly precision: Float64Array[];
  /** The inverse of the prior covariance of the offsets. */
  readonly offsets: readonly (readonly number[])[];
  readonly layout: ParameterLayout;
} {
  const layout = layoutParameters(workloads.length);
  const features = workloads.map((workload) => workload.features);
  const traits = workloads.map((workload) => predictTraits(fit, workloads, workload));
  const offsets = offsetPrecision(workloads);
  const observations = places.map((place) => ({ ...place, logShare: 0 }));
  const none = new Array(layout.count).fill(0);
  const { hessian } = linearize(observations, traits, layout, features, priorPrecision(layout, offsets), none);
  return { precision: hessian, offsets: offsets.to2DArray(), layout };
}

function residual({ member, others, logShare }: Observation, traits: readonly Traits[]): number {
  const company = others.map((j) => traits[j] as Traits);
  return contentionLogShare(traits[member] as Traits, company, new Array(others.length).fill(1)) - logShare;
}

/** Gradient of half the cost and the lower half of its Gauss–Newton Hessian. */
function linearize(
  observations: readonly Observation[],
  traits: readonly Traits[],
  layout: ParameterLayout,
  features: readonly (readonly number[])[],
  prior: readonly Float64Array[],
  parameters: readonly number[],
): { readonly hessian: Float64Array[]; readonly gradient: number[] } {
  const hessian = prior.map((row) => row.slice());
  const gradient = multiply(prior, parameters);
  // One buffer for all observations: each depends on a few parameters only.
  const derivative = new Float64Array(layout.count);
  const isTouched = new Uint8Array(layout.count);
  const touched: number[] = [];
  for (const observation of observations) {
    eachDerivative(observation, traits, layout, features, (parameter, value) => {
      if (isTouched[parameter] === 0) touched.push(parameter);
      isTouched[parameter] = 1;
      (derivative[parameter] as number) += value;
    });
    const off = residual(observation, traits);
    for (const a of touched) {
      const slope = (derivative[a] as number) / noise;
      gradient[a] = (gradient[a] as number) + slope * off;
      const row = hessian[a] as Float64Array;
      for (const b of touched) if (b <= a) (row[b] as number) += slope * (derivative[b] as number);
    }
    for (const a of touched) derivative[a] = isTouched[a] = 0;
    touched.length = 0;
  }
  return { hessian, gradient };
}

function offsetPrecision(workloads: readonly EncodedWorkload[]): Matrix {
  return inverse(new Matrix(workloads.map((a) => workloads.map((b) => offsetCovariance(a, b)))));
}

function priorPrecision(layout: ParameterLayout, offsets: Matrix): Float64Array[] {
  const prior = Array.from({ length: layout.count }, () => new Float64Array(layout.count));
  const setDiagonal = (at: number, value: number) => {
    (prior[at] as Float64Array)[at] = value;
  };
  for (const at of Object.values(layout.intercept)) setDiagonal(at, penalty.intercept);
  for (const trait of traitNames) {
    for (let k = 0; k < trendCount; k++) setDiagonal(layout.trend[trait] + k, penalty.trend);
    const first = layout.offset[trait];
    for (let a = 0; a < offsets.rows; a++) {
      for (let b = 0; b < offsets.rows; b++) (prior[first + a] as Float64Array)[first + b] = (offsets.get(a, b) + offsets.get(b, a)) / 2;
    }
  }
  return prior;
}

function toFit(parameters: readonly number[], layout: ParameterLayout, precision: Matrix): ContentionFit {
  const byTrait = <T>(value: (trait: keyof Traits) => T) => ({
    alone: value('alone'),
    sensitivity: value('sensitivity'),
    pressure: value('pressure'),
  });
  return {
    intercepts: {
      alone: parameters[layout.intercept.alone] as number,
      sensitivity: parameters[layout.intercept.sensitivity] as number,
    },
    trends: byTrait((trait) => parameters.slice(layout.trend[trait], layout.trend[trait] + trendCount)),
    offsetWeights: byTrait((trait) => {
      const offsets = parameters.slice(layout.offset[trait], layout.offset[trait] + precision.rows);
      return precision.mmul(Matrix.columnVector(offsets)).to1DArray();
    }),
  };
}

function multiply(rows: readonly ArrayLike<number>[], vector: ArrayLike<number>): number[] {
  return rows.map((row) => dot(row, vector));
}

/** Sum of products over the length of the first. */
function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k] as number) * (b[k] as number);
  return sum;
}
