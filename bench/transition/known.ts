/**
 * Transitions with published best numbers: the target's pod starts and their proof, the order of the steps with no and with
 * one extra GPU, one GPU more than the fewest, wiping backends, and exchange-and-compact beside it. Everything is replayed.
 * `known.ts t01,t02` runs some cases.
 */
import type { Backend, TransitionDocument } from '../../src/demand/documents/transition.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { chooseTarget } from '../../src/transition/choose-target.js';
import { type TransitionOptions, transition } from '../../src/transition/transition.js';
import { verifyTransition } from '../../src/verify/verify-transition.js';
import { readDataJson } from '../read-data.js';
import { readTransitionCase, type TransitionCase } from '../read-transition-case.js';
import { type Cell, report, timed } from '../report.js';

interface KnownTarget {
  readonly gpus: number;
  readonly pod_starts_best: number;
}
interface KnownSchedule {
  readonly gpus: number;
  readonly extra: number;
  readonly makespan_best_s?: number | null;
}
interface KnownCase {
  readonly case: string;
  readonly n_star: number;
  readonly services: number;
  readonly targets: readonly KnownTarget[];
  readonly schedules: readonly KnownSchedule[];
  readonly wipe_targets?: readonly KnownTarget[];
  readonly wipe_schedules?: readonly KnownSchedule[];
}

/** Seconds that an order with one extra GPU may take. */
const mostSeconds: Readonly<Record<string, number>> = { m01: 36.7, t01: 66, t02: 41, t03: 146, t04: 43, t05: 72, t06: 212, t07: 68 };
/** Seconds that planning may take, by services. */
const mostPlanningS = (services: number): number => (services <= 24 ? 10 : 60);
/** Seconds that choosing a target may take. */
const mostTargetS = 20;
const wipeSlack = 1.02;

const solver = await createInlineSolver();
const known = readDataJson<readonly KnownCase[]>('transitions/best.json');
const asked = process.argv[2]?.split(',');
const misses: string[] = [];
const rows: Cell[][] = [];

for (const best of known.filter((one) => asked?.includes(one.case) ?? true)) {
  const data = readTransitionCase(best.case);
  for (const backend of ['instance', 'gpu-wipe'] as const) {
    const targetS = [await timeTarget(best, data, backend, 0), await timeTarget(best, data, backend, 1)] as const;
    for (const [above, maxExtraGpus] of [
      [0, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      await runCase(best, data, backend, above, maxExtraGpus, targetS[above]);
    }
  }
  await runPublished(best, data);
}
report(
  'Transitions',
  [
    'case',
    'backend',
    'GPUs',
    'E',
    'pod starts',
    'proven',
    'best known',
    'new instances',
    'GPUs touched',
    'seconds',
    'bound',
    'best known',
    'temporary',
    'peak',
    'actions',
    'target, CPU s',
    'all planning, CPU s',
  ],
  rows,
  misses,
);

async function timeTarget(best: KnownCase, { state, workload }: TransitionCase, backend: Backend, above: number): Promise<number> {
  const { cpuMs } = await timed(() => chooseTarget(state, workload, { solver, backend, above }));
  const seconds = cpuMs / 1000;
  if (seconds > mostTargetS) misses.push(`${best.case}, ${backend}, ${best.n_star + above} GPUs: the target took ${seconds.toFixed(1)} s`);
  return seconds;
}

async function runCase(
  best: KnownCase,
  data: TransitionCase,
  backend: Backend,
  above: number,
  maxExtraGpus: number,
  targetS: number,
): Promise<void> {
  const gpus = best.n_star + above;
  const where = `${best.case}, ${backend}, ${gpus} GPUs, E = ${maxExtraGpus}`;
  const options = { solver, backend, above, maxExtraGpus };
  const { value: result, cpuMs } = await timed(() => transition(data.state, data.workload, options));
  const planningS = cpuMs / 1000;
  if (planningS > mostPlanningS(best.services)) misses.push(`${where}: planning took ${planningS.toFixed(1)} s`);
  if (result.kind === 'infeasible') {
    const dip = result.dips?.map(({ service, rps, seconds }) => `${service} −${rps} rps for ${seconds} s`).join('; ') ?? 'no dip known';
    rows.push([
      best.case,
      backend,
      gpus,
      maxExtraGpus,
      '–',
      '–',
      '–',
      '–',
      '–',
      `impossible: ${dip}; E = ${result.neededExtraGpus ?? '?'} avoids it`,
    ]);
    if (backend === 'instance' && best.case !== 'm01') misses.push(`${where}: no order`);
    return;
  }
  const document = result.transition;
  replay(where, data, document);
  const { podStarts, instanceCreations, gpusTouched, makespanS } = document.bounds;
  const [targets, schedules] = backend === 'instance' ? [best.targets, best.schedules] : [best.wipe_targets, best.wipe_schedules];
  const knownStarts = targets?.find((target) => target.gpus === gpus)?.pod_starts_best;
  const knownSeconds = schedules?.find((one) => one.gpus === gpus && one.extra === maxExtraGpus)?.makespan_best_s;
  const slack = backend === 'instance' ? 1 : wipeSlack;
  if (podStarts?.gap !== 0) misses.push(`${where}: pod starts not proven`);
  if (knownStarts !== undefined && (podStarts?.achieved ?? Infinity) > knownStarts * slack)
    misses.push(`${where}: ${podStarts?.achieved} pod starts`);
  const most = mostSeconds[best.case];
  if (backend === 'instance' && above === 0 && maxExtraGpus === 1 && most !== undefined && document.makespanS > most)
    misses.push(`${where}: ${document.makespanS} s`);
  rows.push([
    best.case,
    backend,
    gpus,
    maxExtraGpus,
    podStarts?.achieved ?? '–',
    podStarts?.limit ?? '–',
    knownStarts ?? '–',
    showBound(instanceCreations),
    showBound(gpusTouched),
    document.makespanS,
    makespanS?.limit ?? '–',
    knownSeconds ?? '–',
    document.counts.temporaryPods,
    document.peakGpus,
    document.steps.length,
    targetS.toFixed(1),
    planningS.toFixed(1),
  ]);
}

/** Exchange-and-compact must start more pods and take longer. */
async function runPublished(best: KnownCase, data: TransitionCase): Promise<void> {
  const where = `${best.case}, published`;
  const run = async (options: Omit<TransitionOptions, 'solver'>): Promise<TransitionDocument | undefined> => {
    const result = await transition(data.state, data.workload, { solver, ...options });
    return result.kind === 'transition' ? result.transition : undefined;
  };
  const published = await run({ method: 'published' });
  const ours = await run({ maxExtraGpus: 1 });
  if (published === undefined || ours === undefined) return;
  replay(where, data, published);
  const { counts, makespanS, maxExtraGpus, peakGpus, steps } = published;
  rows.push([
    best.case,
    'published',
    best.n_star,
    maxExtraGpus,
    counts.podStarts,
    '–',
    '–',
    counts.instanceCreations,
    counts.gpusTouched,
    makespanS,
    '–',
    '–',
    counts.temporaryPods,
    peakGpus,
    steps.length,
  ]);
  if (counts.podStarts <= ours.counts.podStarts) misses.push(`${where}: ${counts.podStarts} pod starts against ${ours.counts.podStarts}`);
  if (makespanS <= ours.makespanS && best.case !== 'm01') misses.push(`${where}: ${makespanS} s against ${ours.makespanS} s`);
}

function replay(where: string, { state, workload }: TransitionCase, document: TransitionDocument): void {
  for (const { name, violations } of verifyTransition(state, document, workload).checks) {
    for (const { message } of violations) misses.push(`${where}: ${name}: ${message}`);
  }
}

function showBound(bound: { readonly achieved: number; readonly limit: number } | undefined): string {
  if (bound === undefined) return '–';
  return bound.achieved === bound.limit ? String(bound.achieved) : `${bound.achieved} (≥ ${bound.limit})`;
}
