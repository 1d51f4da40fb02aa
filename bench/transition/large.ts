/** 1000 services on 4800 GPUs whose rates change by up to 20 %: pod starts within 1 % of the proven limit, in minutes. */
import { createSeededRandom } from '../../src/demand/seeded-random.js';
import { plan } from '../../src/plan/plan.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { chooseTarget } from '../../src/transition/choose-target.js';
import { toState } from '../../src/transition/transition.fixture.js';
import { readDataWorkload } from '../read-data.js';
import { report, timed } from '../report.js';

const seed = 6;
const mostGap = 0.01;
const mostSeconds = 180;

const solver = await createInlineSolver();
const before = readDataWorkload('w06');
const random = createSeededRandom(seed);
const services = before.services.map((service) => ({ ...service, rateRps: service.rateRps * (0.8 + 0.4 * random.uniform()) }));
const after = { ...before, services };
const now = await plan(before, { solver });
if (now.kind !== 'plan') throw new Error('w06 cannot be planned');
const { value: chosen, cpuMs: ms } = await timed(() => chooseTarget(toState(now.plan, before), after, { solver }));
if (chosen.kind !== 'target') throw new Error('w06 has no target');
const { achieved, limit } = chosen.found.podStarts;
const misses: string[] = [];
if (achieved > limit * (1 + mostGap)) misses.push(`${achieved} pod starts, proven limit ${limit}`);
if (ms > mostSeconds * 1000) misses.push(`${(ms / 1000).toFixed(0)} s`);
report(
  'A large change: w06 ± 20 %',
  ['GPUs', 'classes', 'pod starts', 'proven limit', 's'],
  [[chosen.budget, chosen.problem.classes.length, achieved, limit, (ms / 1000).toFixed(1)]],
  misses,
);
