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
 * Repairs a plan in which some services have too few different GPUs: each missing replica moves to a GPU that has none.
 * Small fleets are also planned anew, GPU by GPU, and the cheaper of the two is taken.
 */
export async function separateReplicas(
  request: PlanRequest,
  problem: PackingProblem,
  dealt: DealtPlan,
  context: SearchContext,
): Promise<DealtPlan> {
  const moved = moveToOwnGpus(request.cuts, problem, dealt);
  const missing = moved.crowded.reduce((sum, service) => sum + (problem.minCount[service] as number), 0);
  const gpuCount = moved.gpus.length + missing;
  if (gpuCount * problem.serviceCount * problem.sizeCount > exactSize) return moved;
  try {
    const exact = await planGpuByGpu(request.cuts, problem, gpuCount, context);
    const isBetter =
      exact !== undefined && (moved.crowded.length > 0 || costOf(request, problem, exact) < costOf(request, problem, moved) - 1e-9);
    return isBetter ? exact : moved;
  } catch (error) {
    if (context.signal?.aborted !== true) throw error;
    return moved;
  }
}

function costOf({ cuts }: PlanRequest, problem: PackingProblem, { gpus }: DealtPlan): number {
  return gpus.reduce((sum, { cut }) => sum + (problem.pools[(cuts[cut] as Cut).pool] as PackingPool).cost, 0);
}

/**
 * Brings each missing replica onto a GPU that has none yet: into a free slot, else on a further GPU, of the replica's own size
 * first. A replica of another size comes in addition where the service cannot do without the one it replaces.
 */
export function moveToOwnGpus(cuts: readonly Cut[], problem: PackingProblem, dealt: DealtPlan): DealtPlan {
  const gpus = [...dealt.gpus];
  const crowded: number[] = [];
  for (const service of dealt.crowded) {
    const homes = (): DealtGpu[] => gpus.filter(({ slots }) => slots.some((slot) => slot.service === service));
    while (homes().length < (problem.minCount[service] as number)) {
      const doubled = findDoubled(homes(), service);
      const slot = findRoom(cuts, problem, gpus, service, doubled?.size) ?? findRoom(cuts, problem, gpus, service);
      if (slot === undefined) {
        crowded.push(service);
        break;
      }
      slot.service = service;
      if (doubled !== undefined && isSpare(problem, gpus, service, doubled)) doubled.service = -1;
    }
  }
  return { gpus: gpus.sort((a, b) => a.cut - b.cut), crowded };
}

function findDoubled(homes: readonly DealtGpu[], service: number): Slot | undefined {
  for (const { slots } of homes) {
    const own = slots.filter((slot) => slot.service === service);
    if (own.length > 1) return own[0];
  }
  return undefined;
}

/** Whether a service keeps its rate without one of its instances. */
function isSpare({ sizeCount, throughput, demand }: PackingProblem, gpus: readonly DealtGpu[], service: number, spare: Slot): boolean {
  let rps = 0;
  for (const { slots } of gpus) {
    for (const slot of slots) if (slot.service === service && slot !== spare) rps += throughput[service * sizeCount + slot.size] as number;
  }
  return rps >= (demand[service] as number) * (1 - 1e-12);
}

/** A free slot for a service on a GPU where it is not yet, of one size or of any it can use; opens a further GPU where there is none. */
export function findRoom(
  cuts: readonly Cut[],
  problem: PackingProblem,
  gpus: DealtGpu[],
  service: number,
  wanted?: number,
): Slot | undefined {
  const fits = ({ size }: { readonly size: number }): boolean =>
    (wanted === undefined || size === wanted) && (problem.throughput[service * problem.sizeCount + size] as number) > 0;
  for (const { slots } of gpus) {
    if (slots.some((slot) => slot.service === service)) continue;
    const free = slots.find((slot) => slot.service < 0 && fits(slot));
    if (free !== undefined) return free;
  }
  for (const [cut, { limit, layouts }] of cuts.entries()) {
    if (gpus.filter((gpu) => gpu.cut === cut).length >= limit) continue;
    const most = layouts.toSorted((a, b) => b.slots.filter(fits).length - a.slots.filter(fits).length)[0];
    if (most === undefined || !most.slots.some(fits)) continue;
    const slots = most.slots.map((slot): Slot => ({ ...slot, service: -1 }));
    gpus.push({ cut, slots });
    return slots.find(fits);
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
  const built = [...gpus.values()];
  dropSpareInstances(problem, built);
  const filled = built.filter(({ slots }) => slots.some(({ service }) => service >= 0));
  return { gpus: filled.sort((a, b) => a.cut - b.cut), crowded: [] };
}

/** The program counts GPUs, not instances: takes away those that a service needs neither for its rate nor as a replica. */
function dropSpareInstances(problem: PackingProblem, gpus: readonly DealtGpu[]): void {
  for (const { slots } of gpus) {
    for (const slot of slots) {
      const { service } = slot;
      if (service < 0 || !isSpare(problem, gpus, service, slot)) continue;
      const homes = gpus.filter((gpu) => gpu.slots.some((other) => other !== slot && other.service === service)).length;
      if (homes >= (problem.minCount[service] as number)) slot.service = -1;
    }
  }
}
