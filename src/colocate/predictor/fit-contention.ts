import { CholeskyDecomposition, inverse, Matrix } from 'ml-matrix';
import { contentionLogShare, eachDerivative, layoutParameters, type ParameterLayout, type Traits, traitsOf } from './contention.js';
import type { Observation } from './observations.js';
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

/** Variance of what the model leaves unexplained in log shares. */
const noise = 0.3;
const penalty = { intercept: 0.03, trend: 2 } as const;
const maxRounds = 60;
/** Relative progress at which the fit ends. */
const tolerance = 1e-6;
const traitNames = ['alone', 'sensitivity', 'pressure'] as const;

/** Fits the contention model to log shares by Levenberg–Marquardt from zero; deterministic. Every workload must be in an observation. */
export function fitContention(workloads: readonly EncodedWorkload[], observations: readonly Observation[]): ContentionFit {
  const layout = layoutParameters(workloads.length);
  const features = workloads.map((workload) => workload.features);
  const precision = inverse(new Matrix(workloads.map((a) => workloads.map((b) => offsetCovariance(a, b)))));
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
      const step = new CholeskyDecomposition(new Matrix(damped)).solve(Matrix.columnVector(gradient)).to1DArray();
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
    alone: fit.intercepts.alone + value('alone'),
    sensitivity: fit.intercepts.sensitivity + value('sensitivity'),
    pressure: value('pressure'),
  };
}

function residual({ member, others, logShare }: Observation, traits: readonly Traits[]): number {
  const company = others.map((j) => traits[j] as Traits);
  return contentionLogShare(traits[member] as Traits, company, new Array(others.length).fill(1)) - logShare;
}

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
  const derivative = new Float64Array(layout.count);
  const touched = new Int32Array(layout.count);
  const isTouched = new Uint8Array(layout.count);
  for (const observation of observations) {
    let count = 0;
    eachDerivative(observation, traits, layout, features, (parameter, value) => {
      if (isTouched[parameter] === 0) touched[count++] = parameter;
      isTouched[parameter] = 1;
      (derivative[parameter] as number) += value;
    });
    const off = residual(observation, traits);
    for (let x = 0; x < count; x++) {
      const a = touched[x] as number;
      const slope = (derivative[a] as number) / noise;
      gradient[a] = (gradient[a] as number) + slope * off;
      const row = hessian[a] as Float64Array;
      for (let y = 0; y < count; y++) {
        const b = touched[y] as number;
        if (b <= a) (row[b] as number) += slope * (derivative[b] as number);
      }
    }
    for (let x = 0; x < count; x++) {
      derivative[touched[x] as number] = 0;
      isTouched[touched[x] as number] = 0;
    }
  }
  mirrorLower(hessian);
  return { hessian, gradient };
}

function mirrorLower(rows: readonly Float64Array[]): void {
  rows.forEach((row, a) => {
    for (let b = 0; b < a; b++) (rows[b] as Float64Array)[a] = row[b] as number;
  });
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
