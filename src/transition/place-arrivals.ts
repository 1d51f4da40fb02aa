/** A place that a pod can take. */
export interface FreePlace {
  readonly size: number;
  /** Tells GPUs apart. */
  readonly gpu: unknown;
  /** The service that needs the place for replicas on different GPUs. */
  readonly home?: number | undefined;
}

/** Counts, per GPU and service, the pods that the target has there, so that replicas can be kept apart. */
export class ReplicaCount {
  readonly #counts = new Map<unknown, Map<number, number>>();

  add(gpu: unknown, service: number): void {
    const own = this.#counts.get(gpu) ?? new Map<number, number>();
    own.set(service, (own.get(service) ?? 0) + 1);
    this.#counts.set(gpu, own);
  }

  has(gpu: unknown, service: number): boolean {
    return (this.#counts.get(gpu)?.get(service) ?? 0) > 0;
  }

  /** GPUs with a pod of the service. */
  gpusOf(service: number): number {
    let gpus = 0;
    for (const own of this.#counts.values()) if (own.has(service)) gpus++;
    return gpus;
  }
}

/**
 * The place for a pod of a service among those of its size: on a GPU without the service, its own before those that nobody needs; else
 * one that nobody needs, else any.
 */
export function choosePlace<P extends FreePlace>(
  places: readonly P[],
  size: number,
  service: number,
  replicas: ReplicaCount,
): P | undefined {
  const fitting = places.filter((place) => place.size === size);
  const isNew = ({ gpu }: P): boolean => !replicas.has(gpu, service);
  const isFree = ({ home }: P): boolean => home === undefined;
  return (
    fitting.find((place) => isNew(place) && place.home === service) ??
    fitting.find((place) => isNew(place) && isFree(place)) ??
    fitting.find(isFree) ??
    fitting.find(isNew) ??
    fitting[0]
  );
}
