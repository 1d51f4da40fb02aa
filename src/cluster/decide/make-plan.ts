import { createHash } from 'node:crypto';
import type { Conflict } from '../../demand/conflict.js';
import { canonicalJson } from '../../demand/documents/canonical.js';
import type { StateDocument } from '../../demand/documents/state.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import { resolveWorkload } from '../../demand/resolve-workload.js';
import { InlayError } from '../../errors.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import type { Solver } from '../../solver/solver.js';
import type { ServiceDip } from '../../transition/find-dip.js';
import { type TransitionResult, transition } from '../../transition/transition.js';
import { strictestCostModel } from '../backends/backend.js';
import type { SharingPlanSpec } from '../objects/sharing-plan.js';
import type { WorkloadGroup } from './group-workloads.js';
import type { PodType } from './own-pods.js';
import { findObjective, measurePlan, sumWorth } from './plan-objective.js';
import { createRateFinder } from './planned-rates.js';
import { listTypes, nameModels } from './planned-types.js';
import { writeDocument } from './read-workloads.js';

/** What a plan is made from. */
export interface PlanInput {
  readonly group: WorkloadGroup;
  readonly state: StateDocument;
  readonly catalogue: GpuCatalogue;
  /** GPUs in use now, by pool, and fewest that a change must save when demand is met as it is; absent when a change is needed anyhow. */
  readonly keep?: { readonly gpusByPool: Readonly<Record<string, number>>; readonly minSavedGpus: number };
}

/** The content of a SharingPlan but for its number and hashes, or why there is none. */
export type MadePlan =
  | { readonly kind: 'plan'; readonly draft: PlanDraft }
  | { readonly kind: 'keep' }
  /** `againInMs`: a fault stood in the way, and it is worth another try after this time. */
  | { readonly kind: 'infeasible'; readonly conflicts: readonly Conflict[]; readonly againInMs?: number };

export type PlanDraft = Omit<
  SharingPlanSpec,
  'sequence' | 'inputHash' | 'hardwareHash' | 'stateHash' | 'group' | 'workloads' | 'transition'
> & {
  readonly transition: TransitionDocument;
};

/** Makes plans; the operator hands in one that remembers by the hash of the input. */
export type Planner = (input: PlanInput) => Promise<MadePlan>;

export const hashOf = (value: unknown): string => `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;

/**
 * Plans a group by the same `transition()` as the command line, for the cost model of its backends and the objective of its pools. Where no order keeps every floor, an
 * order with the smallest dips found is given and names them. Inputs that pass the checks of each workload never throw.
 */
export function createPlanner(solver: Solver): Planner {
  return async (input) => {
    const { group, state, catalogue, keep } = input;
    const document = writeDocument(group.workloads, group.pools, group.name);
    const rows = group.workloads.flatMap((workload) => workload.rows);
    const { workload, problems } = resolveWorkload(document, rows, catalogue);
    if (workload === undefined) throw new InlayError(problems);
    const extra = extraGpus(group);
    const objective = findObjective(group);
    const options = {
      solver,
      objective: objective.name,
      backend: strictestCostModel(group.pools),
      ...(extra !== undefined && { maxExtraGpus: extra }),
    };
    const first = await transition(state, workload, options);
    const result =
      first.kind === 'infeasible' && first.dips !== undefined
        ? await dip(state, first.dips, (s) => transition(s, workload, options))
        : first;
    if (result.kind === 'infeasible') return result;
    const { transition: found } = result;
    if (keep !== undefined) {
      const saved = sumWorth(keep.gpusByPool, objective) - (found.bounds[objective.name]?.achieved ?? 0);
      const isEnough = saved >= keep.minSavedGpus * objective.savedUnit * (1 - 1e-9);
      if (!isEnough && saved >= -1e-9) {
        const same = await transition(state, workload, { ...options, above: Math.max(0, saved) });
        if (same.kind === 'transition' && same.transition.counts.podStarts === 0) return { kind: 'keep' };
      }
    }
    const dips = first.kind === 'infeasible' ? first.dips : undefined;
    return {
      kind: 'plan',
      draft: writeDraft(state, found, dips, { size: measurePlan(found, state, objective), rateOf: createRateFinder(workload) }),
    };
  };
}

function extraGpus({ pools }: WorkloadGroup): number | undefined {
  const limits = pools.map(({ pool }) => pool.spec.maxExtraGpus);
  return limits.every((limit) => limit !== undefined) ? limits.reduce((sum: number, limit) => sum + (limit ?? 0), 0) : undefined;
}

/** Lowers what is guaranteed to the services that have to dip: first as little as was found, then all of it. */
async function dip(
  state: StateDocument,
  dips: readonly ServiceDip[],
  plan: (state: StateDocument) => Promise<TransitionResult>,
): Promise<TransitionResult> {
  const lowered = (rateOf: (rate: number, rps: number) => number): StateDocument => ({
    ...state,
    services: state.services.map((service) => {
      const own = dips.find(({ service: name }) => name === service.name);
      return own === undefined ? service : { ...service, rateRps: rateOf(service.rateRps, own.rps) };
    }),
  });
  const little = await plan(lowered((rate, rps) => clampRate(rate - rps * (1 + 1e-9))));
  return little.kind === 'transition' ? little : plan(lowered(() => 0));
}

const clampRate = (rate: number): number => (rate < 1e-9 ? 0 : rate);

function writeDraft(
  state: StateDocument,
  found: TransitionDocument,
  dips: readonly ServiceDip[] | undefined,
  { size, rateOf }: { readonly size: ReturnType<typeof measurePlan>; readonly rateOf: ReturnType<typeof createRateFinder> },
): PlanDraft {
  const planned = new Map<string, number>();
  for (const { instances } of found.target.gpus) {
    for (const { service, capacityRps = 0, reserved } of instances) {
      if (service !== null && reserved !== true) planned.set(service, (planned.get(service) ?? 0) + capacityRps);
    }
  }
  const [old, ready] = [new Map(state.services.map(({ name, rateRps }) => [name, rateRps])), new Map<string, number>()];
  for (const { instances } of state.gpus) {
    for (const { service, capacityRps = 0 } of instances) if (service !== null) ready.set(service, (ready.get(service) ?? 0) + capacityRps);
  }
  const dipOf = new Map(dips?.map(({ service, rps }) => [service, rps]));
  const count = (kind: string) => found.steps.filter((step) => step.kind === kind).length;
  const types = [...listTypes(found, nameModels(found, state.gpus)).values()];
  const target = { services: found.target.services, gpus: found.target.gpus };
  return {
    planId: hashOf(target),
    ...size,
    services: found.target.services.map(({ name, rateRps }) => {
      const floor = Math.min(old.get(name) ?? 0, rateRps, ready.get(name) ?? 0);
      return {
        key: name,
        rateRps,
        floorRps: Math.max(0, floor - (dipOf.get(name) ?? 0)),
        plannedRps: planned.get(name) ?? 0,
        types: types.filter(({ service }) => service === name).flatMap((type) => ratedType(type, rateOf(type))),
      };
    }),
    ...(dips && { dips: [...dips] }),
    summary: {
      podStarts: found.counts.podStarts,
      podStops: count('stop-pod'),
      wipes: found.counts.wipes,
      kept: found.counts.kept,
      seconds: Math.round(found.makespanS),
    },
    transition: found,
  };
}

function ratedType({ gpuModel, profile, batch, processes }: PodType, plannedRps: number | undefined) {
  return plannedRps === undefined ? [] : [{ gpuModel, profile, batch, processes, plannedRps }];
}
