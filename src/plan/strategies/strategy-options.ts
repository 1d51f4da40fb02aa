import { inlayError } from '../../errors.js';

/** Settings of the published strategies; a strategy ignores those that mean nothing to it. */
export interface StrategyOptions {
  /** Seed of everything drawn by chance: any whole number. Default 1. */
  readonly seed?: number;
  /** Most rounds of the genetic algorithm; 0 keeps the greedy deployment. Default 50. */
  readonly rounds?: number;
  /** Rounds without a better deployment after which it stops, at least 1. Default 10, as published. */
  readonly idleRounds?: number;
  /** Nodes that all tree searches together may visit; 0 keeps the greedy deployment. Default: no limit. */
  readonly nodes?: number;
  /** Nodes that the tree search of one refill may visit; 0 refills with a single roll-out. Default 15. */
  readonly refillNodes?: number;
  /** Deployments kept from round to round, at least 1. Default 6. */
  readonly population?: number;
  /** Most different services on one GPU, at least 1; any number of slots or more means no limit. */
  readonly maxMix?: number;
  /** The same once some service is in its last mile; never less than `maxMix`. */
  readonly lastMix?: number;
  /** Count a service's credit up to its remaining need only. Default true; false is the published form. */
  readonly capCredit?: boolean;
  /** Best configurations that are looked at (children of a node, choices beside what runs); at most 1000; more than there are means all. Default 10. */
  readonly topK?: number;
}

/** Every setting with its value. */
export type ResolvedOptions = Required<StrategyOptions>;

const defaults: ResolvedOptions = {
  seed: 1,
  rounds: 50,
  idleRounds: 10,
  nodes: Infinity,
  refillNodes: 15,
  population: 6,
  maxMix: Infinity,
  lastMix: Infinity,
  capCredit: true,
  topK: 10,
};

/** Smallest and largest value of each number. */
const limits = {
  rounds: [0, 1e6],
  idleRounds: [1, 1e6],
  nodes: [0, Infinity],
  refillNodes: [0, 1e6],
  population: [1, 1000],
  maxMix: [1, Infinity],
  lastMix: [1, Infinity],
  topK: [1, 1000],
} as const;

/** Remaining need, as a share of its rate, from which on a service is in its last mile (Jormungandr). */
export const lastMile = 0.1;

/** Fills in a strategy's own defaults, then the common ones. Throws USAGE for values out of range. */
export function resolveOptions(given: StrategyOptions | undefined, own: StrategyOptions = {}): ResolvedOptions {
  const options = { ...defaults, ...own, ...given };
  for (const name of Object.keys(limits) as (keyof typeof limits)[]) {
    const value = options[name];
    const [least, most] = limits[name];
    if (value >= least && value <= most && (Number.isInteger(value) || value === most)) continue;
    refuse(name, most === Infinity ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`, value);
  }
  if (!Number.isSafeInteger(options.seed)) refuse('seed', 'a whole number', options.seed);
  return { ...options, lastMix: Math.max(options.maxMix, options.lastMix) };
}

function refuse(name: string, expected: string, received: number): never {
  throw inlayError('USAGE', {
    message: `The strategy option ${name} must be ${expected}, not ${received}.`,
    expected,
    received: String(received),
  });
}
