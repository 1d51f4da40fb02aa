import type { ConfigurationSpace, Part, WholeLayout } from './configuration-space.js';

/** What the services would get out of each part: the score of a configuration is the sum over its services. */
export interface PartScores {
  /** The highest score of any one service on a part; 0 when none gains anything. */
  best(part: number): number;
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
 * one of the earlier layout. Exact: a layout is shared out part by part, and a branch is left as soon as the best services
 * for what remains, taken twice if need be, could not reach the scores already found.
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
  const limits = limitScores(parts, scores, services);
  const most = services + keep - 1;
  const tops: (readonly ScoredService[] | undefined)[] = new Array(parts.length);
  const topOf = (part: number): readonly ScoredService[] => {
    tops[part] ??= scores.top(part, most);
    return tops[part];
  };
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

  const shareOut = (part: number, left: number, score: number): void => {
    const beyond = limits[left - 1] as Float64Array;
    for (const [own, rest] of (parts[part] as Part).splits) {
      const after = beyond[rest] as number;
      if ((score + scores.best(own) + after) / current.cost <= threshold) continue;
      for (const top of topOf(own)) {
        if ((score + top.score + after) / current.cost <= threshold) break;
        if (shares.some(({ service }) => service === top.service)) continue;
        shares.push({ service: top.service, part: own });
        if (after === 0) record((score + top.score) / current.cost);
        else shareOut(rest, left - 1, score + top.score);
        shares.pop();
      }
    }
  };

  const full = limits[services] as Float64Array;
  for (const layout of space.layouts) {
    if (!isOpen(layout) || (full[layout.part] as number) / layout.cost <= threshold) continue;
    current = layout;
    shareOut(layout.part, services, 0);
  }
  return ranked;
}

/** By number of services and part: a limit on the score, in which a service may be counted more than once. */
function limitScores(parts: readonly Part[], scores: PartScores, mix: number): readonly Float64Array[] {
  const limits = [new Float64Array(parts.length)];
  for (let services = 1; services <= mix; services++) {
    const fewer = limits[services - 1] as Float64Array;
    limits.push(
      Float64Array.from(parts, ({ splits }) => {
        let limit = 0;
        for (const [own, rest] of splits) limit = Math.max(limit, scores.best(own) + (fewer[rest] as number));
        return limit;
      }),
    );
  }
  return limits;
}
