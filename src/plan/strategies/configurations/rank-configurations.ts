import type { ConfigurationSpace, Part, WholeLayout } from './configuration-space.js';

/** What the services would get out of each part: the score of a configuration is the sum over its services. */
export interface PartScores {
  /** Services with a positive score on a part, highest first, at most `count`. */
  top(part: number, count: number): readonly ScoredService[];
}

/** A service with its score on a part. */
export interface ScoredService {
  readonly service: number;
  readonly score: number;
}

/** A GPU of a layout with parts of it given to different services. Slots in no part stay free. */
export interface Configuration {
  readonly cut: number;
  readonly layout: number;
  readonly shares: readonly { readonly service: number; readonly part: number }[];
  /** Score per unit of the GPU's price. */
  readonly score: number;
}

/**
 * The `keep` configurations of highest score with at most `mix` different services on a GPU, best first; among equals the
 * one of the earlier layout. A slot that some service could gain from is not left free. Exact: a layout is shared out part by
 * part, and a branch is left as soon as what remains could not bring it above the scores already found.
 */
export function rankConfigurations(
  space: ConfigurationSpace,
  scores: PartScores,
  mix: number,
  keep: number,
  isOpen: (layout: WholeLayout) => boolean = () => true,
): readonly Configuration[] {
  const { parts } = space;
  const services = Math.min(mix, space.mostSlots);
  // Of a configuration among the best, each service is among the so many best on its part: else a better one could take its place.
  const tops = parts.map((_, part) => scores.top(part, services + keep - 1));
  const limits = limitScores(parts, tops, services);
  const ranked: Configuration[] = [];
  let threshold = 0;
  const shares: { service: number; part: number }[] = [];
  let current: WholeLayout;

  const record = (score: number): void => {
    if (score <= threshold) return;
    const at = ranked.findIndex((other) => other.score < score);
    ranked.splice(at < 0 ? ranked.length : at, 0, { cut: current.cut, layout: current.layout, shares: [...shares], score });
    if (ranked.length > keep) ranked.pop();
    if (ranked.length === keep) threshold = (ranked[keep - 1] as Configuration).score;
  };

  // Of parts that begin with slots of one size the larger come first, and equal ones go to services in their order: every way
  // to share out is looked at once.
  const shareOut = (part: number, left: number, score: number, previous: number, rank: number): void => {
    const beyond = limits[left - 1] as Float64Array;
    for (const [own, rest] of (parts[part] as Part).splits) {
      if (own > previous && parts[own]?.sizes[0] === parts[previous]?.sizes[0]) continue;
      const after = beyond[rest] as number;
      const top = tops[own] as readonly ScoredService[];
      for (let n = own === previous ? rank + 1 : 0; n < top.length; n++) {
        const { service, score: gained } = top[n] as ScoredService;
        if ((score + gained + after) / current.cost <= threshold) break;
        if (shares.some((share) => share.service === service)) continue;
        shares.push({ service, part: own });
        if (after === 0) record((score + gained) / current.cost);
        else shareOut(rest, left - 1, score + gained, own, n);
        shares.pop();
      }
    }
  };

  const full = limits[services] as Float64Array;
  for (const layout of space.layouts) {
    if (!isOpen(layout) || (full[layout.part] as number) / layout.cost <= threshold) continue;
    current = layout;
    shareOut(layout.part, services, 0, 0, -1);
  }
  return ranked;
}

/**
 * By number of services and part: a limit on the score. A service may be counted on several parts, or with the whole part;
 * the smaller of the two holds.
 */
function limitScores(parts: readonly Part[], tops: readonly (readonly ScoredService[])[], services: number): readonly Float64Array[] {
  const limits = [new Float64Array(parts.length)];
  const wholes = new Float64Array(parts.length);
  for (let count = 1; count <= services; count++) {
    const fewer = limits[count - 1] as Float64Array;
    const limit = new Float64Array(parts.length);
    for (const [part, { splits }] of parts.entries()) {
      (wholes[part] as number) += tops[part]?.[count - 1]?.score ?? 0;
      let most = 0;
      for (const [own, rest] of splits) most = Math.max(most, (tops[own]?.[0]?.score ?? 0) + (fewer[rest] as number));
      limit[part] = Math.min(most, wholes[part] as number);
    }
    limits.push(limit);
  }
  return limits;
}
