import type { Place } from './observations.js';
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
  const { company, floor, felt } = takeApart(member, others, presences);
  return -Math.log(1 - company + company * (floor + felt));
}

/** Derivatives of a log share by the traits of the member and by the pressure of each of the others. */
export interface TraitSlopes extends Traits {
  readonly others: readonly number[];
}

/** How the log share of a member changes with traits. */
export function traitSlopes(member: Traits, others: readonly Traits[], presences: readonly number[]): TraitSlopes {
  const { company, floor, felt, own, loads } = takeApart(member, others, presences);
  const scale = -company / (1 - company + company * (floor + felt));
  return { alone: scale * floor, sensitivity: scale * felt, pressure: scale * own, others: loads.map((load) => scale * load) };
}

/** `felt` is the sum of `own` and `loads`, what the member feels of its own load and of each of the others. */
function takeApart(member: Traits, others: readonly Traits[], presences: readonly number[]) {
  const scale = Math.exp(member.sensitivity);
  const own = scale * ownLoad * Math.exp(member.pressure);
  const loads = others.map(({ pressure }, k) => scale * (presences[k] as number) * Math.exp(pressure));
  const company = presences.reduce((sum, presence) => sum + presence, 0);
  const felt = loads.reduce((sum, load) => sum + load, own);
  return { company: Math.min(1, company), floor: Math.exp(member.alone), felt, own, loads };
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

/** Calls back with every parameter that the predicted log share of a place depends on, and its derivative; parameters may come twice. */
export function eachDerivative(
  { member, others }: Place,
  traits: readonly Traits[],
  layout: ParameterLayout,
  features: readonly (readonly number[])[],
  visit: (parameter: number, derivative: number) => void,
): void {
  const company = others.map((j) => traits[j] as Traits);
  const slopes = traitSlopes(traits[member] as Traits, company, new Array(others.length).fill(1));
  const visitTrait = (trait: keyof Traits, workload: number, derivative: number) => {
    visit(layout.offset[trait] + workload, derivative);
    const row = features[workload] as readonly number[];
    for (let k = 0; k < trendCount; k++) visit(layout.trend[trait] + k, derivative * (row[k] as number));
  };
  visit(layout.intercept.alone, slopes.alone);
  visitTrait('alone', member, slopes.alone);
  visit(layout.intercept.sensitivity, slopes.sensitivity);
  visitTrait('sensitivity', member, slopes.sensitivity);
  visitTrait('pressure', member, slopes.pressure);
  others.forEach((j, k) => {
    visitTrait('pressure', j, slopes.others[k] as number);
  });
}
