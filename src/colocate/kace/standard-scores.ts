/** Mean and sample standard deviation of each column of a table. */
export interface ColumnScale {
  readonly means: readonly number[];
  /** 1 for a column without spread. */
  readonly deviations: readonly number[];
}

/** Scale of the columns of `rows` (at least one row). */
export function columnScale(rows: readonly (readonly number[])[]): ColumnScale {
  const width = rows[0]?.length ?? 0;
  const columns = Array.from({ length: width }, (_, column) => rows.map((row) => row[column] as number));
  const means = columns.map((values) => values.reduce((sum, value) => sum + value, 0) / rows.length);
  const deviations = columns.map((values, column) => {
    const mean = means[column] as number;
    const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return squares > 0 ? Math.sqrt(squares / (rows.length - 1)) : 1;
  });
  return { means, deviations };
}

/** Each value as its distance from the mean in standard deviations. */
export function standardScores(rows: readonly (readonly number[])[], scale: ColumnScale = columnScale(rows)): number[][] {
  return rows.map((row) => row.map((value, column) => (value - (scale.means[column] as number)) / (scale.deviations[column] as number)));
}
