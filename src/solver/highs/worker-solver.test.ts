import { afterEach, describe, expect, it } from 'vitest';
import { describeSolverContract, hardCoveringProgram, toLinearProgram } from '../solver-contract.fixture.js';
import { createWorkerSolver, type WorkerSolver } from './worker-solver.js';

describeSolverContract('the worker solver', createWorkerSolver, (solver) => (solver as WorkerSolver).terminate());

describe('a worker solver', () => {
  let solver: WorkerSolver | undefined;
  afterEach(() => solver?.terminate());

  it('leaves the calling thread free while it solves', async () => {
    solver = await createWorkerSolver();
    let isDone = false;
    let turns = 0;
    const solving = solver.solve(hardCoveringProgram()).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      turns += 1;
      await new Promise(setImmediate);
    }
    expect((await solving).status).toBe('optimal');
    expect(turns).toBeGreaterThan(1);
  });

  it('rejects what is pending and what comes later once it is terminated', async () => {
    solver = await createWorkerSolver();
    const session = await solver.open(toLinearProgram({ cost: [1], rows: [[1, [1], 2]] }));
    const pending = [solver.solve(hardCoveringProgram()), session.solve()];
    const settled = Promise.allSettled(pending);
    await solver.terminate();
    for (const outcome of await settled) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'STOPPED_EARLY' } });
    await expect(solver.solve(hardCoveringProgram())).rejects.toMatchObject({ code: 'STOPPED_EARLY' });
    await expect(session.close()).rejects.toMatchObject({ code: 'STOPPED_EARLY' });
  });

  it('can be terminated before its first call, and twice', async () => {
    solver = await createWorkerSolver();
    await solver.terminate();
    await solver.terminate();
    await expect(solver.solve(hardCoveringProgram())).rejects.toMatchObject({ code: 'STOPPED_EARLY' });
  });
});
