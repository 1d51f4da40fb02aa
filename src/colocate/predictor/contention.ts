import type { Observation } from './observations.js';
import { trendCount } from './workload-features.js';

/**
 * The contention model. A member i of a group with others j keeps the share
 *
 *     t_i / T_i = 1 / (e^alone_i + e^sensitivity_i · (ω · e^pressure_i + Σ_j e^pressure_j))
 *
 * of its exclusive rate: `alone` is what sharing costs at all, `pressure` the load that a workload puts on the GPU, and
 * `sensitivity` how much load hurts it. Each of the three is a linear trend in features plus an offset of the workload.
 */
export interface Traits {
  readonly alone: number;
  readonly sensitivity: number;
  readonly pressure: number;
}

/** ω: how much of its own load a member feels beside that of the others. */
const ownLoad = 0.6;

/** Logarithm of the share that a member keeps. `presences` scales the load of each of the others; an idle one takes nothing. */
export function contentionLogShare(member: Traits, others: readonly Traits[], presences: readonly number[]): number {
  const company = Math.min(
    1,
    presences.reduce((sum, presence) => sum + presence, 0),
  );
  const load = others.reduce((sum, { pressure }, k) => sum + (presences[k] as number) * Math.exp(pressure), 0);
  const felt = Math.exp(member.sensitivity) * (ownLoad * Math.exp(member.pressure) + load);
  return -Math.log(1 - company + company * (Math.exp(member.alone) + felt));
}

/** Where each parameter of a fit stands: intercepts, trends of the three traits, then the offsets of every workload. */
export interface ParameterLayout {
  readonly count: number;
  readonly intercept: { readonly alone: number; readonly sensitivity: number };
  readonly trend: Readonly<Record<keyof Traits, number>>;
  readonly offset: Readonly<Record<keyof Traits, number>>;
}

/** The layout for so many workloads. Pressure has no intercept: it would be the same as that of sensitivity. */
export function layoutParameters(workloads: number): ParameterLayout {
  const offsets = 2 + 3 * trendCount;
  return {
    count: offsets + 3 * workloads,
    intercept: { alone: 0, sensitivity: 1 },
    trend: { alone: 2, sensitivity: 2 + trendCount, pressure: 2 + 2 * trendCount },
    offset: { alone: offsets, sensitivity: offsets + workloads, pressure: offsets + 2 * workloads },
  };
}

/** The traits of workload `index` under the parameters of a fit. */
export function traitsOf(parameters: ArrayLike<number>, layout: ParameterLayout, index: number, features: readonly number[]): Traits {
  const value = (trait: keyof Traits, intercept: number) => {
    let sum = intercept + (parameters[layout.offset[trait] + index] as number);
    for (let k = 0; k < trendCount; k++) sum += (parameters[layout.trend[trait] + k] as number) * (features[k] as number);
    return sum;
  };
  return {
    alone: value('alone', parameters[layout.intercept.alone] as number),
    sensitivity: value('sensitivity', parameters[layout.intercept.sensitivity] as number),
    pressure: value('pressure', 0),
  };
}

/** Calls back with every parameter that the predicted log share of an observation depends on, and its derivative; parameters may come twice. */
export function eachDerivative(
  { member, others }: Pick<Observation, 'member' | 'others'>,
  traits: readonly Traits[],
  layout: ParameterLayout,
  features: readonly (readonly number[])[],
  visit: (parameter: number, derivative: number) => void,
): void {
  const { alone, sensitivity, pressure } = traits[member] as Traits;
  const own = ownLoad * Math.exp(pressure);
  const load = others.reduce((sum, j) => sum + Math.exp((traits[j] as Traits).pressure), own);
  const floor = Math.exp(alone);
  const scale = Math.exp(sensitivity);
  const whole = floor + scale * load;
  const visitTrait = (trait: keyof Traits, workload: number, derivative: number) => {
    visit(layout.offset[trait] + workload, derivative);
    const row = features[workload] as readonly number[];
    for (let k = 0; k < trendCount; k++) visit(layout.trend[trait] + k, derivative * (row[k] as number));
  };
  visit(layout.intercept.alone, -floor / whole);
  visitTrait('alone', member, -floor / whole);
  visit(layout.intercept.sensitivity, (-scale * load) / whole);
  visitTrait('sensitivity', member, (-scale * load) / whole);
  visitTrait('pressure', member, (-scale * own) / whole);
  for (const j of others) visitTrait('pressure', j, (-scale * Math.exp((traits[j] as Traits).pressure)) / whole);
}
