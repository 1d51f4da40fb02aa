import { readFileSync } from 'node:fs';
import { createSeededRandom } from '../../demand/seeded-random.js';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { createInlineSolver } from '../../solver/highs/highs-solver.js';
import type { Backends } from '../backends/backend.js';
import { builtInBackends } from '../backends/registry.js';
import { type Decision, decide } from './decide.js';
import { createPlanner, hashOf, type MadePlan, type Planner } from './make-plan.js';
import { createMemory, type Memory } from './memory.js';
import type { SimulatedCluster } from './simulated-cluster.fixture.js';
import { readyThroughput } from './simulated-objects.fixture.js';
import type { Write } from './write.js';

const solver = createInlineSolver();
const known = new Map<string, Promise<MadePlan>>();
/** Uids are unique within one cluster alone, so each has a memory of its own. */
const memories = new WeakMap<SimulatedCluster, Memory>();

function memoryOf(cluster: SimulatedCluster): Memory {
  const memory = memories.get(cluster) ?? createMemory();
  memories.set(cluster, memory);
  return memory;
}

/** Plans on this thread, each input once for all tests. */
export const planHere: Planner = (input) => {
  const { group, state, keep } = input;
  const key = hashOf({ state, keep, demand: group.workloads.map(({ hash }) => hash), pools: group.pools.map(({ pool }) => pool.spec) });
  const made = known.get(key) ?? solver.then((own) => createPlanner(own)(input));
  known.set(key, made);
  return made;
};

/** Rows of the models that these tests use, few enough to be read again after every death. */
export const exampleTable = readFileSync('examples/media/a100.csv', 'utf8')
  .split('\n')
  .filter((line) => /^(model|resnet50|bert-base|whisper-small),/.test(line))
  .join('\n');

/** How an operator's life goes. */
export interface LifeOptions {
  readonly seed: number;
  /** The process dies right after the write of this number (from 1), and the next one carries on. */
  readonly dieAfter?: number;
  /** It also dies after each write with this probability. */
  readonly deathRate?: number;
  /** Called after every change of the cluster, whoever made it. */
  readonly onChange?: (what: string) => void;
  readonly onWrite?: (write: Write, done: boolean) => void;
  /** Each new process also starts without what the one before it had computed, which costs time alone. */
  readonly forgets?: boolean;
  /** Nodes have no agent. */
  readonly blind?: boolean;
  readonly mostRounds?: number;
  /** Default: the built-in ones. */
  readonly backends?: Backends;
}

/** What came of it. */
export interface Life {
  readonly writes: number;
  /** Whether nothing was left to do, for anybody. */
  readonly settled: boolean;
  readonly last: Decision;
}

/**
 * Runs operator and cluster against each other until nobody has anything left to do: the operator looks, decides and writes;
 * between its writes and after them the controllers of the cluster make moves in an order of chance.
 */
export async function runOperator(cluster: SimulatedCluster, options: LifeOptions): Promise<Life> {
  const random = createSeededRandom(options.seed);
  let memory = memoryOf(cluster);
  let writes = 0;
  let last: Decision | undefined;
  const step = (): boolean => {
    const moved = cluster.step();
    if (moved) options.onChange?.('a controller');
    return moved;
  };
  for (let round = 0; round < (options.mostRounds ?? 3000); round++) {
    cluster.nowMs += 1000;
    const context = {
      catalogue: builtInCatalogue,
      backends: options.backends ?? builtInBackends,
      planner: planHere,
      memory,
      nowMs: cluster.nowMs,
    };
    const view = cluster.view();
    last = await decide(options.blind === true ? { ...view, nodeStates: [] } : view, context);
    for (const write of last.writes) {
      const done = cluster.write(write);
      writes++;
      options.onWrite?.(write, done);
      options.onChange?.(`${write.kind} ${write.resource.kind} ${write.where.name}: ${write.why}`);
      if (writes === options.dieAfter || random.uniform() < (options.deathRate ?? 0)) {
        if (options.forgets === true) memory = createMemory();
        break;
      }
      while (random.uniform() < 0.3 && step());
    }
    let moved = false;
    for (let n = random.below(6); n >= 0; n--) moved = step() || moved;
    if (last.writes.length === 0 && !moved) {
      while (step()) moved = true;
      if (moved) continue;
      if (!Number.isFinite(last.againInMs)) return { writes, settled: true, last };
      cluster.nowMs += last.againInMs;
    }
  }
  return { writes, settled: false, last: last as Decision };
}

/** Fails as soon as a service delivers less than its floor, min(old, new demand). */
export function watchFloor(cluster: SimulatedCluster, floorRps: Readonly<Record<string, number>>): (what: string) => void {
  return (what) => {
    const ready = readyThroughput(cluster.view());
    for (const [service, floor] of Object.entries(floorRps)) {
      const now = ready.get(service) ?? 0;
      if (now < floor * (1 - 1e-9)) throw new Error(`${service} delivers ${now} rps, its floor is ${floor}; after ${what}`);
    }
  };
}

/** What runs: for each GPU, counted by content, the pods on it. */
export function contentOf(cluster: SimulatedCluster): readonly string[] {
  const { pods } = cluster.view();
  const onGpu = new Map<string, string[]>();
  for (const pod of pods) {
    const gpu = pod.metadata.annotations?.['inlay.dev/gpu'];
    if (gpu === undefined) continue;
    const own = pod.metadata.labels ?? {};
    onGpu.set(gpu, [
      ...(onGpu.get(gpu) ?? []),
      ['workload', 'service', 'profile', 'batch', 'processes'].map((key) => own[`inlay.dev/${key}`]).join(' '),
    ]);
  }
  return [...onGpu.values()].map((list) => list.sort().join(', ')).sort();
}
