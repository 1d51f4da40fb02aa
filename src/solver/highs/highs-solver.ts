import highsModule from 'highs';
import { inlayError } from '../../errors.js';
import type { Solver } from '../solver.js';
import { type HighsModel, openHighsModel } from './highs-model.js';

// The declarations describe a CommonJS module, so the default import is typed as the module; at run time it is the loader.
const loadHighs = highsModule as unknown as typeof highsModule.default;

/** A solver on this thread: a solve blocks it until done. For tests, for worker threads, and for small programs. */
export async function createInlineSolver(): Promise<Solver> {
  const highs = await loadHighs();
  return {
    solve: async (program, options = {}) => {
      const model = guard(() => openHighsModel(highs, program));
      try {
        return guard(() => model.solve(options));
      } finally {
        model.dispose();
      }
    },
    open: async (program) => toSession(guard(() => openHighsModel(highs, program))),
  };
}

function toSession(model: HighsModel): Awaited<ReturnType<Solver['open']>> {
  return {
    addRows: async (rows, lower, upper) => guard(() => model.addRows(rows, lower, upper)),
    addColumns: async (columns, cost, lower, upper) => guard(() => model.addColumns(columns, cost, lower, upper)),
    solve: async (options = {}) => guard(() => model.solve(options)),
    close: async () => model.dispose(),
  };
}

/** HiGHS throws only on misuse or a fault of its own: infeasible and unbounded are answers. */
function guard<T>(call: () => T): T {
  try {
    return call();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw inlayError('SOLVER_FAILED', { message: `The LP/MIP solver failed: ${reason}` }, { cause });
  }
}
