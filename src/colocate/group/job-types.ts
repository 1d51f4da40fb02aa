import type { Job } from '../documents/jobs.js';
import type { MeasuredWorkload } from '../measured-workload.js';

/** Jobs that may stand for one another: the same workload, limits and rules. */
export interface JobType {
  readonly workload: MeasuredWorkload;
  readonly weight: number;
  /** Infinity where there is no limit. */
  readonly maxSlowdown: number;
  readonly exclusive: boolean;
  readonly jobs: readonly Job[];
}

/** The jobs by type, and which types must not share a GPU: `apart[a][b]`, also of one type with itself. */
export interface JobTypes {
  readonly types: readonly JobType[];
  readonly apart: readonly (readonly boolean[])[];
}

/** Puts jobs that are alike into one type, in the order of their first job. Workloads are found by name. */
export function typeJobs(jobs: readonly Job[], workloads: ReadonlyMap<string, MeasuredWorkload>): JobTypes {
  const avoided = new Set(jobs.flatMap(({ avoid }) => avoid ?? []));
  const byKey = new Map<string, Job[]>();
  for (const job of jobs) {
    const { name, workload, maxSlowdown, weight = 1, exclusive = false, labels = [], avoid = [] } = job;
    const called = [name, ...labels].filter((label) => avoided.has(label)).toSorted();
    const key = JSON.stringify([workload, maxSlowdown ?? null, weight, exclusive, called, avoid.toSorted()]);
    const alike = byKey.get(key);
    if (alike === undefined) byKey.set(key, [job]);
    else alike.push(job);
  }
  const types = [...byKey.values()].map((alike): JobType => {
    const { workload, weight = 1, maxSlowdown = Number.POSITIVE_INFINITY, exclusive = false } = alike[0] as Job;
    return { workload: workloads.get(workload) as MeasuredWorkload, weight, maxSlowdown, exclusive, jobs: alike };
  });
  return { types, apart: types.map((a) => types.map((b) => mustBeApart(a, b))) };
}

function mustBeApart(a: JobType, b: JobType): boolean {
  if (a.exclusive || b.exclusive) return true;
  const avoids = (one: JobType, other: JobType) =>
    one.jobs.some((job) =>
      other.jobs.some((by) => job !== by && [by.name, ...(by.labels ?? [])].some((label) => job.avoid?.includes(label))),
    );
  return avoids(a, b) || avoids(b, a);
}
