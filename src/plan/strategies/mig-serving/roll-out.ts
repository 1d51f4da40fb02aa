import type { SeededRandom } from '../../../demand/seeded-random.js';
import type { Configuration } from '../configurations/rank-configurations.js';
import type { Path } from './path.js';
import type { RefillTools } from './refill.js';

/** Share of the steps that draw from a pool; the others take the best configuration. Pools alone ended 5 to 10 % above greedy. */
const drawShare = 0.2;
/** Configurations drawn at a step; the one of highest score is taken. */
const draws = 3;
/** Pools remembered before all are forgotten, so that long searches do not fill the memory. */
const mostPools = 20_000;
/** Unfinished services looked at together ("a few" in the paper). */
const fewServices = 6;

/** Finishes a path; false when the cuts have no GPU left for it. */
export function rollOut(tools: RefillTools, path: Path): boolean {
  while (path.unfinished.length > 0) {
    const next = (tools.random.uniform() < drawShare ? drawFromPool(tools, path) : undefined) ?? path.rank(path.unfinished, 1)[0];
    if (next === undefined) return false;
    path.take(next);
  }
  return true;
}

/** A few of the services, drawn by chance. */
export function drawFew(random: SeededRandom, services: readonly number[]): readonly number[] {
  const few = [...services];
  for (let n = 0; n < few.length && n < fewServices; n++) {
    const other = n + random.below(few.length - n);
    [few[n], few[other]] = [few[other] as number, few[n] as number];
  }
  return few.slice(0, fewServices);
}

/** A good configuration for the set of unfinished services; the pool of the set is made when it is first met. */
function drawFromPool(tools: RefillTools, path: Path): Configuration | undefined {
  const { random, options, pools } = tools;
  const key = path.unfinished.join();
  const known = pools.get(key);
  const pool = known ?? Array.from({ length: options.topK }, () => path.rank(drawFew(random, path.unfinished), 1)).flat();
  if (known === undefined) {
    if (pools.size >= mostPools) pools.clear();
    pools.set(key, pool);
  }
  const open = pool.filter((configuration) => path.isOpen(configuration));
  let best: Configuration | undefined;
  let bestScore = 0;
  for (let n = 0; n < draws && open.length > 0; n++) {
    const drawn = open[random.below(open.length)] as Configuration;
    const score = path.score(drawn);
    if (score > bestScore) [best, bestScore] = [drawn, score];
  }
  return best;
}
