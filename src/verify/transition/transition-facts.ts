import type { StateDocument, StateGpu, StateInstance } from '../../demand/documents/state.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { Pool, Service, Workload } from '../../demand/workload.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { MigProfile } from '../../gpu/gpu-model.js';
import { createPlannedLimit } from '../planned-load.js';
import { indexRows, type MeasuredRow } from '../row-index.js';
import { findBrokenRowRule } from '../row-rules.js';
import type { Violation } from '../verify-report.js';
import { readStepGraph, type StepGraph } from './step-graph.js';

/** What a pod runs: with its place it says which measured row applies. */
export interface PodSetting {
  readonly service: string;
  readonly batch: number;
  readonly processes: number;
}

/** A GPU of the state or the target. */
export interface KnownGpu {
  readonly id: string;
  readonly gpu: StateGpu;
  /** The pool of the workload; undefined when there is none of that name. */
  readonly pool: Pool | undefined;
  /** Node of the GPU; a GPU without one counts as a node of its own. */
  readonly node: string;
  /** What runs on it at the start; empty for a new GPU. */
  readonly before: readonly StateInstance[];
}

/** A transition beside the state and the workload, looked up once for all checks. */
export interface TransitionFacts {
  readonly state: StateDocument;
  readonly transition: TransitionDocument;
  readonly workload: Workload;
  readonly services: ReadonlyMap<string, Service>;
  readonly gpus: ReadonlyMap<string, KnownGpu>;
  readonly graph: StepGraph;
  readonly graphViolations: readonly Violation[];
  /** The measured row of a pod. */
  findRow(pool: Pool, profile: string, pod: PodSetting): MeasuredRow | undefined;
  /** What a ready pod adds to the capacity that the floor counts; `statedRps` is used where nothing was measured. */
  capacityOf(pool: Pool | undefined, profile: string, pod: PodSetting, statedRps: number | undefined): number;
  /** min(old rate, new rate) by service of the workload, requests per second. */
  readonly floors: ReadonlyMap<string, number>;
}

/** Looks up everything a transition names. Never fails: what is missing is for the checks to tell. */
export function gatherTransitionFacts(state: StateDocument, transition: TransitionDocument, workload: Workload): TransitionFacts {
  const pools = new Map(workload.pools.map((pool) => [pool.name, pool]));
  const services = new Map(workload.services.map((service) => [service.name, service]));
  const oldRates = new Map(state.services.map(({ name, rateRps }) => [name, rateRps]));
  const { graph, violations } = readStepGraph(transition.steps);
  const rows = indexRows(workload.rows);
  const plannedLimit = createPlannedLimit();

  const findRow: TransitionFacts['findRow'] = (pool, profile, { service: name, batch, processes }) => {
    const service = services.get(name);
    return service && rows.find(service.model, pool.rowsOf, { profile, batch, processes });
  };
  const capacityOf: TransitionFacts['capacityOf'] = (pool, profile, pod, statedRps = 0) => {
    const service = services.get(pod.service);
    const measured = pool && findRow(pool, profile, pod);
    if (transition.floor === 'raw') return measured?.row.throughputRps ?? statedRps;
    const size = pool && findKnownProfile(pool, profile);
    if (service === undefined || measured === undefined || size === undefined) return 0;
    if (findBrokenRowRule(service, workload, size, measured.row) !== undefined) return 0;
    return plannedLimit(service, service.rateRps, measured, 0);
  };
  return {
    state,
    transition,
    workload,
    services,
    gpus: listGpus(state, transition, pools),
    graph,
    graphViolations: violations,
    findRow,
    capacityOf: remember(capacityOf),
    floors: new Map(workload.services.map(({ name, rateRps }) => [name, Math.min(rateRps, oldRates.get(name) ?? 0)])),
  };
}

function listGpus(state: StateDocument, transition: TransitionDocument, pools: ReadonlyMap<string, Pool>): ReadonlyMap<string, KnownGpu> {
  const gpus = new Map<string, KnownGpu>();
  const add = (gpu: StateGpu, before: readonly StateInstance[]) => {
    if (gpus.has(gpu.id)) return;
    const node = gpu.node === undefined ? `gpu ${gpu.id}` : `node ${gpu.node}`;
    gpus.set(gpu.id, { id: gpu.id, gpu, pool: pools.get(gpu.pool), node, before });
  };
  for (const gpu of state.gpus) add(gpu, gpu.instances);
  for (const gpu of transition.target.gpus) add(gpu, []);
  return gpus;
}

/** The same pods occur over and over, and a planned capacity takes a bisection. */
function remember(capacityOf: TransitionFacts['capacityOf']): TransitionFacts['capacityOf'] {
  const known = new Map<string, number>();
  return (pool, profile, pod, statedRps) => {
    const key = JSON.stringify([pool?.name, profile, pod.service, pod.batch, pod.processes, statedRps]);
    const capacity = known.get(key) ?? capacityOf(pool, profile, pod, statedRps);
    known.set(key, capacity);
    return capacity;
  };
}

/** The profile that a name means on a pool's GPU model, allowed or not. */
export function findKnownProfile(pool: Pool, name: string): MigProfile | undefined {
  const found = findProfile(pool.gpu, name);
  return found.kind === 'found' ? found.profile : undefined;
}

/** The pod on an instance of a state; a batch size or process count that is not stated is 1. */
export function podOf({ service, batch = 1, processes = 1 }: StateInstance): PodSetting | undefined {
  return service === null ? undefined : { service, batch, processes };
}

/** Whether two pods run the same in the same way. */
export function isSamePod(a: PodSetting | undefined, b: PodSetting | undefined): boolean {
  return a?.service === b?.service && a?.batch === b?.batch && a?.processes === b?.processes;
}
