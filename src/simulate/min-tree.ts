/** A tournament over keys that change one by one: the smallest is known at once, ties go to the lower index. */
export class MinTree {
  readonly #keys: Float64Array;
  /** Winner of each match; match 1 is the final, leaf i stands at `#half + i`. */
  readonly #winner: Int32Array;
  readonly #half: number;

  constructor(keys: ArrayLike<number>) {
    this.#half = 2 ** Math.ceil(Math.log2(Math.max(1, keys.length)));
    this.#keys = new Float64Array(this.#half).fill(Number.POSITIVE_INFINITY);
    this.#keys.set(Array.from(keys));
    this.#winner = Int32Array.from({ length: 2 * this.#half }, (_, at) => at - this.#half);
    for (let match = this.#half - 1; match >= 1; match--) this.#play(match);
  }

  /** Index of the smallest key. */
  get least(): number {
    return this.#winner[1] as number;
  }

  /** The key at an index. */
  key(index: number): number {
    return this.#keys[index] as number;
  }

  /** Changes a key. */
  set(index: number, key: number): void {
    this.#keys[index] = key;
    for (let match = (this.#half + index) >> 1; match >= 1; match >>= 1) this.#play(match);
  }

  #play(match: number): void {
    const left = this.#winner[2 * match] as number;
    const right = this.#winner[2 * match + 1] as number;
    this.#winner[match] = (this.#keys[right] as number) < (this.#keys[left] as number) ? right : left;
  }
}
