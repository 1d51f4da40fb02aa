import { SegmentEstimates, segmentCount } from './estimate-segments.js';
import { mergeCounts } from './latency-histogram.js';
import { type Batching, ServiceClock, type Stretch } from './service-clock.js';
import { largestLoad, type ServiceOutcome, type Verdict } from './service-outcome.js';
import { capacityOf, type SimulatedService } from './simulated-service.js';

/** How long a service is simulated. A tenth of every run is warm-up and not counted, save for traces, which are played as they are. */
export type RunLength =
  /** So many requests. */
  | { readonly kind: 'requests'; readonly requests: number }
  /** So many seconds of simulated time. */
  | { readonly kind: 'duration'; readonly seconds: number }
  /** Until the percentile is known to this relative half-width (95 %), at least `stretch` times the least length. */
  | { readonly kind: 'precise'; readonly precision: number; readonly stretch: number }
  /** As `precise`, but ends as soon as it is clear whether the service meets its limit. */
  | { readonly kind: 'decided'; readonly precision: number; readonly stretch: number };

/** One service to simulate. Equal requests give equal outcomes. */
export interface SimulationRequest {
  readonly service: SimulatedService;
  readonly batching: Batching;
  readonly length: RunLength;
  readonly seed: number;
}

/** Requests below which nobody should trust an answer, see `leastRequests`; the first stage of an open run has at least `firstStage`. */
const firstStage = 100_000;
/** An open run gives up after this many times its first stage. */
const mostStages = 64;
const mostRequests = 1e8;
/** Relative half-width at which a run of fixed length counts as settled. */
const usualPrecision = 0.05;

/** Simulates one service against its plan: latencies, the share within the limit, and whether that is enough. */
export function simulateService(request: SimulationRequest): ServiceOutcome {
  const { service } = request;
  const { name, limitMs, percentile, rateRps } = service;
  const load = rateRps / capacityOf(service);
  if (!(load <= largestLoad)) {
    return { kind: 'overloaded', name, limitMs, percentile, rateRps, load, verdict: 'misses', requests: 0 };
  }
  const { stretches, estimates, settled, simulated } = run(request, load);
  const share = percentile / 100;
  const within = estimates.within();
  const verdict: Verdict = !settled ? 'unsettled' : within.value >= share ? 'meets' : 'misses';
  const sum = (key: 'batches' | 'batchedRequests' | 'workMs' | 'spanMs') => stretches.reduce((total, stretch) => total + stretch[key], 0);
  const processes = service.kinds.reduce((total, kind) => total + kind.count * kind.processes, 0);
  return {
    kind: 'measured',
    name,
    limitMs,
    percentile,
    rateRps,
    load,
    verdict,
    requests: simulated,
    meanMs: estimates.meanMs(),
    p50Ms: estimates.quantileMs(0.5),
    p90Ms: estimates.quantileMs(0.9),
    p95Ms: estimates.quantileMs(0.95),
    p99Ms: estimates.quantileMs(0.99),
    percentileMs: estimates.quantileMs(share),
    maxMs: estimates.all.maxMs,
    within,
    late: estimates.all.count - estimates.all.within,
    meanBatch: sum('batchedRequests') / sum('batches'),
    busy: Math.min(1, sum('workMs') / (processes * sum('spanMs'))),
    counts: estimates.all,
  };
}

/**
 * Fewest requests for a trustworthy answer: 200 beyond the percentile, and 200 relaxation times of the queue, c² ÷ (1 − load)²
 * requests each. Shorter runs are not only noisy but too green, because they start empty.
 */
export function leastRequests(percentile: number, burstiness: number, load: number): number {
  return Math.ceil(Math.max(200 / (1 - percentile / 100), (200 * Math.max(1, burstiness ** 2)) / (1 - load) ** 2));
}

interface Run {
  readonly stretches: readonly Stretch[];
  readonly estimates: SegmentEstimates;
  readonly settled: boolean;
  readonly simulated: number;
}

function run({ service, batching, length, seed }: SimulationRequest, load: number): Run {
  const clock = new ServiceClock(service, batching, seed);
  const burstiness = service.arrivals.kind === 'gaps' ? 1 : service.arrivals.burstiness;
  const least = leastRequests(service.percentile, burstiness, load);
  const moves = Number.isFinite(clock.periodMs);
  switch (length.kind) {
    case 'requests':
      return runFixed(clock, service, length.requests, least, moves);
    case 'duration':
      if (moves) return runMoving(clock, length.seconds * 1000, length.seconds * 1000 >= clock.periodMs);
      return runFixed(clock, service, Math.round(length.seconds * service.rateRps), least, false);
    case 'precise':
    case 'decided': {
      const stage = Math.min(mostRequests, Math.max(firstStage, least) * length.stretch);
      if (!moves) return runOpen(clock, service, length, stage);
      const perPass = (service.rateRps * clock.periodMs) / 1000;
      return runMoving(clock, Math.max(1, Math.ceil((least * length.stretch) / perPass)) * clock.periodMs, true);
    }
  }
}

/** A pattern is played from its start; only whole passes of it settle anything. */
function runMoving(clock: ServiceClock, untilMs: number, settled: boolean): Run {
  const main = clock.advanceTo(untilMs);
  const rest = clock.finish();
  const stretch = { ...main, counts: mergeCounts([main.counts, rest.counts]) };
  return { stretches: [stretch], estimates: new SegmentEstimates([stretch.counts]), settled, simulated: main.requests };
}

function runFixed(clock: ServiceClock, service: SimulatedService, requests: number, least: number, moves: boolean): Run {
  const warmUp = moves ? 0 : Math.floor(requests / 10);
  clock.advanceBy(warmUp);
  const each = Math.floor((requests - warmUp) / segmentCount);
  const stretches = Array.from({ length: segmentCount }, (_, i) =>
    clock.advanceBy(i === 0 ? requests - warmUp - each * (segmentCount - 1) : each),
  );
  const rest = clock.finish();
  const last = stretches.pop() as Stretch;
  stretches.push({ ...last, counts: mergeCounts([last.counts, rest.counts]) });
  const estimates = new SegmentEstimates(stretches.map(({ counts }) => counts));
  const settled = requests >= least && isSettled(estimates, service, { kind: 'decided', precision: usualPrecision, stretch: 1 });
  return { stretches, estimates, settled, simulated: requests };
}

/** Doubles the run until it is settled; segments are joined in pairs, so there are always equally many. */
function runOpen(clock: ServiceClock, service: SimulatedService, length: OpenLength, stage: number): Run {
  const warmUp = Math.ceil(stage / 10);
  clock.advanceBy(warmUp);
  let each = Math.ceil(stage / segmentCount);
  let stretches = Array.from({ length: segmentCount }, () => clock.advanceBy(each));
  for (;;) {
    const estimates = new SegmentEstimates(stretches.map(({ counts }) => counts));
    const simulated = warmUp + each * segmentCount;
    const settled = isSettled(estimates, service, length);
    if (settled || 2 * each * segmentCount > Math.min(mostRequests, stage * mostStages))
      return { stretches, estimates, settled, simulated };
    each *= 2;
    stretches = joinPairs(stretches);
    while (stretches.length < segmentCount) stretches.push(clock.advanceBy(each));
  }
}

type OpenLength = Extract<RunLength, { kind: 'precise' | 'decided' }>;

function isSettled(estimates: SegmentEstimates, service: SimulatedService, length: OpenLength): boolean {
  const share = service.percentile / 100;
  if (length.kind === 'decided' && estimates.isClearlyNot(share)) return true;
  const { value, halfWidth } = estimates.quantileMs(share);
  return halfWidth <= length.precision * value;
}

function joinPairs(stretches: readonly Stretch[]): Stretch[] {
  return Array.from({ length: stretches.length / 2 }, (_, i) => {
    const [a, b] = [stretches[2 * i] as Stretch, stretches[2 * i + 1] as Stretch];
    return {
      counts: mergeCounts([a.counts, b.counts]),
      requests: a.requests + b.requests,
      spanMs: a.spanMs + b.spanMs,
      batches: a.batches + b.batches,
      batchedRequests: a.batchedRequests + b.batchedRequests,
      workMs: a.workMs + b.workMs,
    };
  });
}
