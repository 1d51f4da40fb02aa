import type { Conflict } from '../../demand/conflict.js';
import type { Solver } from '../../solver/solver.js';
import type { InterferenceModel } from '../documents/interference-model.js';
import type { Job, JobsDocument } from '../documents/jobs.js';
import type { MeasuredWorkload } from '../measured-workload.js';
import { createPredictor, type MemberPrediction } from '../predictor/interference-predictor.js';
import { type JobTypes, typeJobs } from './job-types.js';
import { type Candidate, listCandidates } from './list-candidates.js';
import { createGroupRater, type GroupRater, type GroupRisk } from './rate-groups.js';
import { type Partition, solvePartition } from './solve-partition.js';

/** What a grouping is to be best at. */
export type GroupObjective = 'throughput' | 'fairness' | 'fewest-gpus';

/** How jobs may be grouped. */
export interface GroupOptions {
  readonly objective: GroupObjective;
  readonly risk: GroupRisk;
  /** Most jobs on one GPU. */
  readonly maxGroup: number;
  /** GPUs at hand; no limit when absent. */
  readonly gpus?: number;
  readonly solver: Solver;
}

/** Jobs that share one GPU. */
export interface JobGroup {
  readonly jobs: readonly string[];
  readonly workloads: readonly string[];
  /** Predictions in the order of the jobs. */
  readonly predicted: readonly MemberPrediction[];
  /** What the plan counts on: share of the exclusive rate of each job. */
  readonly shares: readonly number[];
  readonly measured: boolean;
  readonly memoryGiB: number;
}

/** A proven grouping. `value` and `bound` are sums of weight × share, the least share, or GPUs, as the objective says. */
export interface Grouping {
  readonly kind: 'grouping';
  readonly groups: readonly JobGroup[];
  readonly objective: GroupObjective;
  readonly risk: GroupRisk;
  readonly value: number;
  readonly bound: number;
  /** Distance of value and bound, relative to the value. */
  readonly gap: number;
  readonly optimal: boolean;
}

/** Why there is no grouping; `unproven` where none was found but there may be one. */
export interface NoGrouping {
  readonly kind: 'infeasible';
  readonly unproven?: true;
  readonly conflicts: readonly Conflict[];
}

/** A grouping, or why there is none. */
export type GroupingResult = Grouping | NoGrouping;

const optimalGap = 1e-6;

/** Partitions jobs onto GPUs: memory fits, limits hold, what must be apart is. Workloads of the jobs are among `workloads`, fully measured. */
export async function groupJobs(
  { jobs, gpu }: Pick<JobsDocument, 'jobs' | 'gpu'>,
  workloads: readonly MeasuredWorkload[],
  model: InterferenceModel,
  options: GroupOptions,
): Promise<GroupingResult> {
  const predictor = createPredictor(model);
  const rate: GroupRater = createGroupRater(model, predictor, options.risk);
  const jobTypes = typeJobs(jobs, new Map(workloads.map((workload) => [workload.name, workload])));
  const unfit = jobTypes.types.filter(({ workload }) => workload.memoryGiB > gpu.memoryGiB + 1e-9);
  if (unfit.length > 0)
    return {
      kind: 'infeasible',
      conflicts: unfit.flatMap(({ jobs: alike, workload }) => alike.map((job) => cannotRun(job, workload, gpu.memoryGiB))),
    };

  const candidates = listCandidates(jobTypes, rate, { maxGroup: options.maxGroup, memoryGiB: gpu.memoryGiB });
  const found = await partition(candidates, jobTypes, options);
  if (found.kind === 'infeasible') return found;
  const { chosen, value, bound } = found;
  const gap = Math.abs(bound - value) / Math.max(Math.abs(value), 1e-12);
  return {
    kind: 'grouping',
    groups: dealJobs(chosen, candidates, jobTypes, (members) => predictor.predict(members)),
    objective: options.objective,
    risk: options.risk,
    value,
    bound,
    gap,
    optimal: gap <= optimalGap,
  };
}

type Found = { readonly kind: 'found'; readonly chosen: Partition['chosen']; readonly value: number; readonly bound: number } | NoGrouping;

async function partition(candidates: readonly Candidate[], { types }: JobTypes, options: GroupOptions): Promise<Found> {
  const { solver, gpus } = options;
  const demand = types.map(({ jobs }) => jobs.length);
  const singles = candidates.flatMap(({ members }, column) => (members.length === 1 ? [column] : []));
  /** The partition of most throughput; `known` itself where no other is found within the limit. */
  const throughputFrom = async (known: Partition['chosen'], most: number, among: readonly number[]) => {
    const start = [...new Set([...singles, ...known.keys()])].filter((column) => among.includes(column));
    const best = await mostThroughput(candidates, demand, most, start, among, solver);
    if (best.withinLimit) return best;
    const cost = [...known].reduce((sum, [column, count]) => sum - count * (candidates[column] as Candidate).value, 0);
    return { ...best, chosen: known, cost };
  };
  const fewest = (among: readonly number[], enough?: number) => {
    const columns = among.map((column) => ({ members: (candidates[column] as Candidate).members, cost: 1 }));
    const start = among.flatMap((column, place) => (singles.includes(column) ? [place] : []));
    return solvePartition({ columns, demand, start, whole: true, ...(enough !== undefined && { enough }) }, solver);
  };
  const all = candidates.map((_, column) => column);
  const limit = gpus ?? demand.reduce((sum, count) => sum + count, 0);
  if (options.objective === 'throughput') {
    const best = await mostThroughput(candidates, demand, limit, singles, all, solver);
    if (best.withinLimit) return { kind: 'found', chosen: best.chosen, value: -best.cost, bound: -best.bound };
  }
  const least = await fewest(all, options.objective === 'fewest-gpus' ? undefined : limit);
  if (least.cost > limit) return tooFew(least, limit);
  if (options.objective === 'fewest-gpus') {
    // Of the partitions onto so few GPUs, the one of most throughput.
    const { chosen } = await throughputFrom(least.chosen, least.cost, all);
    return { kind: 'found', chosen, value: least.cost, bound: least.bound };
  }
  if (options.objective === 'throughput') {
    const best = await throughputFrom(least.chosen, limit, all);
    return { kind: 'found', chosen: best.chosen, value: -best.cost, bound: -best.bound };
  }

  // Fairness: the largest least share at which a partition exists, by bisection over the shares that occur.
  const steps = [...new Set(candidates.map(({ leastShare }) => leastShare))].toSorted((a, b) => a - b);
  let low = 0;
  let high = steps.length;
  let best = least;
  let bound = steps.at(-1) as number;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const among = all.filter((column) => (candidates[column] as Candidate).leastShare >= (steps[middle] as number));
    const at = await fewest(among, limit);
    if (at.cost <= limit) {
      low = middle;
      best = { ...at, chosen: new Map([...at.chosen].map(([place, count]) => [among[place] as number, count])) };
    } else {
      high = middle;
      if (at.bound > limit) bound = steps[middle - 1] as number;
    }
  }
  const among = all.filter((column) => (candidates[column] as Candidate).leastShare >= (steps[low] as number));
  const { chosen } = await throughputFrom(best.chosen, limit, among);
  return { kind: 'found', chosen, value: steps[low] as number, bound: Math.max(bound, steps[low] as number) };
}

async function mostThroughput(
  candidates: readonly Candidate[],
  demand: readonly number[],
  limit: number,
  start: readonly number[],
  among: readonly number[],
  solver: Solver,
): Promise<Partition> {
  const columns = among.map((column) => ({
    members: (candidates[column] as Candidate).members,
    cost: -(candidates[column] as Candidate).value,
  }));
  const places = new Map(among.map((column, place) => [column, place]));
  const found = await solvePartition({ columns, demand, limit, start: start.map((column) => places.get(column) as number) }, solver);
  return { ...found, chosen: new Map([...found.chosen].map(([place, count]) => [among[place] as number, count])) };
}

function dealJobs(
  chosen: Partition['chosen'],
  candidates: readonly Candidate[],
  { types }: JobTypes,
  predict: (members: readonly MeasuredWorkload[]) => readonly MemberPrediction[],
): readonly JobGroup[] {
  const next = types.map(() => 0);
  const groups: JobGroup[] = [];
  for (const [column, count] of [...chosen].toSorted(([a], [b]) => a - b)) {
    const { members, shares, measured } = candidates[column] as Candidate;
    const workloads = members.map((type) => (types[type] as JobTypes['types'][number]).workload);
    for (let k = 0; k < count; k++) {
      const jobs = members.map((type) => {
        const place = next[type] as number;
        next[type] = place + 1;
        return ((types[type] as JobTypes['types'][number]).jobs[place] as Job).name;
      });
      const memoryGiB = workloads.reduce((sum, workload) => sum + workload.memoryGiB, 0);
      groups.push({ jobs, workloads: workloads.map(({ name }) => name), predicted: predict(workloads), shares, measured, memoryGiB });
    }
  }
  return groups;
}

function cannotRun({ name }: Job, { memoryGiB }: MeasuredWorkload, available: number): Conflict {
  return {
    code: 'JOB_CANNOT_RUN',
    service: name,
    message: `The job ${name} needs ${memoryGiB} GiB and a GPU has ${available} GiB.`,
    needed: memoryGiB,
    available,
    hint: 'Use a GPU with more memory.',
  };
}

function tooFew({ cost, bound }: Partition, available: number): NoGrouping {
  const gpus = available === 1 ? '1 GPU' : `${available} GPUs`;
  const conflict = { code: 'GPUS_TOO_FEW', available, hint: 'Allow more GPUs, larger groups or slower jobs.' } as const;
  if (bound > available) {
    const message = `The jobs cannot share ${gpus} within their limits: at least ${bound} are needed.`;
    return { kind: 'infeasible', conflicts: [{ ...conflict, message, needed: bound }] };
  }
  const message = `No grouping onto ${gpus} was found, only one onto ${cost}. That ${available} are too few is not proven.`;
  return { kind: 'infeasible', unproven: true, conflicts: [{ ...conflict, message }] };
}
