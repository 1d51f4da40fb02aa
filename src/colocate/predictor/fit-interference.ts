import type { MeasuredGroup, MeasuredWorkload } from '../measured-workload.js';
import { contentionLogShare, type Traits } from './contention.js';
import { correctionBeside, fitCorrection } from './correction.js';
import { type ContentionFit, fitContention, predictTraits } from './fit-contention.js';
import { eachDistinct, observeGroups, type Place } from './observations.js';
import { type EncodedWorkload, encodeWorkload, type FeatureScale, featureScale } from './workload-features.js';
import { likeness } from './workload-similarity.js';

/** A workload of the training groups. */
export interface KnownWorkload extends EncodedWorkload {
  /** Largest share of its exclusive rate that can be right: 1, or more if more was measured. */
  readonly ceiling: number;
}

/** Both parts of the predictor, as plain data. */
export interface InterferenceFit {
  readonly scale: FeatureScale;
  readonly workloads: readonly KnownWorkload[];
  readonly contention: ContentionFit;
  readonly correction: readonly (Place & { readonly weight: number })[];
}

/** Observations that the correction looks at; beyond it an even selection, because its cost grows with the cube. */
const maxPlaces = 600;

/**
 * Fits contention model and correction to measured groups (at least one). Workloads that no group names are left out.
 * Without `correct` the contention model stands alone.
 */
export function fitInterference(groups: readonly MeasuredGroup[], workloads: readonly MeasuredWorkload[], correct = true): InterferenceFit {
  const named = new Set(groups.flatMap(({ members }) => members));
  const used = workloads.filter(({ name }) => named.has(name));
  const scale = featureScale(used);
  const encoded = used.map((workload) => encodeWorkload(workload, scale));
  const observations = observeGroups(groups, used);
  const contention = fitContention(encoded, observations);
  const traits = encoded.map((workload) => predictTraits(contention, encoded, workload));

  const step = Math.ceil(observations.length / maxPlaces);
  const places = correct ? observations.filter((_, place) => place % step === 0) : [];
  const residuals = places.map(({ member, others, logShare }) => {
    const company = others.map((j) => traits[j] as Traits);
    return logShare - contentionLogShare(traits[member] as Traits, company, new Array(others.length).fill(1));
  });
  const likenesses = encoded.map((a) => Float64Array.from(encoded, (b) => likeness(a, b)));
  const weights = places.length === 0 ? [] : fitCorrection(places, residuals, likenesses);

  const ceilings = encoded.map(() => 1);
  for (const { member, logShare } of observations) ceilings[member] = Math.max(ceilings[member] as number, Math.exp(logShare));
  return {
    scale,
    workloads: encoded.map((workload, index) => ({ ...workload, ceiling: ceilings[index] as number })),
    contention,
    correction: places.map(({ member, others }, index) => ({ member, others, weight: weights[index] as number })),
  };
}

/** Predicts the share of its exclusive rate that each member of a group keeps, in the order of the members. */
export type SharePredictor = (members: readonly MeasuredWorkload[]) => readonly number[];

/** Shares so small occur for workloads unlike any that were measured, and in damaged models. None is 0: slowdowns stay numbers. */
const leastLogShare = -50;

interface Known {
  readonly traits: Traits;
  readonly likeness: Float64Array;
  /** Correction beside each workload of the training groups. */
  readonly beside: Float64Array;
  readonly presence: number;
  readonly ceiling: number;
}

/**
 * Makes a fit ready to predict groups of any size. Alone, a workload keeps all of its rate. The order of members does not
 * matter, and another copy of a member never makes it faster.
 */
export function createSharePredictor(fit: InterferenceFit): SharePredictor {
  const byName = new Map(fit.workloads.map((workload) => [workload.name, workload]));
  const known = new Map<string, Known>();

  function look(workload: MeasuredWorkload): Known {
    const found = known.get(workload.name);
    if (found !== undefined) return found;
    const encoded = byName.get(workload.name) ?? { ...encodeWorkload(workload, fit.scale), ceiling: 1 };
    const alike = Float64Array.from(fit.workloads, (other) => likeness(encoded, other));
    const entry = {
      traits: predictTraits(fit.contention, fit.workloads, encoded),
      likeness: alike,
      beside: correctionBeside(alike, fit.correction),
      presence: encoded.presence,
      ceiling: encoded.ceiling,
    };
    known.set(workload.name, entry);
    return entry;
  }

  function shareOf(member: MeasuredWorkload, others: readonly MeasuredWorkload[]): number {
    if (others.length === 0) return 1;
    const own = look(member);
    const company = others.map(look);
    const presences = company.map(({ presence }) => presence);
    const traits = company.map((other) => other.traits);
    const logShare = contentionLogShare(own.traits, traits, presences) + correctionAmong(own, company);
    const share = Math.min(own.ceiling, Math.exp(Math.max(leastLogShare, logShare)));
    const copy = others.findIndex(({ name }) => name === member.name);
    return copy < 0 || others.length === 1 ? share : Math.min(share, shareOf(member, others.toSpliced(copy, 1)));
  }

  return (members) => {
    const shares = new Map<string, number>();
    eachDistinct(members, (member, others) => shares.set(member.name, shareOf(member, others)));
    return members.map(({ name }) => shares.get(name) as number);
  };
}

/** The mean correction over the others, each counted by its presence. */
function correctionAmong({ beside }: Known, company: readonly Known[]): number {
  let sum = 0;
  let whole = 0;
  for (const { likeness: alike, presence } of company) {
    whole += presence;
    for (let k = 0; k < beside.length; k++) sum += presence * (beside[k] as number) * (alike[k] as number);
  }
  return whole === 0 ? 0 : (sum * Math.min(1, whole)) / whole;
}
