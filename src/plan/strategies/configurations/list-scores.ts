import type { PartScores, ScoredService } from './rank-configurations.js';

/** The scores of a few services, worked out when they are asked for. */
export function scoreServices(services: readonly number[], score: (service: number, part: number) => number): PartScores {
  const ranked: (readonly ScoredService[] | undefined)[] = [];
  const rank = (part: number): readonly ScoredService[] => {
    ranked[part] ??= services
      .map((service) => ({ service, score: score(service, part) }))
      .filter((scored) => scored.score > 0)
      .sort((a, b) => b.score - a.score || a.service - b.service);
    return ranked[part];
  };
  return { best: (part) => rank(part)[0]?.score ?? 0, top: (part, count) => rank(part).slice(0, count) };
}
