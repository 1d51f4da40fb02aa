import { planId } from '../demand/documents/canonical.js';
import type { PlanDocument } from '../demand/documents/plan.js';
import { tightenRules } from '../demand/tighten-rules.js';
import type { Workload } from '../demand/workload.js';
import type { InfeasiblePlan, PlanResult } from '../plan/plan-result.js';
import { describeServices } from './describe-services.js';
import { findShares } from './find-shares.js';
import type { Batching } from './service-clock.js';
import type { ServiceOutcome } from './service-outcome.js';
import type { RunLength, SimulationRequest } from './simulate-service.js';
import type { SimulateServices } from './simulate-services.js';
import type { SimulatedService } from './simulated-service.js';

/** What a planner is asked for in each round. */
export interface CheckedPlanRequest {
  readonly headroom?: ReadonlyMap<string, number>;
}

/** How a plan is made and checked. */
export interface CheckOptions {
  /** Plans a workload; called once a round. */
  readonly plan: (workload: Workload, request: CheckedPlanRequest) => Promise<PlanResult>;
  readonly simulate: SimulateServices;
  /** `quick` leaves out the verification with another seed and three times the length. */
  readonly depth: 'quick' | 'full';
  readonly seed: number;
  readonly signal?: AbortSignal;
  readonly onRound?: (round: { readonly round: number; readonly gpus: number; readonly misses: number }) => void;
}

/** A plan with what simulation says of it. */
export interface CheckedPlan {
  readonly kind: 'checked';
  readonly plan: PlanDocument;
  /** Of the last run, in the order of the workload. */
  readonly outcomes: readonly ServiceOutcome[];
  /** Whether every service met its limit in the last run. */
  readonly passed: boolean;
  readonly rounds: number;
  /** Requests simulated in all runs together. */
  readonly requests: number;
}

const mostRounds = 10;
/** A service that missed gets at least this much less load, or the loop could stand still. */
const largestShare = 0.995;
const precision = 0.05;
const verifyingStretch = 3;
const batching: Batching = { delayMs: 0, batchVariation: 0 };

/**
 * Plans by the tight rule, simulates, gives services that miss more headroom, and plans again until none misses; then verifies with another
 * seed and three times the length. A plan that does not get there comes back with `passed: false`.
 */
export async function planAndCheck(workload: Workload, options: CheckOptions): Promise<CheckedPlan | InfeasiblePlan> {
  const tight = tightenRules(workload);
  const headroom = new Map<string, number>();
  const known = new Map<string, ServiceOutcome>();
  let requests = 0;
  let verifications = 0;
  const simulate: SimulateServices = async (asked) => {
    const outcomes = await options.simulate(asked);
    requests += outcomes.reduce((sum, outcome) => sum + outcome.requests, 0);
    return outcomes;
  };
  for (let round = 1; ; round++) {
    const result = await options.plan(tight, headroom.size === 0 ? {} : { headroom });
    if (result.kind === 'infeasible') return result;
    const { plan } = result;
    const services = describeServices(tight, plan);
    let asked = services.map((service) => ask(service, options.seed, { kind: 'decided', precision, stretch: 1 }));
    let outcomes = await simulateUnknown(asked, known, simulate);
    if (options.depth === 'full' && outcomes.every(({ verdict }) => verdict === 'meets')) {
      verifications += 1;
      asked = services.map((service) =>
        ask(service, options.seed + verifications, { kind: 'decided', precision, stretch: verifyingStretch }),
      );
      outcomes = await simulate(asked);
    }
    const missed = asked.filter((_, i) => outcomes[i]?.verdict !== 'meets');
    options.onRound?.({ round, gpus: plan.totals.gpus, misses: missed.length });
    if (missed.length === 0 || round === mostRounds || options.signal?.aborted === true) {
      const checked = writeCheck(plan, outcomes, options);
      return { kind: 'checked', plan: checked, outcomes, passed: missed.length === 0, rounds: round, requests };
    }
    const shares = await findShares(missed, simulate);
    const planned = new Map(plan.services.map((service) => [service.name, service.plannedCapacityRps / service.rateRps]));
    for (const [i, { service }] of missed.entries()) {
      headroom.set(service.name, (planned.get(service.name) ?? 1) / Math.min(shares[i] as number, largestShare));
    }
  }
}

function ask(service: SimulatedService, seed: number, length: RunLength): SimulationRequest {
  return { service, batching, length, seed };
}

/** A service whose instances are as they were is not simulated again: it would see the same. */
async function simulateUnknown(
  asked: readonly SimulationRequest[],
  known: Map<string, ServiceOutcome>,
  simulate: SimulateServices,
): Promise<readonly ServiceOutcome[]> {
  const keys = asked.map(({ service }) => keyOf(service));
  const unknown = asked.filter((_, i) => !known.has(keys[i] as string));
  const outcomes = await simulate(unknown);
  for (const [i, outcome] of outcomes.entries()) known.set(keyOf((unknown[i] as SimulationRequest).service), outcome);
  return keys.map((key) => known.get(key) as ServiceOutcome);
}

function keyOf({ name, kinds }: SimulatedService): string {
  const numbers = kinds.map(({ count, processes, maxBatch, capacityRps, weight }) => [count, processes, maxBatch, capacityRps, weight]);
  return JSON.stringify([name, numbers]);
}

function writeCheck(plan: PlanDocument, outcomes: readonly ServiceOutcome[], { depth, seed }: CheckOptions): PlanDocument {
  const services = outcomes.map((outcome) => ({
    name: outcome.name,
    verdict: outcome.verdict,
    requests: outcome.requests,
    ...(outcome.kind === 'measured' && outcome.verdict !== 'unsettled'
      ? { percentileMs: round(outcome.percentileMs.value), within: round(outcome.within.value) }
      : {}),
  }));
  const content: PlanDocument = { ...plan, check: { rule: 'tight', depth, seed, services } };
  return { ...content, metadata: { ...plan.metadata, id: planId(content) } };
}

/** Five digits are more than a simulation knows, and few enough to be the same on every machine. */
function round(value: number): number {
  return Number(value.toPrecision(5));
}
