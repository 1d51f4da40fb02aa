import type { LinearProgram, SparseVectors } from './solver.js';

/** Collects columns and rows in any order and gives the compressed program. */
export class ProgramBuilder {
  readonly #cost: number[] = [];
  readonly #colLower: number[] = [];
  readonly #colUpper: number[] = [];
  readonly #integer: number[] = [];
  readonly #rowLower: number[] = [];
  readonly #rowUpper: number[] = [];
  readonly #entryRow: number[] = [];
  readonly #entryColumn: number[] = [];
  readonly #entryValue: number[] = [];

  /** Adds a column and returns its index. */
  column(cost: number, lower: number, upper: number, integer = false): number {
    this.#cost.push(cost);
    this.#colLower.push(lower);
    this.#colUpper.push(upper);
    this.#integer.push(integer ? 1 : 0);
    return this.#cost.length - 1;
  }

  /** Adds an empty row `lower ≤ … ≤ upper` and returns its index. */
  row(lower: number, upper: number): number {
    this.#rowLower.push(lower);
    this.#rowUpper.push(upper);
    return this.#rowLower.length - 1;
  }

  /** Sets the coefficient of a column in a row; each pair once. */
  entry(row: number, column: number, value: number): void {
    if (value === 0) return;
    this.#entryRow.push(row);
    this.#entryColumn.push(column);
    this.#entryValue.push(value);
  }

  /** The program; `integer` is present only when a column is integer. */
  build(): LinearProgram {
    const columns = compress(this.#cost.length, this.#entryColumn, this.#entryRow, this.#entryValue);
    const program = {
      cost: Float64Array.from(this.#cost),
      colLower: Float64Array.from(this.#colLower),
      colUpper: Float64Array.from(this.#colUpper),
      rowLower: Float64Array.from(this.#rowLower),
      rowUpper: Float64Array.from(this.#rowUpper),
      columns,
    };
    return this.#integer.includes(1) ? { ...program, integer: Uint8Array.from(this.#integer) } : program;
  }
}

function compress(count: number, vector: readonly number[], index: readonly number[], value: readonly number[]): SparseVectors {
  const starts = new Int32Array(count + 1);
  for (const v of vector) (starts[v + 1] as number)++;
  for (let v = 0; v < count; v++) (starts[v + 1] as number) += starts[v] as number;
  const indices = new Int32Array(index.length);
  const values = new Float64Array(index.length);
  const next = starts.slice(0, count);
  for (let e = 0; e < index.length; e++) {
    const at = next[vector[e] as number] as number;
    next[vector[e] as number] = at + 1;
    indices[at] = index[e] as number;
    values[at] = value[e] as number;
  }
  return { starts, indices, values };
}
