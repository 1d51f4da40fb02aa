import type { PartScores, ScoredService } from './rank-configurations.js';

/**
 * The scores of many services on every part, kept so that one service's change costs a few comparisons a part instead of a
 * pass over all services: a tournament tree a part, whose root is the best service.
 */
export class PartTournament implements PartScores {
  readonly #leaves: number;
  readonly #scores: readonly Float64Array[];
  /** Winner of every match; the root is at 1, the leaves follow the matches. */
  readonly #winners: readonly Int32Array[];

  constructor(partCount: number, services: number, score: (service: number, part: number) => number) {
    this.#leaves = 2 ** Math.ceil(Math.log2(Math.max(2, services)));
    this.#scores = Array.from({ length: partCount }, (_, part) => {
      const scores = new Float64Array(this.#leaves);
      for (let i = 0; i < services; i++) scores[i] = score(i, part);
      return scores;
    });
    this.#winners = this.#scores.map((scores) => {
      const winners = new Int32Array(2 * this.#leaves);
      for (let i = 0; i < this.#leaves; i++) winners[this.#leaves + i] = i;
      for (let match = this.#leaves - 1; match > 0; match--) play(winners, scores, match);
      return winners;
    });
  }

  top(part: number, count: number): readonly ScoredService[] {
    const scores = this.#scores[part] as Float64Array;
    const winners = this.#winners[part] as Int32Array;
    const taken: ScoredService[] = [];
    for (let best = winners[1] as number; taken.length < count && (scores[best] as number) > 0; best = winners[1] as number) {
      taken.push({ service: best, score: scores[best] as number });
      this.set(part, best, 0);
    }
    for (const { service, score } of taken) this.set(part, service, score);
    return taken;
  }

  /** Changes the score of a service on a part. */
  set(part: number, service: number, score: number): void {
    const scores = this.#scores[part] as Float64Array;
    const winners = this.#winners[part] as Int32Array;
    scores[service] = score;
    for (let match = (this.#leaves + service) >> 1; match > 0; match >>= 1) play(winners, scores, match);
  }
}

/** The earlier service wins a draw. */
function play(winners: Int32Array, scores: Float64Array, match: number): void {
  const left = winners[2 * match] as number;
  const right = winners[2 * match + 1] as number;
  winners[match] = (scores[right] as number) > (scores[left] as number) ? right : left;
}
