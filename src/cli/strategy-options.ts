import { type Command, InvalidArgumentError, Option } from 'commander';
import type { StrategyName } from '../plan/plan.js';
import type { StrategyOptions } from '../plan/strategies/strategy-options.js';
import { parseCount } from './common-options.js';

const meanings: Readonly<Record<StrategyName, string>> = {
  exact: 'the fewest, with a proof',
  greedy: "MIG-serving's fast algorithm",
  'mig-serving': 'its genetic algorithm over greedy',
  'utility-first': "Jormungandr's allocator",
  whole: 'GPUs as they are',
  'whole-single': 'the same, one process each',
  smallest: 'the smallest slices',
  'static-mix': 'every GPU 4-2-1',
  balanced: "NVIDIA's all-balanced",
};

/** Every strategy, in the order of the planner's table: written down here because loading the planner would slow `--help`. */
export const strategyNames = Object.keys(meanings) as readonly StrategyName[];

/** Settings of strategies as parsed from a command line. */
export interface StrategyFlags {
  readonly seed?: number;
  readonly rounds?: number;
  readonly idleRounds?: number;
  readonly nodes?: number;
  readonly refillNodes?: number;
  readonly population?: number;
  readonly maxMix?: number;
  readonly lastMix?: number;
  readonly topK?: number;
  readonly uncapped?: boolean;
}

/** Adds the settings of the published strategies, under a heading of their own in `--help`. */
export function addStrategyFlags(command: Command): Command {
  const flags = [
    new Option('--seed <number>', 'mig-serving and --check: start of the random numbers (default: 1)').argParser(parseCount),
    new Option('--rounds <number>', 'mig-serving: most rounds of the genetic algorithm (default: 50)').argParser(parseCount),
    new Option('--idle-rounds <number>', 'mig-serving: rounds without gain after which it stops (default: 10)').argParser(parseAtLeastOne),
    new Option('--nodes <number>', 'mig-serving: nodes of all search trees together (default: no limit)').argParser(parseCount),
    new Option('--refill-nodes <number>', 'mig-serving: nodes of the search tree of one refill (default: 15)').argParser(parseAtLeastOne),
    new Option('--population <number>', 'mig-serving: plans kept from round to round (default: 6)').argParser(parseAtLeastOne),
    new Option('--max-mix <number>', 'most different services on one GPU').argParser(parseAtLeastOne),
    new Option('--last-mix <number>', 'the same once little is left to place').argParser(parseAtLeastOne),
    new Option('--top-k <number>', 'best GPU configurations that are looked at (default: 10)').argParser(parseAtLeastOne),
    new Option('--uncapped', 'greedy, mig-serving, utility-first: count more than a service still needs, as published'),
  ];
  for (const flag of flags) command.addOption(flag.helpGroup('Settings of the published strategies:'));
  return command;
}

/** The settings that were given, as the planner takes them. */
export function strategyOptionsOf({
  uncapped,
  seed,
  rounds,
  idleRounds,
  nodes,
  refillNodes,
  population,
  maxMix,
  lastMix,
  topK,
}: StrategyFlags): StrategyOptions {
  const given = { seed, rounds, idleRounds, nodes, refillNodes, population, maxMix, lastMix, topK };
  return {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as StrategyOptions),
    ...(uncapped === true ? { capCredit: false } : {}),
  };
}

/** What the strategies are, for a help text. */
export function describeStrategies(): string {
  return `\nStrategies:\n${Object.entries(meanings)
    .map(([name, meaning]) => `  ${name.padEnd(14)} ${meaning}\n`)
    .join('')}`;
}

function parseAtLeastOne(text: string): number {
  const value = parseCount(text);
  if (value === 0) throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return value;
}
