import type { Cut } from '../../list-cuts.js';
import { type DeployedGpu, deploy, giveAll } from './deployment.js';
import { PartTournament } from './part-tournament.js';
import { type Configuration, rankConfigurations } from './rank-configurations.js';
import type { ServiceNeeds } from './service-needs.js';

/** Whether some service that is not done needs no more than the last mile of its rate. */
export function hasLastMile(needs: ServiceNeeds): boolean {
  return needs.nearlyDone > 0;
}

/** How the next GPU is chosen. */
export interface GreedyRules {
  /** Most different services on a GPU. */
  readonly mix: number;
  /** The same in the last mile. */
  readonly lastMix: number;
  /** Count no more than a service still needs. */
  readonly capCredit: boolean;
  /** How many of the best configurations `choose` may pick from. */
  readonly keep?: number;
  readonly choose?: (ranked: readonly Configuration[], gpu: (configuration: Configuration) => DeployedGpu) => Configuration;
  /** Called once a GPU; may pause. */
  readonly onGpu?: (count: number) => Promise<void> | undefined;
}

/**
 * Adds GPU after GPU, each of the configuration of highest score, until every need is met. `needs` is used up. Undefined
 * when the cuts hold too few GPUs.
 */
export async function fillGreedily(cuts: readonly Cut[], needs: ServiceNeeds, rules: GreedyRules): Promise<DeployedGpu[] | undefined> {
  const { space } = needs;
  const { parts } = space;
  const score = (service: number, part: number): number => needs.score(service, part, rules.capCredit);
  const tournament = new PartTournament(parts.length, needs.problem.serviceCount, score);
  const used = new Int32Array(cuts.length);
  const gpus: DeployedGpu[] = [];
  while (needs.unfinished > 0) {
    const mix = hasLastMile(needs) ? rules.lastMix : rules.mix;
    const isOpen = ({ cut }: { cut: number }): boolean => (used[cut] as number) < (cuts[cut] as Cut).limit;
    const ranked = rankConfigurations(space, tournament, mix, rules.keep ?? 1, isOpen);
    const [first] = ranked;
    if (first === undefined) return undefined;
    const chosen = rules.choose?.(ranked, (configuration) => deploy(cuts, space, configuration)) ?? first;
    const gpu = deploy(cuts, space, chosen);
    giveAll(needs, cuts, gpu);
    for (const { service } of chosen.shares) {
      for (let part = 0; part < parts.length; part++) tournament.set(part, service, score(service, part));
    }
    gpus.push(gpu);
    (used[gpu.cut] as number)++;
    const pause = rules.onGpu?.(gpus.length);
    if (pause !== undefined) await pause;
  }
  return gpus;
}
