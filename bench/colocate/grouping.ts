/**
 * Grouping: what groups chosen by prediction really deliver on measured pairs, how that grows with the number of measured
 * groups, and how long groupings take.
 */

import { groupJobs } from '../../src/colocate/group/group-jobs.js';
import { solvePartition } from '../../src/colocate/group/solve-partition.js';
import { groupFeatures } from '../../src/colocate/kace/group-features.js';
import { fitKace, kaceTotals } from '../../src/colocate/kace/least-squares.js';
import { type MeasuredGroup, type MeasuredWorkload, totalRate } from '../../src/colocate/measured-workload.js';
import { createSharePredictor, fitInterference } from '../../src/colocate/predictor/fit-interference.js';
import { trainInterference } from '../../src/colocate/predictor/train-interference.js';
import { mostUncertainGroups } from '../../src/colocate/suggest/most-uncertain.js';
import { createSeededRandom } from '../../src/demand/seeded-random.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { readColocationData } from '../colocation-data.js';
import { report, timed } from '../report.js';

const data = await readColocationData();
const solver = await createInlineSolver();
const byName = new Map(data.workloads.map((workload) => [workload.name, workload]));
const names = [...new Set(data.pairs.flatMap(({ members }) => members))];
const workloads = names.map((name) => byName.get(name) as MeasuredWorkload);
const gpus = Math.ceil(names.length / 2);
const membersOf = ({ members }: MeasuredGroup) => members.map((name) => byName.get(name) as MeasuredWorkload);
const misses: string[] = [];

/** Each workload once, in measured pairs or alone, on half as many GPUs: the measured total of the grouping with the best scores. */
async function measuredTotal(
  scores: readonly number[],
  aloneScores = workloads.map(({ exclusiveRate }) => exclusiveRate),
): Promise<number> {
  const pairs = data.pairs.map(({ members }, k) => ({ members: members.map((name) => names.indexOf(name)), cost: -(scores[k] as number) }));
  const single = aloneScores.map((score, k) => ({ members: [k], cost: -score }));
  const usable = pairs.map((_, k) => k).filter((k) => data.pairs[k]?.members[0] !== data.pairs[k]?.members[1]);
  const columns = [...usable.map((k) => pairs[k] as (typeof pairs)[number]), ...single];
  const demand = names.map(() => 1);
  const start = await solvePartition(
    { columns: columns.map((column) => ({ ...column, cost: 1 })), demand, start: single.map((_, k) => usable.length + k), whole: true },
    solver,
  );
  const { chosen } = await solvePartition({ columns, demand, limit: gpus, start: [...start.chosen.keys()] }, solver);
  lastChosen = [...chosen.keys()]
    .filter((column) => column < usable.length)
    .map((column) => data.pairs[usable[column] as number] as MeasuredGroup);
  const alone = [...chosen.keys()]
    .filter((column) => column >= usable.length)
    .map((column) => workloads[column - usable.length] as MeasuredWorkload);
  return (
    lastChosen.reduce((sum, { rates }) => sum + totalRate(rates), 0) + alone.reduce((sum, { exclusiveRate }) => sum + exclusiveRate, 0)
  );
}
let lastChosen: readonly MeasuredGroup[] = [];

const measured = data.pairs.map(({ rates }) => totalRate(rates));
const best = await measuredTotal(measured);
const random = createSeededRandom(7);
const draws: number[] = [];
for (let draw = 0; draw < 20; draw++) {
  const drawn = [...measured, ...workloads].map(() => random.uniform());
  draws.push(await measuredTotal(drawn.slice(0, measured.length), drawn.slice(measured.length)));
}
const ofBest = (total: number) => (100 * total) / best;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function predictTotals(train: readonly MeasuredGroup[]): readonly number[] {
  if (train.length === 0) return data.pairs.map((group) => mean(membersOf(group).map(({ exclusiveRate }) => exclusiveRate)));
  const predict = createSharePredictor(fitInterference(train, data.workloads));
  return data.pairs.map((group) => {
    const members = membersOf(group);
    return predict(members).reduce((sum, share, k) => sum + share * (members[k] as MeasuredWorkload).exclusiveRate, 0);
  });
}

/** Ways to break ties of KACE's scores. They add up over members, so that all pairings of the same workloads score alike. */
const tieBreaks = 10;
const breakTies = createSeededRandom(13);

const choiceRows = [];
for (const name of ['n_occur_2', 'n_occur_3', 'n_occur_5', 'n_occur_10']) {
  const inlay: number[] = [];
  const kace: number[] = [];
  for (const { train } of data.pairSplits.get(name) ?? []) {
    inlay.push(await measuredTotal(predictTotals(train)));
    const model = fitKace(
      train.map((group) => groupFeatures(membersOf(group))),
      train.map(({ rates }) => totalRate(rates)),
    );
    const totals = kaceTotals(
      model,
      data.pairs.map((group) => groupFeatures(membersOf(group))),
    );
    for (let draw = 0; draw < tieBreaks; draw++) kace.push(await measuredTotal(totals.map((total) => total + 1e-4 * breakTies.uniform())));
  }
  choiceRows.push([
    name.replace('n_occur_', 'pairs, n = '),
    ofBest(mean(inlay)).toFixed(1),
    `${ofBest(mean(kace)).toFixed(1)} (${ofBest(Math.min(...kace)).toFixed(1)} – ${ofBest(Math.max(...kace)).toFixed(1)})`,
    `${ofBest(mean(draws)).toFixed(1)} (${ofBest(Math.min(...draws)).toFixed(1)} – ${ofBest(Math.max(...draws)).toFixed(1)})`,
  ]);
}
report(
  `Groupings of ${names.length} workloads onto ${gpus} GPUs: measured total, % of the best measured grouping (${best.toFixed(0)} samples/s)`,
  ['trained on', 'Inlay', 'KACE in the same optimiser (all ties)', 'random'],
  choiceRows,
  [],
);

/** Groups measured in the end. */
const mostMeasured = 75;

/** Measured totals by number of measured groups, when each round of twelve is chosen in one way. */
async function measureRounds(way: 'plan' | 'uncertain' | 'random', seed: number): Promise<readonly number[]> {
  const draw = createSeededRandom(seed);
  const known: MeasuredGroup[] = [];
  const totals: number[] = [];
  for (;;) {
    totals.push(await measuredTotal(predictTotals(known)));
    const size = Math.min(12, mostMeasured - known.length);
    if (size === 0) return totals;
    const isNew = (group: MeasuredGroup) => !known.includes(group);
    const next: MeasuredGroup[] = [];
    if (way === 'plan') {
      // As `suggest` does: what no group has shown, what the plan would use, what teaches most.
      const shown = new Set(known.flatMap(({ members }) => members));
      for (const group of shown.size < names.length ? uncertainGroups(known) : []) {
        if (next.length < size && group.members.some((name) => !shown.has(name))) next.push(group);
        for (const name of group.members) shown.add(name);
      }
      next.push(...lastChosen.filter((group) => isNew(group) && !next.includes(group)));
    }
    const fill = way === 'random' ? drawGroups(draw) : uncertainGroups([...known, ...next.slice(0, size)]);
    for (const group of fill) if (next.length < size && isNew(group) && !next.includes(group)) next.push(group);
    known.push(...next.slice(0, size));
  }
}

function drawGroups(draw: ReturnType<typeof createSeededRandom>): readonly MeasuredGroup[] {
  return data.pairs
    .map((group) => ({ group, at: draw.uniform() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ group }) => group);
}

/** Only measured pairs can be asked for here, so more are suggested than needed. */
function uncertainGroups(known: readonly MeasuredGroup[]): readonly MeasuredGroup[] {
  const groups = known.map(({ id, members, rates }) => ({ id, members: [...members], rates: [...rates] }));
  return mostUncertainGroups(workloads, groups, 30).flatMap((members) => {
    const key = members.toSorted().join();
    return data.pairs.find((pair) => pair.members.toSorted().join() === key) ?? [];
  });
}

const seeds = [1, 2, 3];
const rounds = {
  plan: await measureRounds('plan', 0),
  uncertain: await measureRounds('uncertain', 0),
  random: await Promise.all(seeds.map((seed) => measureRounds('random', seed))),
};
report(
  'Which groups to measure: measured total of the grouping, % of the best, from exclusive numbers only',
  ['measured groups', 'plan-driven', 'by uncertainty', `random (mean of ${seeds.length})`],
  rounds.plan.map((total, round) => [
    Math.min(12 * round, mostMeasured),
    ofBest(total).toFixed(1),
    ofBest(rounds.uncertain[round] as number).toFixed(1),
    ofBest(mean(rounds.random.map((totals) => totals[round] as number))).toFixed(1),
  ]),
  [],
);

const model = trainInterference('bench', [...data.pairs, ...data.triples.slice(0, 40)], data.workloads);
const alike = (count: number) =>
  Array.from({ length: count }, (_, k) => ({ name: `job-${k}`, workload: names[(5 * k) % names.length] as string }));
const allDifferent = (count: number) => {
  const draw = createSeededRandom(11);
  return alike(count).map((job) => ({ ...job, weight: 0.5 + draw.uniform() }));
};
const timeRows = [];
for (const { kind, someJobs, count, maxGroup, on, limitMs } of [
  { kind: 'jobs', someJobs: alike, count: 200, maxGroup: 2, on: 100, limitMs: 2000 },
  { kind: 'jobs', someJobs: alike, count: 60, maxGroup: 4, on: 20, limitMs: 20_000 },
  { kind: 'jobs, all of different weight', someJobs: allDifferent, count: 200, maxGroup: 2, on: 100, limitMs: 2000 },
  { kind: 'jobs, all of different weight', someJobs: allDifferent, count: 60, maxGroup: 4, on: 20, limitMs: 20_000 },
]) {
  const options = { objective: 'throughput', risk: 'pessimistic', maxGroup, gpus: on, solver } as const;
  const { value, ms } = await timed(() => groupJobs({ jobs: someJobs(count), gpu: { memoryGiB: 32 } }, data.workloads, model, options));
  if (value.kind === 'infeasible') throw new Error(value.conflicts.map(({ message }) => message).join(' '));
  if (ms > limitMs) misses.push(`${count} jobs took ${Math.round(ms)} ms, must ${limitMs} ms`);
  if (value.gap > 0.005) misses.push(`${count} jobs: gap ${value.gap}`);
  timeRows.push([
    `${count} ${kind}, groups of ≤ ${maxGroup}, ${on} GPUs`,
    value.value.toFixed(3),
    `${(100 * value.gap).toFixed(3)} %`,
    Math.round(ms),
  ]);
}
report('Groupings: time', ['jobs', 'sum of shares', 'gap', 'ms'], timeRows, misses);

const fewestRows = [];
const fewestMisses: string[] = [];
for (const seed of [1, 2, 3]) {
  const draw = createSeededRandom(seed);
  const jobs = alike(60).map(({ name }) => {
    const workload = names[Math.floor(draw.uniform() * names.length)] as string;
    return { name, workload, weight: 0.5 + draw.uniform() };
  });
  const options = { objective: 'fewest-gpus', risk: 'pessimistic', maxGroup: 3, solver } as const;
  const { value, ms } = await timed(() => groupJobs({ jobs, gpu: { memoryGiB: 32 } }, data.workloads, model, options));
  if (value.kind === 'infeasible') throw new Error(value.conflicts.map(({ message }) => message).join(' '));
  if (!value.optimal) fewestMisses.push(`draw ${seed}: ${value.value} GPUs, bound ${value.bound}`);
  fewestRows.push([`draw ${seed} of 60 unlike jobs, groups of ≤ 3`, value.value, value.bound, Math.round(ms)]);
}
report('Groupings: fewest GPUs', ['jobs', 'GPUs', 'bound', 'ms'], fewestRows, fewestMisses);
