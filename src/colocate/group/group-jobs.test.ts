import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createInlineSolver } from '../../solver/highs/highs-solver.js';
import type { Solver } from '../../solver/solver.js';
import type { Job } from '../documents/jobs.js';
import type { MeasuredWorkload } from '../measured-workload.js';
import { createPredictor } from '../predictor/interference-predictor.js';
import { trainInterference } from '../predictor/train-interference.js';
import { syntheticGroups, syntheticWorkloads } from '../synthetic-measurements.fixture.js';
import { type GroupObjective, type GroupOptions, groupJobs } from './group-jobs.js';
import { createGroupRater, type GroupRisk } from './rate-groups.js';

const workloads = syntheticWorkloads();
const model = trainInterference('synthetic', syntheticGroups(workloads, 30), workloads);
let solver: Solver;
beforeAll(async () => {
  solver = await createInlineSolver();
});

const memoryGiB = 12;
const group = (jobs: readonly Job[], options: Partial<GroupOptions> = {}) =>
  groupJobs({ jobs: [...jobs], gpu: { memoryGiB } }, workloads, model, {
    objective: 'throughput',
    risk: 'mean',
    maxGroup: 3,
    solver,
    ...options,
  });

const aJob = fc.record({
  workload: fc.constantFrom(...workloads.map(({ name }) => name)),
  maxSlowdown: fc.option(fc.double({ min: 1, max: 3, noNaN: true }), { nil: undefined }),
  weight: fc.option(fc.constantFrom(0.5, 2), { nil: undefined }),
  exclusive: fc.option(fc.boolean(), { nil: undefined }),
  avoid: fc.option(fc.constantFrom(['j0'], ['red']), { nil: undefined }),
  labels: fc.option(fc.constant(['red']), { nil: undefined }),
});
const jobLists = (most: number) =>
  fc.array(aJob, { minLength: 1, maxLength: most }).map((list) => list.map((job, k) => ({ name: `j${k}`, ...job }) as Job));

/** The best value over every partition, by trying all of them. */
function bruteForce(jobs: readonly Job[], objective: GroupObjective, risk: GroupRisk, maxGroup: number, gpus: number): number | undefined {
  const rate = createGroupRater(model, createPredictor(model), risk);
  const find = (job: Job) => workloads.find(({ name }) => name === job.workload) as MeasuredWorkload;
  const clash = (a: Job, b: Job) => [b.name, ...(b.labels ?? [])].some((label) => a.avoid?.includes(label));
  const judge = (members: readonly Job[]): { value: number; least: number } | undefined => {
    if (members.length > maxGroup || members.reduce((sum, job) => sum + find(job).memoryGiB, 0) > memoryGiB + 1e-9) return undefined;
    if (members.length > 1 && members.some((job) => job.exclusive === true)) return undefined;
    if (members.some((a) => members.some((b) => a !== b && clash(a, b)))) return undefined;
    const rated = rate(members.map(find));
    if (rated === undefined) return undefined;
    if (members.length > 1 && members.some((job, k) => 1 / (rated.shares[k] as number) > (job.maxSlowdown ?? 1e9) * (1 + 1e-9)))
      return undefined;
    return {
      value: members.reduce((sum, { weight = 1 }, k) => sum + weight * (rated.shares[k] as number), 0),
      least: Math.min(1, ...rated.shares),
    };
  };
  let best: number | undefined;
  const visit = (rest: readonly Job[], groups: readonly (readonly Job[])[]): void => {
    const [next, ...others] = rest;
    if (next === undefined) {
      const judged = groups.map(judge);
      if (groups.length > gpus || judged.includes(undefined)) return;
      const values = judged as { value: number; least: number }[];
      const value = {
        throughput: values.reduce((sum, entry) => sum + entry.value, 0),
        fairness: Math.min(...values.map(({ least }) => least)),
        'fewest-gpus': -groups.length,
      }[objective];
      best = Math.max(best ?? Number.NEGATIVE_INFINITY, value);
      return;
    }
    groups.forEach((entry, k) => {
      visit(others, groups.with(k, [...entry, next]));
    });
    visit(others, [...groups, [next]]);
  };
  visit(jobs, []);
  return best;
}

describe('groupJobs', () => {
  test('equals brute force, whatever the objective, risk, limits and rules', async () => {
    const objectives = fc.constantFrom('throughput', 'fairness', 'fewest-gpus') as fc.Arbitrary<GroupObjective>;
    const risks = fc.constantFrom('mean', 'pessimistic', 'measured') as fc.Arbitrary<GroupRisk>;
    await fc.assert(
      fc.asyncProperty(jobLists(6), objectives, risks, fc.integer({ min: 1, max: 6 }), async (jobs, objective, risk, gpus) => {
        const expected = bruteForce(jobs, objective, risk, 3, gpus);
        const found = await group(jobs, { objective, risk, gpus });
        if (found.kind === 'infeasible') {
          expect(expected).toBeUndefined();
          return;
        }
        expect(objective === 'fewest-gpus' ? -found.value : found.value).toBeCloseTo(expected as number, 6);
        expect(found.optimal).toBe(true);
        expect(found.groups.flatMap(({ jobs: names }) => names).toSorted()).toEqual(jobs.map(({ name }) => name).toSorted());
        expect(found.groups.length).toBeLessThanOrEqual(gpus);
        for (const entry of found.groups) expect(entry.memoryGiB).toBeLessThanOrEqual(memoryGiB);
      }),
      { seed: 6, numRuns: 60 },
    );
  });

  test('deals nine jobs in pairs as well as brute force does', async () => {
    const jobs = Array.from({ length: 9 }, (_, k): Job => ({ name: `j${k}`, workload: (workloads[k % 9] as MeasuredWorkload).name }));
    const found = await group(jobs, { maxGroup: 2, gpus: 5 });
    expect(found.kind === 'grouping' && found.value).toBeCloseTo(bruteForce(jobs, 'throughput', 'mean', 2, 5) as number, 6);
  });

  test.each([{ maxGroup: 2 }, { maxGroup: 3 }])(
    'deals many jobs that all differ where taking the best first fails, up to $maxGroup a GPU',
    async ({ maxGroup }) => {
      // Large workloads only fit beside small ones, which would rather be together.
      const names = ['model2-b16', 'model0-b1'];
      const jobs = Array.from({ length: 80 }, (_, k): Job => ({ name: `j${k}`, workload: names[k % 2] as string, weight: 1 + k / 100 }));
      const options = { objective: 'throughput', risk: 'mean', maxGroup, gpus: 40, solver } as const;
      const found = await groupJobs({ jobs, gpu: { memoryGiB: 8 } }, workloads, model, options);
      expect(found).toMatchObject({ kind: 'grouping', groups: { length: 40 } });
      expect(found.kind === 'grouping' && found.gap).toBeLessThanOrEqual(0.005);
    },
  );

  test('says which job cannot run, and how many GPUs are needed at least', async () => {
    const big = { ...(workloads[0] as MeasuredWorkload), name: 'big', memoryGiB: 20 };
    const options = { objective: 'throughput', risk: 'mean', maxGroup: 2, solver } as const;
    const document = { jobs: [{ name: 'huge', workload: 'big' }], gpu: { memoryGiB } };
    expect(await groupJobs(document, [big], model, options)).toMatchObject({
      kind: 'infeasible',
      conflicts: [{ code: 'JOB_CANNOT_RUN', service: 'huge', needed: 20, available: 12 }],
    });
    const loners = [0, 1, 2].map((k): Job => ({ name: `l${k}`, workload: 'model0-b1', exclusive: true }));
    expect(await group(loners, { gpus: 2 })).toMatchObject({
      kind: 'infeasible',
      conflicts: [{ code: 'GPUS_TOO_FEW', needed: 3, available: 2 }],
    });
  });

  test('calls GPUs too few only where that is proven', async () => {
    // Two kinds that avoid each other, three of each: half pairs would need three GPUs, whole ones need four.
    const jobs = ['a', 'b'].flatMap((kind) =>
      [1, 2, 3].map(
        (k): Job => ({ name: `${kind}${k}`, workload: 'model0-b1', weight: k, labels: [kind], avoid: [kind === 'a' ? 'b' : 'a'] }),
      ),
    );
    const options = { maxGroup: 2, gpus: 3 };
    const proven = await group(jobs, options);
    expect(proven).toMatchObject({ kind: 'infeasible', conflicts: [{ code: 'GPUS_TOO_FEW', needed: 4, available: 3 }] });
    expect(proven).not.toHaveProperty('unproven');

    const giveUp: Solver['solve'] = async (program, how) =>
      how === undefined ? solver.solve(program) : { ...(await solver.solve(program, how)), x: new Float64Array(0), bound: -1e30 };
    const unproven = await group(jobs, { ...options, solver: { ...solver, open: (program) => solver.open(program), solve: giveUp } });
    expect(unproven).toMatchObject({ kind: 'infeasible', unproven: true, conflicts: [{ code: 'GPUS_TOO_FEW', available: 3 }] });
    expect(unproven).not.toHaveProperty('conflicts.0.needed');
    expect(unproven.kind === 'infeasible' && unproven.conflicts[0]?.message).toBe(
      'No grouping onto 3 GPUs was found, only one onto 4. That 3 are too few is not proven.',
    );
  });

  test('tells measured groups from predicted ones', async () => {
    const [measured] = model.training.groups;
    const jobs = (measured?.members ?? []).map((workload, k): Job => ({ name: `m${k}`, workload }));
    const found = await group(jobs, { risk: 'measured', gpus: 1 });
    expect(found).toMatchObject({ groups: [{ measured: true }] });
  });
});
