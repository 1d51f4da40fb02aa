import type { SeededRandom } from '../../../demand/seeded-random.js';
import { costOf, countByCut, type DeployedGpu, deploy, layoutOf, needsBeside } from '../configurations/deployment.js';
import { dropSurplus } from '../configurations/drop-surplus.js';
import { type RefillTools, refill } from './refill.js';

/** A deployment of the population. */
export interface Individual {
  readonly gpus: readonly DeployedGpu[];
  readonly cost: number;
  /** What its instances are worth at the slice prices of the bound: among equal costs, less leaves more room to save a GPU. */
  readonly worth: number;
}

/** Share of the GPUs that a crossover erases at most, and the most GPUs, so that a refill costs the same on any fleet. */
const mostErasedShare = 0.4;
const mostErased = 16;
/** One swap of equal instances for so many GPUs. */
const gpusPerSwap = 5;

/** Judges a deployment after taking away what it does not need. */
export function judge({ problem, cuts }: RefillTools, sizePrice: Float64Array, gpus: readonly DeployedGpu[]): Individual {
  const kept = dropSurplus(problem, cuts, gpus);
  let worth = 0;
  for (const gpu of kept) {
    for (const [slot, { size }] of layoutOf(cuts, gpu).slots.entries()) {
      if ((gpu.services[slot] as number) >= 0) worth += sizePrice[size] as number;
    }
  }
  return { gpus: kept, cost: costOf(problem, cuts, kept), worth };
}

/** Whether the first individual survives before the second. */
export function isFitter(a: Individual, b: Individual): boolean {
  return a.cost < b.cost - 1e-9 || (a.cost < b.cost + 1e-9 && a.worth < b.worth - 1e-9);
}

/** Erases some GPUs of a deployment and refills it: the paper's crossover, which keeps every child valid. Undefined when the refill fails. */
export function crossOver(tools: RefillTools, gpus: readonly DeployedGpu[]): readonly DeployedGpu[] | undefined {
  const { random, cuts, problem, space } = tools;
  const most = Math.max(1, Math.min(mostErased, Math.floor(gpus.length * mostErasedShare)));
  const erased = pickSome(random, gpus.length, Math.min(gpus.length, 1 + random.below(most) + 1));
  const kept = gpus.filter((_, at) => !erased.has(at));
  const added = refill(tools, needsBeside(problem, cuts, kept), countByCut(cuts, kept));
  return added === undefined ? undefined : [...kept, ...added.map((configuration) => deploy(cuts, space, configuration))];
}

function pickSome(random: SeededRandom, from: number, count: number): ReadonlySet<number> {
  const picked = new Set<number>();
  while (picked.size < count) picked.add(random.below(from));
  return picked;
}

/** Swaps services between instances of equal size on different GPUs: nothing is gained, but the next crossover erases other mixes. */
export function mutate({ random, cuts }: RefillTools, gpus: readonly DeployedGpu[]): readonly DeployedGpu[] {
  if (gpus.length < 2) return gpus;
  const mutant = gpus.map((gpu) => ({ ...gpu, services: gpu.services.slice() }));
  for (let swap = 0; swap < Math.ceil(gpus.length / gpusPerSwap); swap++) {
    const a = mutant[random.below(mutant.length)] as DeployedGpu;
    const b = mutant[random.below(mutant.length)] as DeployedGpu;
    const slot = random.below(a.services.length);
    const { size } = layoutOf(cuts, a).slots[slot] as { size: number };
    const others = [...layoutOf(cuts, b).slots.keys()].filter((n) => layoutOf(cuts, b).slots[n]?.size === size);
    const other = others[random.below(others.length)];
    if (a === b || other === undefined) continue;
    [a.services[slot], b.services[other]] = [b.services[other] as number, a.services[slot] as number];
  }
  return mutant;
}
