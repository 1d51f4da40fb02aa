import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { transition } from '../../src/transition/transition.js';
import { verifyTransition } from '../../src/verify/verify-transition.js';
import { readCase } from './read-case.js';

const solver = await createInlineSolver();
const names = (process.argv[2] ?? 'm01,t01,t02,t03,t04,t05,t06,t07').split(',');
const backend = (process.argv[3] ?? 'instance') as any;
const above = Number(process.argv[4] ?? '0');
const extras = (process.argv[5] ?? '0,1').split(',').map(Number);
for (const name of names) {
  const { state, workload } = readCase(name);
  for (const maxExtraGpus of extras) {
    const t = performance.now();
    const result = await transition(state, workload, { solver, backend, above, maxExtraGpus });
    const ms = Math.round(performance.now() - t);
    if (result.kind !== 'transition') {
      console.log(name, backend, 'E', maxExtraGpus, JSON.stringify(result), ms);
      continue;
    }
    const { counts, bounds, makespanS, peakGpus, steps } = result.transition;
    const report = verifyTransition(state, result.transition, workload);
    console.log(name, backend, 'E', maxExtraGpus, 'makespan', makespanS, '[', bounds.makespanS?.limit, '] peak', peakGpus, 'starts', bounds.podStarts?.achieved, 'cre', bounds.instanceCreations?.achieved, 'touched', bounds.gpusTouched?.achieved, counts.gpusTouched, 'gaps', Object.values(bounds).map((b) => b!.gap).join(','), 'steps', steps.length, 'temp', counts.temporaryPods, report.kind, ms, 'ms');
    for (const c of report.checks) if (!c.ok) console.log('   ', c.name, JSON.stringify(c.violations.slice(0, 2)));
  }
}
