import type { PartScores, ScoredService } from './rank-configurations.js';

/** The scores of a few services, worked out when they are asked for. */
export function scoreServices(services: readonly number[], score: (service: number, part: number) => number): PartScores {
  return {
    top: (part, count) => {
      const top: ScoredService[] = [];
      let least = 0;
      for (const service of services) {
        const own = score(service, part);
        if (own <= least) continue;
        let at = top.length;
        while (at > 0 && (top[at - 1] as ScoredService).score < own) at--;
        top.splice(at, 0, { service, score: own });
        if (top.length > count) top.pop();
        if (top.length === count) least = (top[count - 1] as ScoredService).score;
      }
      return top;
    },
  };
}
