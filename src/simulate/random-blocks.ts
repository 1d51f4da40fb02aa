/**
 * Random numbers by the block: the generator of `createSeededRandom` (sfc32), its state in a typed array. A stream that is
 * captured by a closure would box every number it makes, which costs more than making it.
 */
export class RandomBlocks {
  readonly #state: Int32Array;

  /** `seed` is any whole number within ±2⁵³. */
  constructor(seed: number) {
    this.#state = Int32Array.of(0, seed | 0, Math.floor(seed / 2 ** 32) | 0, 1);
    for (let i = 0; i < warmUp; i++) draw(this.#state);
  }

  /** Fills `out` with numbers uniform in [0, 1). */
  fillUniform(out: Float64Array): void {
    const state = this.#state;
    for (let i = 0; i < out.length; i++) out[i] = draw(state);
  }

  /** Fills `out` with gamma variates of mean 1 and coefficient of variation `variation`: 1 is exponential, 0 is constant. */
  fillGaps(out: Float64Array, variation: number): void {
    if (variation === 0) out.fill(1);
    else if (variation === 1) fillExponential(this.#state, out);
    else if (variation > 1) fillPeaked(this.#state, out, 1 / variation ** 2);
    else fillRound(this.#state, out, 1 / variation ** 2);
  }
}

const warmUp = 15;

function draw(state: Int32Array): number {
  const b = state[1] as number;
  const c = state[2] as number;
  const counter = state[3] as number;
  const sum = ((((state[0] as number) + b) | 0) + counter) | 0;
  state[3] = counter + 1;
  state[0] = b ^ (b >>> 9);
  state[1] = c + (c << 3);
  state[2] = ((c << 21) | (c >>> 11)) + sum;
  return (sum >>> 0) / 2 ** 32;
}

function fillExponential(state: Int32Array, out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = -Math.log(1 - draw(state));
}

/** Shape below 1: Ahrens and Dieter's GS (1974), by rejection from a power near zero and an exponential beyond 1. */
function fillPeaked(state: Int32Array, out: Float64Array, shape: number): void {
  const whole = 1 + shape / Math.E;
  const power = 1 / shape;
  for (let i = 0; i < out.length; i++) {
    for (;;) {
      const place = whole * draw(state);
      const test = draw(state);
      if (place <= 1) {
        const x = place ** power;
        if (test <= Math.exp(-x)) {
          out[i] = x / shape;
          break;
        }
      } else {
        const x = -Math.log((whole - place) / shape);
        if (test <= x ** (shape - 1)) {
          out[i] = x / shape;
          break;
        }
      }
    }
  }
}

/** Shape above 1: Marsaglia and Tsang (2000), the cube of a shifted normal. */
function fillRound(state: Int32Array, out: Float64Array, shape: number): void {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (let i = 0; i < out.length; i++) {
    for (;;) {
      const normal = Math.sqrt(-2 * Math.log(1 - draw(state))) * Math.cos(2 * Math.PI * draw(state));
      const root = 1 + c * normal;
      if (root <= 0) continue;
      const cube = root ** 3;
      if (Math.log(1 - draw(state)) >= 0.5 * normal * normal + d * (1 - cube + Math.log(cube))) continue;
      out[i] = (d * cube) / shape;
      break;
    }
  }
}

/** A seed for one purpose of one thing: FNV-1a over the texts, twice, so that near seeds and names give unlike streams. */
export function deriveSeed(seed: number, ...purposes: readonly string[]): number {
  const text = [seed, ...purposes].join('\n');
  return hash(text, 0x811c9dc5) + 2 ** 32 * (hash(text, 0x2c1b3c6d) & 0xfffff);
}

function hash(text: string, start: number): number {
  let value = start;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
