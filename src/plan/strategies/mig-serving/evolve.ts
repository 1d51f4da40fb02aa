import type { SeededRandom } from '../../../demand/seeded-random.js';
import { costOf, countByCut, type DeployedGpu, deploy, layoutOf, needsBeside } from '../configurations/deployment.js';
import { dropSurplus } from '../configurations/drop-surplus.js';
import { gatherFreeSlots } from './gather-free-slots.js';
import { type RefillTools, refill } from './refill.js';

/** A deployment of the population. */
export interface Individual {
  readonly gpus: readonly DeployedGpu[];
  readonly cost: number;
  /** What its instances are worth at the slice prices of the bound: among equal costs, less is closer to saving a GPU. */
  readonly worth: number;
}

/** Share of the GPUs that a crossover erases at most, and the most GPUs, so that a refill costs the same on any fleet. */
const mostErasedShare = 0.4;
const mostErased = 8;
/** One swap of equal instances for so many GPUs. */
const gpusPerSwap = 5;

/** Judges a deployment after taking away what it does not need and gathering its free slots. */
export function judge({ problem, cuts, sizePrice }: RefillTools, gpus: readonly DeployedGpu[]): Individual {
  const kept = gatherFreeSlots(cuts, sizePrice, dropSurplus(problem, cuts, gpus));
  let worth = 0;
  for (const gpu of kept) {
    for (const [slot, { size }] of layoutOf(cuts, gpu).slots.entries()) {
      if ((gpu.services[slot] as number) >= 0) worth += sizePrice[size] as number;
    }
  }
  return { gpus: kept, cost: costOf(problem, cuts, kept), worth };
}

/** Negative when the first individual survives before the second. */
export function compareFitness(a: Individual, b: Individual): number {
  return a.cost - b.cost || a.worth - b.worth;
}

/** Erases some GPUs of a deployment and refills it: the paper's crossover, which keeps every child valid. Undefined when the refill fails. */
export function crossOver(tools: RefillTools, gpus: readonly DeployedGpu[]): readonly DeployedGpu[] | undefined {
  const { random, cuts, problem, space } = tools;
  const most = Math.min(mostErased, Math.ceil(gpus.length * mostErasedShare));
  const erased = pickSome(random, gpus, Math.min(gpus.length, 2 + random.below(most)));
  const kept = gpus.filter((_, at) => !erased.has(at));
  const added = refill(tools, needsBeside(problem, space, cuts, kept), countByCut(cuts, kept));
  return added === undefined ? undefined : [...kept, ...added.map((configuration) => deploy(cuts, space, configuration))];
}

/** Half of them, where there are so many, among GPUs with a free slot: room that lies scattered can only be used together. */
function pickSome(random: SeededRandom, gpus: readonly DeployedGpu[], count: number): ReadonlySet<number> {
  const loose = [...gpus.keys()].filter((at) => (gpus[at] as DeployedGpu).services.includes(-1));
  const picked = new Set<number>();
  for (let n = 0; n < count / 2 && loose.length > 0; n++) picked.add(loose[random.below(loose.length)] as number);
  while (picked.size < count) picked.add(random.below(gpus.length));
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
    const equal = [...layoutOf(cuts, b).slots.keys()].filter((n) => layoutOf(cuts, b).slots[n]?.size === size);
    const other = equal[random.below(equal.length)];
    if (a === b || other === undefined) continue;
    [a.services[slot], b.services[other]] = [b.services[other] as number, a.services[slot] as number];
  }
  return mutant;
}
