import { RandomBlocks } from './random-blocks.js';
import type { Arrivals } from './simulated-service.js';

/** An endless stream of arrival times. */
export interface ArrivalSource {
  /** Fills `out` with the next arrival times, ms, never falling. */
  fill(out: Float64Array): void;
  /** Time after which the pattern starts anew, ms; Infinity where the rate does not move. */
  readonly periodMs: number;
}

/** The arrivals of a service at `rateRps` on average. The same seed gives the same pattern at every rate, only faster or slower. */
export function createArrivalSource(arrivals: Arrivals, rateRps: number, seed: number): ArrivalSource {
  switch (arrivals.kind) {
    case 'renewal':
      return new RenewalSource(arrivals.burstiness, 1000 / rateRps, seed);
    case 'rates':
      return createMovingSource(
        Array.from(arrivals.rates, (rate) => ({ lengthMs: arrivals.stepS * 1000, rateRps: rate * rateRps })),
        arrivals.burstiness,
        seed,
      );
    case 'gaps':
      return new RecordedSource(arrivals.gaps, 1000 / rateRps);
  }
}

class RenewalSource implements ArrivalSource {
  readonly periodMs = Number.POSITIVE_INFINITY;
  readonly #random: RandomBlocks;
  readonly #burstiness: number;
  readonly #meanMs: number;
  readonly #now = new Float64Array(1);

  constructor(burstiness: number, meanMs: number, seed: number) {
    this.#random = new RandomBlocks(seed);
    this.#burstiness = burstiness;
    this.#meanMs = meanMs;
  }

  fill(out: Float64Array): void {
    this.#random.fillGaps(out, this.#burstiness);
    const meanMs = this.#meanMs;
    let now = this.#now[0] as number;
    for (let i = 0; i < out.length; i++) {
      now += (out[i] as number) * meanMs;
      out[i] = now;
    }
    this.#now[0] = now;
  }
}

/** A stretch of time with one rate, which may be 0. */
export interface RateStep {
  readonly lengthMs: number;
  readonly rateRps: number;
}

/** Arrivals at a rate that moves from step to step and then starts anew; some step must have a rate above 0. */
export function createMovingSource(steps: readonly RateStep[], burstiness: number, seed: number): ArrivalSource {
  return new MovingSource(steps, burstiness, seed);
}

/** Gaps are drawn in "expected requests" and laid onto the clock through the moving rate, so that no step cuts a gap short. */
class MovingSource implements ArrivalSource {
  readonly periodMs: number;
  readonly #random: RandomBlocks;
  readonly #burstiness: number;
  readonly #lengthMs: Float64Array;
  /** Requests per ms in each step. */
  readonly #rates: Float64Array;
  /** Start of the step, ms; expected requests since then. */
  readonly #state = new Float64Array(2);
  #step = 0;

  constructor(steps: readonly RateStep[], burstiness: number, seed: number) {
    this.#random = new RandomBlocks(seed);
    this.#burstiness = burstiness;
    this.#lengthMs = Float64Array.from(steps, ({ lengthMs }) => lengthMs);
    this.#rates = Float64Array.from(steps, ({ rateRps }) => rateRps / 1000);
    this.periodMs = this.#lengthMs.reduce((sum, length) => sum + length, 0);
  }

  fill(out: Float64Array): void {
    this.#random.fillGaps(out, this.#burstiness);
    const rates = this.#rates;
    const lengths = this.#lengthMs;
    let start = this.#state[0] as number;
    let since = this.#state[1] as number;
    let step = this.#step;
    for (let i = 0; i < out.length; i++) {
      since += out[i] as number;
      for (;;) {
        const expected = (rates[step] as number) * (lengths[step] as number);
        if (since < expected) break;
        since -= expected;
        start += lengths[step] as number;
        step = step + 1 === rates.length ? 0 : step + 1;
      }
      out[i] = start + since / (rates[step] as number);
    }
    this.#state[0] = start;
    this.#state[1] = since;
    this.#step = step;
  }
}

class RecordedSource implements ArrivalSource {
  readonly periodMs: number;
  readonly #gapsMs: Float64Array;
  readonly #now = new Float64Array(1);
  #next = 0;

  constructor(gaps: Float64Array, meanMs: number) {
    this.#gapsMs = gaps.map((gap) => gap * meanMs);
    this.periodMs = this.#gapsMs.reduce((sum, gap) => sum + gap, 0);
  }

  fill(out: Float64Array): void {
    const gaps = this.#gapsMs;
    let now = this.#now[0] as number;
    let next = this.#next;
    for (let i = 0; i < out.length; i++) {
      now += gaps[next] as number;
      out[i] = now;
      next = next + 1 === gaps.length ? 0 : next + 1;
    }
    this.#now[0] = now;
    this.#next = next;
  }
}
