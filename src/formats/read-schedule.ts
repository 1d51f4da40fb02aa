import { dirname, isAbsolute, join } from 'node:path';
import { type ScheduleDocument, scheduleSchema } from '../demand/documents/schedule.js';
import { InlayError, type Problem, problem } from '../errors.js';
import type { Period, Schedule, Serving } from '../simulate/schedule/schedule.js';
import { limits } from './limits.js';
import { placeProblems, readDocument } from './read-document.js';
import { readPlan } from './read-plan.js';
import { readState } from './read-state.js';
import { readTransition } from './read-transition.js';
import { type ReadOptions, readWorkload } from './read-workload.js';

type PeriodDocument = ScheduleDocument['spec']['periods'][number];

/** Reads a Schedule file and everything it names. Throws InlayError; notes are those of the workloads. */
export async function readSchedule(
  file: string,
  options: ReadOptions = {},
): Promise<{ readonly schedule: Schedule; readonly notes: readonly Problem[] }> {
  const { document, source } = await readDocument(file, 'Schedule', scheduleSchema, limits.documentBytes.value);
  const { metadata, spec } = document;
  const problems = checkPeriods(spec);
  if (problems.length > 0) throw new InlayError(placeProblems(problems, source));
  const find = (entry: string) => (isAbsolute(entry) ? entry : join(dirname(file), entry));
  // A workload that many periods name is read once.
  const workloads = new Map<string, ReturnType<typeof readWorkload>>();
  const periods: Period[] = [];
  for (const period of spec.periods) {
    const known = workloads.get(period.workload) ?? readWorkload(find(period.workload), options);
    workloads.set(period.workload, known);
    periods.push({ startS: period.startS, workload: (await known).workload, serving: await readServing(period, find, options) });
  }
  const notes = (await Promise.all(workloads.values())).flatMap((read) => read.notes);
  return { schedule: { name: metadata.name, endS: spec.endS, periods }, notes };
}

async function readServing(period: PeriodDocument, find: (entry: string) => string, options: ReadOptions): Promise<Serving> {
  const { plan, state, transition, startS, movesAtS = startS } = period;
  if (plan !== undefined) return { kind: 'plan', plan: await readPlan(find(plan)) };
  if (state !== undefined) return { kind: 'state', state: (await readState(find(state), options)).document };
  if (transition !== undefined) return { kind: 'transition', transition: await readTransition(find(transition)), startS: movesAtS };
  return { kind: 'same' };
}

function checkPeriods({ periods, endS }: ScheduleDocument['spec']): readonly Problem[] {
  return periods.flatMap((period, i) => {
    const path = `spec.periods[${i}]`;
    const found: Problem[] = [];
    const refuse = (key: string, message: string, expected: string, received: string) =>
      found.push(problem('INVALID_VALUE', { message, path: `${path}.${key}`, expected, received }));
    const before = periods[i - 1]?.startS;
    if (before === undefined ? period.startS !== 0 : period.startS <= before) {
      const expected = before === undefined ? '0' : `more than ${before}`;
      refuse('startS', 'Periods follow each other from 0 on.', expected, String(period.startS));
    }
    if (period.startS >= endS) refuse('startS', 'The period starts after the end.', `less than endS, ${endS}`, String(period.startS));
    const named = (['plan', 'state', 'transition'] as const).filter((key) => period[key] !== undefined);
    if (named.length > 1) refuse(named[1] as string, 'A period has one of plan, state and transition.', 'one of them', named.join(' and '));
    if (i === 0 && (named.length === 0 || named[0] === 'transition')) {
      refuse('startS', 'Something must run when the schedule begins.', 'plan or state in the first period', named[0] ?? 'neither');
    }
    const isBackwards = period.movesAtS !== undefined && before !== undefined && period.movesAtS < before;
    if (isBackwards)
      refuse('movesAtS', 'A transition cannot start before the period before it.', `at least ${before}`, String(period.movesAtS));
    return found;
  });
}
