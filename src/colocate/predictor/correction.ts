import { CholeskyDecomposition, Matrix } from 'ml-matrix';

/** A member among others, by how alike they are to each workload of the training groups. */
export interface Situation {
  readonly member: ArrayLike<number>;
  /** Sum over the others, each weighted by its presence. */
  readonly company: ArrayLike<number>;
  /** Sum of the presences of the others; an idle one has none. */
  readonly presence: number;
}

/** A place in the training groups: indices of a member and of the others. */
export interface TrainingPlace {
  readonly member: number;
  readonly others: readonly number[];
}

const signalVariance = 0.03;
const noiseVariance = 0.1;

/**
 * A Gaussian process over what the contention model leaves unexplained. Two places are alike when their members are alike
 * and, on average, their others; places at which nothing alike was measured are left to the contention model.
 * `likeness` has one row and column a workload. Answers one weight a place.
 */
export function fitCorrection(
  places: readonly TrainingPlace[],
  residuals: readonly number[],
  likeness: readonly Float64Array[],
): readonly number[] {
  const rows = places.map((place, index) => {
    const others = place.others.map((j) => likeness[j] as Float64Array);
    const situation = toSituation(likeness[place.member] as Float64Array, others, new Array(others.length).fill(1));
    const row = Float64Array.from(places, (other) => covariance(situation, other));
    (row[index] as number) += noiseVariance;
    return row;
  });
  rows.forEach((row, a) => {
    for (let b = 0; b < a; b++) (rows[b] as Float64Array)[a] = row[b] as number;
  });
  return new CholeskyDecomposition(new Matrix(rows)).solve(Matrix.columnVector([...residuals])).to1DArray();
}

/** Correction of a log share. */
export function predictCorrection(situation: Situation, places: readonly TrainingPlace[], weights: readonly number[]): number {
  return places.reduce((sum, place, index) => sum + (weights[index] as number) * covariance(situation, place), 0);
}

/** Puts a member among others, whose likenesses and presences are given in one order. */
export function toSituation(member: ArrayLike<number>, others: readonly ArrayLike<number>[], presences: readonly number[]): Situation {
  const company = new Float64Array(member.length);
  others.forEach((row, k) => {
    for (let j = 0; j < company.length; j++) (company[j] as number) += (presences[k] as number) * (row[j] as number);
  });
  return { member, company, presence: presences.reduce((sum, presence) => sum + presence, 0) };
}

function covariance({ member, company, presence }: Situation, place: TrainingPlace): number {
  if (presence === 0) return 0;
  let alike = 0;
  for (const j of place.others) alike += company[j] as number;
  return (Math.min(1, presence) * signalVariance * (member[place.member] as number) * alike) / (presence * place.others.length);
}
