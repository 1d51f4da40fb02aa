import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LinearProgram, Solver, SparseVectors } from './solver.js';

const infinite = Number.POSITIVE_INFINITY;

/** A program written densely: `rows` are `[lower, coefficients, upper]`, columns default to 0 ≤ x. */
export interface DenseProgram {
  readonly cost: readonly number[];
  readonly rows: readonly (readonly [number, readonly number[], number])[];
  readonly lower?: readonly number[];
  readonly upper?: readonly number[];
  readonly integer?: boolean;
}

/** Turns a dense program into the sparse form that solvers take. */
export function toLinearProgram({ cost, rows, lower, upper, integer }: DenseProgram): LinearProgram {
  const columns = toSparse(cost.map((_, column) => rows.map(([, coefficients]) => coefficients[column] ?? 0)));
  return {
    cost: Float64Array.from(cost),
    colLower: Float64Array.from(lower ?? cost.map(() => 0)),
    colUpper: Float64Array.from(upper ?? cost.map(() => infinite)),
    rowLower: Float64Array.from(rows, ([rowLower]) => rowLower),
    rowUpper: Float64Array.from(rows, ([, , rowUpper]) => rowUpper),
    columns,
    ...(integer ? { integer: new Uint8Array(cost.length).fill(1) } : {}),
  };
}

function toSparse(vectors: readonly (readonly number[])[]): SparseVectors {
  const entries = vectors.map((vector) => vector.flatMap((value, index) => (value === 0 ? [] : [{ index, value }])));
  const starts = [0];
  for (const vector of entries) starts.push((starts.at(-1) as number) + vector.length);
  return {
    starts: Int32Array.from(starts),
    indices: Int32Array.from(entries.flat(), ({ index }) => index),
    values: Float64Array.from(entries.flat(), ({ value }) => value),
  };
}

/** A covering MIP that no presolve finishes: 30 integer columns, 8 rows, optimum about 588. */
export function hardCoveringProgram(): LinearProgram {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const columns = Array.from({ length: 30 });
  const cost = columns.map(() => 1 + next(50) + next(1000) / 1000);
  const rows = Array.from({ length: 8 }, () => [1000 + next(300), columns.map(() => next(30)), infinite] as const);
  return toLinearProgram({ cost, rows, integer: true });
}

const smallMip = fc.record({ columns: fc.integer({ min: 1, max: 4 }), rows: fc.integer({ min: 1, max: 3 }) }).chain(({ columns, rows }) =>
  fc.record({
    cost: fc.array(fc.integer({ min: -5, max: 9 }), { minLength: columns, maxLength: columns }),
    rows: fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 12 }),
        fc.array(fc.integer({ min: -2, max: 5 }), { minLength: columns, maxLength: columns }),
        fc.constant(infinite),
      ),
      { minLength: rows, maxLength: rows },
    ),
  }),
);

/** The least cost over every integer point with 0 ≤ x ≤ `top`; undefined when none satisfies the rows. */
function searchEveryPoint({ cost, rows }: DenseProgram, top: number): number | undefined {
  let best: number | undefined;
  for (let code = 0; code < (top + 1) ** cost.length; code += 1) {
    const x = cost.map((_, column) => Math.floor(code / (top + 1) ** column) % (top + 1));
    const weigh = (weights: readonly number[]): number => weights.reduce((sum, weight, column) => sum + weight * (x[column] as number), 0);
    if (!rows.every(([lower, coefficients]) => weigh(coefficients) >= lower)) continue;
    best = Math.min(best ?? infinite, weigh(cost));
  }
  return best;
}

/** What every solver promises; each implementation runs it. */
export function describeSolverContract(name: string, create: () => Promise<Solver>, dispose?: (solver: Solver) => Promise<void>): void {
  describe(`${name} keeps the contract of a solver`, () => {
    let solver: Solver;
    beforeAll(async () => {
      solver = await create();
    });
    afterAll(async () => {
      await dispose?.(solver);
    });

    it.each([undefined, 'simplex', 'ipm'] as const)('solves a linear program and prices its rows (method %s)', async (method) => {
      const program = toLinearProgram({
        cost: [2, 3],
        rows: [
          [4, [1, 1], infinite],
          [-infinite, [1, 0], 3],
        ],
      });
      const solution = await solver.solve(program, method === undefined ? {} : { method });
      expect(solution.status).toBe('optimal');
      expect(solution.objective).toBeCloseTo(9, 6);
      expect(solution.bound).toBe(solution.objective);
      expect([...solution.x]).toEqual([expect.closeTo(3, 6), expect.closeTo(1, 6)]);
      expect([...solution.rowDual]).toEqual([expect.closeTo(3, 6), expect.closeTo(-1, 6)]);
    });

    it('prices a row by what one more unit of its limit costs', async () => {
      const costOf = async (demand: number): Promise<number> => {
        const { objective } = await solver.solve(toLinearProgram({ cost: [3, 5], rows: [[demand, [2, 1], infinite]] }));
        return objective;
      };
      const { rowDual } = await solver.solve(toLinearProgram({ cost: [3, 5], rows: [[10, [2, 1], infinite]] }));
      expect(rowDual[0]).toBeCloseTo((await costOf(11)) - (await costOf(10)), 6);
    });

    it('finds the same optimum as trying every point', async () => {
      await fc.assert(
        fc.asyncProperty(smallMip, async (dense) => {
          const top = 4;
          const solution = await solver.solve(toLinearProgram({ ...dense, upper: dense.cost.map(() => top), integer: true }));
          const best = searchEveryPoint(dense, top);
          if (best === undefined) {
            expect(solution.status).toBe('infeasible');
            return;
          }
          expect(solution.status).toBe('optimal');
          expect(solution.objective).toBeCloseTo(best, 6);
          expect(solution.bound).toBeCloseTo(best, 6);
          expect(solution.rowDual).toHaveLength(0);
        }),
        { seed: 20_240_607, numRuns: 60 },
      );
    });

    it('calls a program infeasible, with an infinite bound, when no answer exists', async () => {
      const solution = await solver.solve(toLinearProgram({ cost: [1], rows: [[3, [1], infinite]], upper: [2] }));
      expect(solution).toMatchObject({ status: 'infeasible', objective: Number.NaN, bound: infinite });
    });

    it.each([
      ['unbounded', [[1, [1, -1], 1]]],
      [
        'infeasible',
        [
          [1, [1, -1], 1],
          [2, [1, -1], 2],
        ],
      ],
    ] as const)('tells %s apart even where presolve does not', async (status, rows) => {
      for (const integer of [false, true]) {
        const solution = await solver.solve(toLinearProgram({ cost: [-1, -1], rows, integer }));
        expect(solution.status).toBe(status);
        expect(solution.x).toHaveLength(0);
      }
    });

    it('looks at the rows of a program without columns', async () => {
      expect(await solver.solve(toLinearProgram({ cost: [], rows: [[0, [], 2]] }))).toMatchObject({ status: 'optimal', objective: 0 });
      expect(await solver.solve(toLinearProgram({ cost: [], rows: [[1, [], 2]] }))).toMatchObject({ status: 'infeasible' });
    });

    it('stops at an answer of at most the target, the optimum itself included', async () => {
      const program = hardCoveringProgram();
      const best = await solver.solve(program);
      expect(best.status).toBe('optimal');
      const target = best.objective + 20;
      const stopped = await solver.solve(program, { objectiveTarget: target });
      expect(stopped.objective).toBeLessThanOrEqual(target);
      expect(stopped.bound).toBeLessThanOrEqual(best.objective);
      const exact = await solver.solve(program, { objectiveTarget: best.objective, start: best.x });
      expect(exact.objective).toBeCloseTo(best.objective, 6);
    });

    it('keeps a given start when it may not search at all', async () => {
      const program = hardCoveringProgram();
      expect(await solver.solve(program, { maxNodes: 0 })).toMatchObject({ status: 'none', objective: Number.NaN });
      const start = new Float64Array(program.cost.length).fill(20);
      const kept = await solver.solve(program, { maxNodes: 0, start, presolve: false });
      expect(kept.status).toBe('feasible');
      expect([...kept.x]).toEqual([...start]);
    });

    it('gives equal answers to equal calls', async () => {
      const program = hardCoveringProgram();
      const options = { relativeGap: 0.01 };
      expect(await solver.solve(program, options)).toEqual(await solver.solve(program, options));
    });

    it('keeps a program while rows and columns are added', async () => {
      const session = await solver.open(toLinearProgram({ cost: [1, 4], rows: [[3, [1, 1], infinite]] }));
      expect((await session.solve()).objective).toBeCloseTo(3, 6);
      await session.addRows(toSparse([[1, 0]]), Float64Array.of(-infinite), Float64Array.of(2));
      const tightened = await session.solve();
      expect(tightened.objective).toBeCloseTo(6, 6);
      expect([...tightened.rowDual]).toEqual([expect.closeTo(4, 6), expect.closeTo(-3, 6)]);
      await session.addColumns(toSparse([[1, 0]]), Float64Array.of(2), Float64Array.of(0), Float64Array.of(infinite));
      expect([...(await session.solve({ method: 'simplex' })).x]).toEqual([expect.closeTo(2, 6), 0, expect.closeTo(1, 6)]);
      await session.close();
      await expect(session.solve()).rejects.toMatchObject({ code: 'SOLVER_FAILED' });
    });

    it('says so when a program is malformed', async () => {
      const program = toLinearProgram({ cost: [Number.NaN], rows: [] });
      await expect(solver.solve(program)).rejects.toMatchObject({ code: 'SOLVER_FAILED' });
    });
  });
}
