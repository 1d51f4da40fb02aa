import type { InterferenceModel } from '../documents/interference-model.js';
import { groupKey } from '../group/rate-groups.js';
import type { MeasuredWorkload } from '../measured-workload.js';
import { encodeWorkload, featureScale } from '../predictor/workload-features.js';
import { likeness } from '../predictor/workload-similarity.js';

const noise = 0.02;

/** One member of a group, by index among the workloads. */
interface Place {
  readonly member: number;
  readonly others: readonly number[];
}

/**
 * The groups, of all groups of `size` over `workloads`, that would teach most: one by one the group whose members are known
 * least, given what is measured and what was already chosen. A member is known by alike members among alike others.
 */
export function mostUncertainGroups(
  workloads: readonly MeasuredWorkload[],
  measured: InterferenceModel['training']['groups'],
  budget: number,
  size = 2,
): readonly (readonly string[])[] {
  const scale = featureScale(workloads);
  const encoded = workloads.map((workload) => encodeWorkload(workload, scale));
  const alike = encoded.map((a) => encoded.map((b) => likeness(a, b)));
  const indices = new Map(workloads.map(({ name }, index) => [name, index]));
  const done = new Set(measured.map(({ members }) => groupKey(members)));
  const candidates = combinations(workloads.length, size).filter(
    (group) => !done.has(groupKey(group.map((index) => workloads[index]?.name as string))),
  );
  const places = candidates.map(placesOf);
  const flat = places.flat();
  const posterior = trackVariance(flat, alike);
  for (const { members } of measured) {
    const group = members.map((name) => indices.get(name)).filter((index) => index !== undefined);
    if (group.length === members.length) for (const place of placesOf(group)) posterior.observe(place);
  }

  const starts = places.map((_, k) => places.slice(0, k).reduce((sum, list) => sum + list.length, 0));
  const chosen: number[] = [];
  while (chosen.length < Math.min(budget, candidates.length)) {
    let best = -1;
    let most = -1;
    for (const [k, list] of places.entries()) {
      if (chosen.includes(k)) continue;
      const unknown =
        list.reduce((sum, _, offset) => sum + (posterior.variances[(starts[k] as number) + offset] as number), 0) / list.length;
      if (unknown > most + 1e-12) {
        best = k;
        most = unknown;
      }
    }
    chosen.push(best);
    for (const place of places[best] as readonly Place[]) posterior.observe(place);
  }
  return chosen.map((k) => (candidates[k] as readonly number[]).map((index) => workloads[index]?.name as string));
}

/** Prior covariance of two members in their groups: who they are, whom they are with, and both together. */
function covariance(a: Place, b: Place, alike: readonly (readonly number[])[]): number {
  const own = alike[a.member]?.[b.member] as number;
  let sum = 0;
  for (const j of a.others) for (const k of b.others) sum += alike[j]?.[k] as number;
  const company = sum / (a.others.length * b.others.length);
  return (own + company + own * company) / 3;
}

/** Variances of places as more and more places are observed: each observation is one step of a Gaussian elimination. */
function trackVariance(places: readonly Place[], alike: readonly (readonly number[])[]) {
  const variances = Float64Array.from(places, (place) => covariance(place, place, alike));
  const observed: Place[] = [];
  /** Factor of the covariance of what was observed, one row an observation, and of each place with it. */
  const factor: Float64Array[] = [];
  const crossed: Float64Array[] = [];
  return {
    variances,
    observe(place: Place): void {
      const row = new Float64Array(observed.length + 1);
      observed.forEach((other, k) => {
        row[k] = (covariance(place, other, alike) - partialDot(row, factor[k] as Float64Array, k)) / (factor[k]?.[k] as number);
      });
      const last = Math.sqrt(Math.max(covariance(place, place, alike) + noise - partialDot(row, row, observed.length), 1e-9));
      row[observed.length] = last;
      const cross = Float64Array.from(places, (candidate, index) => {
        let rest = covariance(candidate, place, alike);
        for (let k = 0; k < observed.length; k++) rest -= (row[k] as number) * (crossed[k]?.[index] as number);
        return rest / last;
      });
      cross.forEach((value, index) => {
        (variances[index] as number) -= value ** 2;
      });
      observed.push(place);
      factor.push(row);
      crossed.push(cross);
    },
  };
}

function partialDot(a: Float64Array, b: Float64Array, length: number): number {
  let sum = 0;
  for (let k = 0; k < length; k++) sum += (a[k] as number) * (b[k] as number);
  return sum;
}

function placesOf(group: readonly number[]): readonly Place[] {
  return [...new Set(group)].map((member) => ({ member, others: group.toSpliced(group.indexOf(member), 1) }));
}

/** All ascending choices of `size` indices below `count`, an index may repeat. */
function combinations(count: number, size: number, from = 0): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  const list: (readonly number[])[] = [];
  for (let first = from; first < count; first++) for (const rest of combinations(count, size - 1, first)) list.push([first, ...rest]);
  return list;
}
