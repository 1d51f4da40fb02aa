/**
 * Factors a symmetric positive definite matrix in place, of which only the lower half is read and written: A = L·Lᵀ.
 * Plain rows, because the elementwise access of the matrix library takes most of the time of a fit.
 */
export function factorCholesky(rows: readonly Float64Array[]): void {
  for (let j = 0; j < rows.length; j++) {
    const row = rows[j] as Float64Array;
    for (let k = 0; k <= j; k++) {
      const other = rows[k] as Float64Array;
      let rest = row[k] as number;
      for (let i = 0; i < k; i++) rest -= (row[i] as number) * (other[i] as number);
      row[k] = k === j ? Math.sqrt(rest) : rest / (other[k] as number);
    }
  }
}

/** Solves L·x = b for a factor of `factorCholesky`. */
export function solveLower(factor: readonly Float64Array[], b: ArrayLike<number>): Float64Array {
  const x = Float64Array.from(b);
  factor.forEach((row, j) => {
    let rest = x[j] as number;
    for (let k = 0; k < j; k++) rest -= (row[k] as number) * (x[k] as number);
    x[j] = rest / (row[j] as number);
  });
  return x;
}

/** Solves A·x = b for the factor of A. */
export function solveFactored(factor: readonly Float64Array[], b: ArrayLike<number>): Float64Array {
  const x = solveLower(factor, b);
  for (let j = factor.length - 1; j >= 0; j--) {
    const row = factor[j] as Float64Array;
    const value = (x[j] as number) / (row[j] as number);
    x[j] = value;
    for (let k = 0; k < j; k++) (x[k] as number) -= (row[k] as number) * value;
  }
  return x;
}
