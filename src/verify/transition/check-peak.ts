import { countHeld } from '../held-gpus.js';
import type { Violation } from '../verify-report.js';
import type { Replay } from './replay.js';
import type { TransitionFacts } from './transition-facts.js';

/** The peak is the true one and at most `maxExtraGpus` above start and target; no pool gives or names more GPUs than it has. */
export function checkPeak({ state, transition, workload, gpus }: TransitionFacts, replay: Replay): readonly Violation[] {
  const { peakGpus, maxExtraGpus, target } = transition;
  const atEnd = target.gpus.filter((gpu) => gpu.reserved !== true && gpu.instances.some(({ reserved }) => reserved !== true)).length;
  const allowed = Math.max(replay.gpusAtStart, atEnd) + maxExtraGpus;
  const violations: Violation[] = [];
  if (replay.peakGpus !== peakGpus) {
    const message = 'The peak is not the most GPUs in use at any moment.';
    violations.push({ where: 'peakGpus', message, expected: String(replay.peakGpus), received: String(peakGpus) });
  }
  if (replay.peakGpus > allowed) {
    const message = `More GPUs are in use than the larger of start and target plus ${maxExtraGpus}.`;
    violations.push({ where: 'maxExtraGpus', message, expected: `at most ${allowed}`, received: String(replay.peakGpus) });
  }
  for (const pool of workload.pools) {
    const free = Math.max(0, pool.count - countHeld(pool, state).whole);
    const used = replay.peakOfPool.get(pool.name) ?? 0;
    if (used > free) {
      const message = `Pool ${pool.name} has fewer free GPUs than are in use at once.`;
      violations.push({ where: pool.name, message, expected: `at most ${free}`, received: String(used) });
    }
    const named = [...gpus.values()].filter(({ gpu }) => gpu.pool === pool.name).length;
    const there = Math.max(pool.count, state.gpus.filter((gpu) => gpu.pool === pool.name).length);
    if (named <= there) continue;
    const message = `Pool ${pool.name} has fewer GPUs than the state and the target name.`;
    violations.push({ where: pool.name, message, expected: `at most ${there}`, received: String(named) });
  }
  return violations;
}
