import type { StateDocument } from '../demand/documents/state.js';
import type { Workload } from '../demand/workload.js';
import { chooseTarget, type TargetOptions } from '../transition/choose-target.js';
import { formatNumber } from './format-number.js';
import type { CliIo } from './io.js';
import { reportInfeasible, writeJson } from './report-problems.js';
import { type RunLimits, runWithSolver } from './run-with-solver.js';
import { formatTable } from './text-table.js';

/** GPUs (or cost) above the least at which targets are compared. */
const stepsAbove = [0, 1, 2, 4] as const;

/** One target of the comparison. */
interface ParetoPoint {
  readonly above: number;
  /** GPUs, or cost under that objective. */
  readonly budget: number;
  readonly podStarts: { readonly achieved: number; readonly limit: number };
}

/** Shows how many pods must start at the least GPUs and at one, two and four more: often a few more GPUs save many restarts. */
export async function comparePareto(
  state: StateDocument,
  workload: Workload,
  options: Omit<TargetOptions, 'solver' | 'above'>,
  limits: RunLimits & { readonly json?: boolean | undefined },
  io: CliIo,
): Promise<void> {
  const points: ParetoPoint[] = [];
  const { objective = 'gpus' } = options;
  const available = workload.pools.reduce((sum, { count }) => sum + count, 0);
  const { result, interrupted } = await runWithSolver(
    'comparing targets',
    async (context) => {
      for (const above of stepsAbove) {
        const chosen = await chooseTarget(state, workload, { ...options, ...context, above });
        if (chosen.kind === 'infeasible') return chosen;
        // A target cannot use GPUs that nobody has.
        if (objective === 'gpus' && chosen.budget > available && above > 0) break;
        points.push({ above, budget: chosen.budget, podStarts: chosen.found.podStarts });
      }
      return undefined;
    },
    limits,
    io,
  );
  if (result !== undefined) reportInfeasible(result, io, limits);
  else if (limits.json === true) writeJson(io, { kind: 'pareto', objective, points });
  else io.stdout.write(paretoTable(points, objective));
  if (interrupted) io.setExitCode(130);
}

function paretoTable(points: readonly ParetoPoint[], objective: 'gpus' | 'cost'): string {
  const least = points[0]?.podStarts.achieved ?? 0;
  const rows = points.map(({ budget, podStarts: { achieved, limit } }) => {
    const saved = least === 0 ? '' : `${Math.round((100 * (least - achieved)) / least)} %`;
    return [formatNumber(budget), String(achieved), String(limit), saved];
  });
  const title = objective === 'gpus' ? 'GPUs at most' : 'cost at most';
  const columns = [title, 'pod starts', 'proven limit', 'saved'].map((name) => ({ title: name, align: 'right' as const }));
  return formatTable(columns, rows);
}
