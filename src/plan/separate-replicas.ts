import { ProgramBuilder } from '../solver/program-builder.js';
import type { DealtGpu, DealtPlan, Slot } from './deal-instances.js';
import type { Cut, CutLayout } from './list-cuts.js';
import type { PackingPool, PackingProblem } from './packing-problem.js';
import type { SearchContext } from './solve-problem.js';
import type { PlanRequest } from './strategies/strategy.js';

/** Largest product of GPUs, services and sizes for which single GPUs are told apart in an exact program. */
const exactSize = 1200;
const maxNodes = 2000;

/**
 * Repairs a plan in which some services have too few different GPUs. Small fleets are planned anew, GPU by GPU, at the
 * least cost; on large ones each missing replica moves to a GPU of its own.
 */
export async function separateReplicas(
  request: PlanRequest,
  problem: PackingProblem,
  dealt: DealtPlan,
  context: SearchContext,
): Promise<DealtPlan> {
  const moved = moveToOwnGpus(request.cuts, problem, dealt);
  const gpuCount = moved.gpus.length;
  if (gpuCount * problem.serviceCount * problem.sizeCount > exactSize) return moved;
  try {
    return (await planGpuByGpu(request.cuts, problem, gpuCount, context)) ?? moved;
  } catch (error) {
    if (context.signal?.aborted !== true) throw error;
    return moved;
  }
}

/** Brings each missing replica onto a GPU of its own, as far as the pools have any left. */
export function moveToOwnGpus(cuts: readonly Cut[], problem: PackingProblem, dealt: DealtPlan): DealtPlan {
  const gpus = [...dealt.gpus];
  const used = cuts.map((_, c) => gpus.filter(({ cut }) => cut === c).length);
  const crowded: number[] = [];
  for (const service of dealt.crowded) {
    const homes = (): DealtGpu[] => gpus.filter(({ slots }) => slots.some((slot) => slot.service === service));
    while (homes().length < (problem.minCount[service] as number)) {
      const slot = findDoubled(homes(), service, (size) => hasRoom(cuts, used, problem.poolOfSize[size] as number));
      if (slot === undefined) {
        crowded.push(service);
        break;
      }
      const cut = problem.poolOfSize[slot.size] as number;
      const layout = (cuts[cut] as Cut).layouts.find(({ counts }) => (counts[slot.size] as number) > 0) as CutLayout;
      const slots = layout.slots.map((other): Slot => ({ ...other, service: -1 }));
      (slots.find(({ size }) => size === slot.size) as Slot).service = service;
      slot.service = -1;
      gpus.push({ cut, slots });
      (used[cut] as number)++;
    }
  }
  return { gpus: gpus.sort((a, b) => a.cut - b.cut), crowded };
}

function hasRoom(cuts: readonly Cut[], used: readonly number[], pool: number): boolean {
  return (used[pool] as number) < (cuts[pool] as Cut).limit;
}

function findDoubled(homes: readonly DealtGpu[], service: number, fits: (size: number) => boolean): Slot | undefined {
  for (const { slots } of homes) {
    const own = slots.filter((slot) => slot.service === service && fits(slot.size));
    if (slots.filter((slot) => slot.service === service).length > 1 && own[0] !== undefined) return own[0];
  }
  return undefined;
}

/** The least cost with at most `gpuCount` GPUs when every GPU is told apart: layouts, counts and homes in one program. */
async function planGpuByGpu(
  cuts: readonly Cut[],
  problem: PackingProblem,
  gpuCount: number,
  context: SearchContext,
): Promise<DealtPlan | undefined> {
  const { sizeCount, serviceCount, throughput, demand, minCount } = problem;
  const program = new ProgramBuilder();
  const cover = Array.from({ length: serviceCount }, (_, i) => program.row(demand[i] === 0 ? 0 : 1, Infinity));
  const replicas = Array.from({ length: serviceCount }, (_, i) => program.row(minCount[i] as number, Infinity));
  const limits = cuts.map(({ limit }) => program.row(-Infinity, limit));
  const layoutColumns: { gpu: number; cut: number; layout: CutLayout; column: number }[] = [];
  const instanceColumns: { gpu: number; service: number; size: number; column: number }[] = [];
  for (let gpu = 0; gpu < gpuCount; gpu++) {
    const one = program.row(-Infinity, 1);
    const room = Array.from({ length: sizeCount }, () => program.row(-Infinity, 0));
    for (const [cut, { pool, layouts }] of cuts.entries()) {
      for (const layout of layouts) {
        const column = program.column((problem.pools[pool] as PackingPool).cost, 0, 1, true);
        program.entry(one, column, 1);
        program.entry(limits[cut] as number, column, 1);
        for (const [k, count] of layout.counts.entries()) program.entry(room[k] as number, column, -count);
        layoutColumns.push({ gpu, cut, layout, column });
      }
    }
    for (let i = 0; i < serviceCount; i++) {
      if (demand[i] === 0) continue;
      const home = program.column(0, 0, 1, true);
      program.entry(replicas[i] as number, home, 1);
      const atHome = program.row(-Infinity, 0);
      program.entry(atHome, home, 1);
      for (let k = 0; k < sizeCount; k++) {
        const rps = throughput[i * sizeCount + k] as number;
        if (rps === 0) continue;
        const column = program.column(0, 0, Infinity, true);
        program.entry(room[k] as number, column, 1);
        program.entry(atHome, column, -1);
        program.entry(cover[i] as number, column, rps / (demand[i] as number));
        instanceColumns.push({ gpu, service: i, size: k, column });
      }
    }
  }
  const { x } = await context.solver.solve(program.build(), { maxNodes });
  if (x.length === 0) return undefined;
  const gpus = new Map<number, { cut: number; slots: Slot[] }>();
  for (const { gpu, cut, layout, column } of layoutColumns) {
    if ((x[column] as number) > 0.5) gpus.set(gpu, { cut, slots: layout.slots.map((slot): Slot => ({ ...slot, service: -1 })) });
  }
  const rps = new Float64Array(serviceCount);
  for (const { gpu, service, size, column } of instanceColumns) {
    const count = Math.round(x[column] as number);
    rps[service] = (rps[service] as number) + count * (throughput[service * sizeCount + size] as number);
    const free = gpus.get(gpu)?.slots.filter((slot) => slot.size === size && slot.service < 0) ?? [];
    for (const slot of free.slice(0, count)) slot.service = service;
  }
  if (rps.some((got, i) => got < (demand[i] as number) * (1 - 1e-12))) return undefined;
  const filled = [...gpus.values()].filter(({ slots }) => slots.some(({ service }) => service >= 0));
  return { gpus: filled.sort((a, b) => a.cut - b.cut), crowded: [] };
}
