import type { StateDocument } from '../demand/documents/state.js';
import type { OperatingPoint } from '../demand/operating-point.js';
import type { PointFinder } from '../demand/operating-points.js';
import { rowLoad } from '../demand/row-rules.js';
import type { Service, Workload } from '../demand/workload.js';

/** Pods that can stand in for each other: same service, size, batch and processes. */
export interface PodType {
  /** Name of the service. */
  readonly name: string;
  /** Index into the workload's services; -1 when the workload does not have the service. */
  readonly service: number;
  /** Index into the workload's sizes; -1 when its pool does not offer the profile. */
  readonly size: number;
  readonly batch: number;
  readonly processes: number;
  /** Measured throughput, requests per second; 0 when unknown. */
  readonly rps: number;
  /** How the new demand may use such a pod; absent when it may not. */
  readonly point?: OperatingPoint;
}

/** What is known of a pod that runs. */
export interface RunningPod {
  readonly service: string;
  readonly profile: string;
  readonly batch?: number | undefined;
  readonly processes?: number | undefined;
  readonly capacityRps?: number | undefined;
}

/** The pod types of a state, each with what its pods deliver and whether the new demand can use them. */
export class PodTypes {
  readonly list: PodType[] = [];
  readonly #workload: Workload;
  readonly #finder: PointFinder;
  readonly #known = new Map<string, number>();
  readonly #serviceIndex: ReadonlyMap<string, number>;
  readonly #oldModel: ReadonlyMap<string, string>;

  constructor(state: StateDocument, workload: Workload, finder: PointFinder) {
    this.#workload = workload;
    this.#finder = finder;
    this.#serviceIndex = new Map(workload.services.map(({ name }, i) => [name, i]));
    this.#oldModel = new Map(state.services.map(({ name, model }) => [name, model]));
  }

  /** Index of a size of the workload; -1 when the pool does not offer the profile. */
  sizeOf(pool: number, profile: string): number {
    const profiles = this.#workload.pools[pool]?.profiles ?? [];
    return this.#finder.index.sizes.findIndex((size) => size.pool === pool && profiles[size.profile]?.name === profile);
  }

  /** Index of the type of a pod, which is added when it is new. */
  indexOf(pool: number, size: number, pod: RunningPod): number {
    const batch = pod.batch ?? 1;
    const processes = pod.processes ?? 1;
    const key = JSON.stringify([pod.service, pool, pod.profile, batch, processes, size < 0 ? pod.capacityRps : undefined]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const service = this.#serviceIndex.get(pod.service) ?? -1;
    const row = this.#findRow(pool, pod, batch, processes);
    const point = service < 0 || size < 0 ? undefined : this.#findPoint(service, size, pod.service, batch, processes);
    const rps = row?.throughputRps ?? pod.capacityRps ?? 0;
    this.list.push({ name: pod.service, service, size, batch, processes, rps, ...(point && { point }) });
    this.#known.set(key, this.list.length - 1);
    return this.list.length - 1;
  }

  #findRow(pool: number, pod: RunningPod, batch: number, processes: number): Workload['rows'][number] | undefined {
    const model = this.#oldModel.get(pod.service);
    const gpu = this.#workload.pools[pool]?.rowsOf;
    return this.#workload.rows.find(
      (row) => row.model === model && row.gpu === gpu && row.profile === pod.profile && row.batch === batch && row.processes === processes,
    );
  }

  /** A pod serves the new demand only with the model that the demand names. */
  #findPoint(service: number, size: number, name: string, batch: number, processes: number): OperatingPoint | undefined {
    const wanted = this.#workload.services[service] as Service;
    return wanted.model === this.#oldModel.get(name) ? findUsablePoint(this.#finder, wanted, size, batch, processes) : undefined;
  }
}

/** How a service may use the row of a batch size and a number of processes on a size; undefined when its rules forbid it. */
export function findUsablePoint(
  finder: PointFinder,
  service: Service,
  size: number,
  batch: number,
  processes: number,
): OperatingPoint | undefined {
  const rows = finder.index.models.get(service.model);
  if (service.rateRps === 0 || rows === undefined || finder.allowedSizes(service)[size] !== true) return undefined;
  for (let r = rows.starts[size] as number; r < (rows.starts[size + 1] as number); r++) {
    if (rows.batch[r] !== batch || rows.processes[r] !== processes) continue;
    const row = rows.rows[r] as OperatingPoint['row'];
    const maxLoad = rowLoad(finder.rulesOf(service, service.rateRps), rows, r, finder.index.sizeMemoryGiB[size] as number);
    if (maxLoad <= 0) return undefined;
    const singleMs = rows.singleMs[r] as number;
    const plannedRps = maxLoad * row.throughputRps;
    return Number.isNaN(singleMs) ? { row, maxLoad, plannedRps } : { row, singleMs, maxLoad, plannedRps };
  }
  return undefined;
}
