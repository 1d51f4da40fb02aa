/** A stream of pseudo-random numbers: the same seed gives the same stream on every machine. */
export interface SeededRandom {
  /** Uniform in [0, 1), in steps of 2⁻³². */
  uniform(): number;
  /** A whole number, uniform in 0 … count − 1. */
  below(count: number): number;
  /** Standard normal: mean 0, deviation 1. */
  normal(): number;
}

/** Outputs dropped after seeding, so that near seeds give unlike streams. */
const warmUp = 15;

/**
 * The generator sfc32 ("small fast counting", C. Doty-Humphrey, PractRand): 32 of its 128 bits of state count, so no stream
 * repeats within 2³² draws. `seed` is any whole number within ±2⁵³. Not for secrets.
 */
export function createSeededRandom(seed: number): SeededRandom {
  let a = 0;
  let b = seed | 0;
  let c = Math.floor(seed / 2 ** 32) | 0;
  let counter = 1;

  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < warmUp; i++) next();

  const uniform = () => next() / 2 ** 32;
  return {
    uniform,
    below: (count) => Math.floor(uniform() * count),
    // Box and Muller; 1 − uniform keeps the logarithm finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
  };
}
