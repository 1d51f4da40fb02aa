/** How requests find an instance: by weight in turn, by weight at random, or by looking at queues. */
export type Router = 'round-robin' | 'random' | 'two-choices' | 'shortest-queue';

/** How requests arrive. Every kind is played at the service's own mean rate. */
export type Arrivals =
  /** Independent gaps; `burstiness` is their coefficient of variation: 1 is Poisson, 0 is a metronome. */
  | { readonly kind: 'renewal'; readonly burstiness: number }
  /** A rate that moves: `rates` are multiples of the mean (their mean is 1), one a step; gaps within a step as for `renewal`. */
  | { readonly kind: 'rates'; readonly stepS: number; readonly rates: Float64Array; readonly burstiness: number }
  /** Recorded gaps between requests, stretched as one so that their mean fits the rate (their mean is 1). */
  | { readonly kind: 'gaps'; readonly gaps: Float64Array };

/** Equal instances of a service. */
export interface InstanceKind {
  readonly count: number;
  readonly processes: number;
  readonly maxBatch: number;
  /** Throughput of one instance, requests per second; decides ties and what a queue is measured by. */
  readonly capacityRps: number;
  /** Share of the service's requests that one instance gets under the weighted routers, > 0. */
  readonly weight: number;
  /** Time of a batch of n while all processes are busy, ms, at [n]; entry 0 is not used. Never falls with n. */
  readonly batchMs: Float64Array;
}

/** One service as it is simulated: nothing of it depends on any other service. */
export interface SimulatedService {
  readonly name: string;
  /** Mean rate, requests per second, > 0. */
  readonly rateRps: number;
  readonly limitMs: number;
  /** Percent of the requests that must be within the limit. */
  readonly percentile: number;
  readonly arrivals: Arrivals;
  readonly router: Router;
  /** Largest capacity first. */
  readonly kinds: readonly InstanceKind[];
}

/** Sum of the instances' throughput, requests per second. */
export function capacityOf(service: Pick<SimulatedService, 'kinds'>): number {
  return service.kinds.reduce((sum, kind) => sum + kind.count * kind.capacityRps, 0);
}
