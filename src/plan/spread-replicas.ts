import type { DealtGpu, Slot } from './deal-instances.js';

/**
 * Brings each service with `minCount` ≥ 2 onto that many different GPUs by exchanging equal slots (which changes no
 * count and no capacity), and returns the services for which no exchange was found. Nothing a service already has is
 * lost: the other side of an exchange keeps its own number of GPUs above its need.
 */
export function spreadReplicas(gpus: readonly DealtGpu[], minCount: Int32Array): number[] {
  const wanting = [...minCount.keys()].filter((i) => (minCount[i] as number) > 1);
  if (wanting.length === 0) return [];
  const fleet = new Fleet(gpus, minCount);
  wanting.sort((a, b) => (minCount[b] as number) - (minCount[a] as number) || a - b);
  let crowded = wanting.filter((i) => !fleet.spread(i));
  // A later service may have made room for an earlier one.
  if (crowded.length > 0) crowded = crowded.filter((i) => !fleet.spread(i));
  return crowded;
}

class Fleet {
  readonly #gpus: readonly DealtGpu[];
  readonly #minCount: Int32Array;
  /** GPUs of each service with its number of instances there. */
  readonly #homes = new Map<number, Map<number, number>>();

  constructor(gpus: readonly DealtGpu[], minCount: Int32Array) {
    this.#gpus = gpus;
    this.#minCount = minCount;
    for (const [at, gpu] of gpus.entries()) for (const { service } of gpu.slots) this.#add(service, at, 1);
  }

  spread(service: number): boolean {
    while (this.#homesOf(service).size < (this.#minCount[service] as number)) {
      if (!this.#exchangeOne(service)) return false;
    }
    return true;
  }

  #exchangeOne(service: number): boolean {
    const homes = this.#homesOf(service);
    const doubled = [...homes].filter(([, count]) => count > 1).map(([at]) => at);
    for (const from of doubled) {
      for (const slot of (this.#gpus[from] as DealtGpu).slots) {
        if (slot.service === service && this.#exchangeSlot(service, from, slot)) return true;
      }
    }
    return false;
  }

  #exchangeSlot(service: number, from: number, slot: Slot): boolean {
    for (const [to, gpu] of this.#gpus.entries()) {
      if (this.#homesOf(service).has(to)) continue;
      const other = gpu.slots.find((candidate) => candidate.size === slot.size && this.#mayMove(candidate.service, to, from));
      if (other === undefined) continue;
      this.#add(other.service, to, -1);
      this.#add(other.service, from, 1);
      this.#add(service, from, -1);
      this.#add(service, to, 1);
      slot.service = other.service;
      other.service = service;
      return true;
    }
    return false;
  }

  #mayMove(service: number, from: number, to: number): boolean {
    if (service < 0 || (this.#minCount[service] as number) <= 1) return true;
    const homes = this.#homesOf(service);
    const after = homes.size - (homes.get(from) === 1 ? 1 : 0) + (homes.has(to) ? 0 : 1);
    return after >= Math.min(homes.size, this.#minCount[service] as number);
  }

  #homesOf(service: number): Map<number, number> {
    let homes = this.#homes.get(service);
    if (homes === undefined) {
      homes = new Map();
      this.#homes.set(service, homes);
    }
    return homes;
  }

  #add(service: number, at: number, change: number): void {
    if (service < 0) return;
    const homes = this.#homesOf(service);
    const count = (homes.get(at) ?? 0) + change;
    if (count === 0) homes.delete(at);
    else homes.set(at, count);
  }
}
