import { type JobsDocument, jobsSchema } from '../../colocate/documents/jobs.js';
import type { MeasuredWorkload } from '../../colocate/measured-workload.js';
import { suggestNames } from '../../demand/did-you-mean.js';
import { InlayError, type Problem, problem } from '../../errors.js';
import { limits } from '../limits.js';
import { placeProblems, readDocument } from '../read-document.js';

/** Reads a Jobs file whose workloads are in the table. Throws InlayError with every problem, each with its place. */
export async function readJobs(file: string, workloads: readonly MeasuredWorkload[]): Promise<JobsDocument> {
  const { document, source } = await readDocument(file, 'Jobs', jobsSchema, limits.documentBytes.value);
  const known = workloads.map(({ name }) => name);
  const problems: Problem[] = [];
  const names = new Set<string>();
  for (const [index, { name, workload }] of document.jobs.entries()) {
    const path = `jobs[${index}]`;
    if (names.has(name)) problems.push(problem('DUPLICATE_NAME', { message: `The job ${name} is there twice.`, path: `${path}.name` }));
    names.add(name);
    if (known.includes(workload)) continue;
    const hint = suggestNames(workload, known);
    const message = `The workload ${workload} of job ${name} is not in the table of workloads.`;
    problems.push(problem('UNKNOWN_WORKLOAD', { message, path: `${path}.workload`, received: workload, ...(hint && { hint }) }));
  }
  if (problems.length > 0) throw new InlayError(placeProblems(problems, source));
  return document;
}
