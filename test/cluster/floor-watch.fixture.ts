import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import type { Deployment, Pod } from '../../src/cluster/client/object-types.js';
import { deployments, pods } from '../../src/cluster/client/resources.js';
import { annotations, labels } from '../../src/cluster/objects/names.js';
import { followEvents } from './follow-events.fixture.js';

type Rates = Readonly<Record<string, number>>;

/** An onlooker that knows nothing of plans: it adds up the ready pods at every event. */
export interface FloorWatcher {
  /** Sentences about every moment below a floor. */
  readonly breaches: string[];
  /** Events seen. */
  events(): number;
  /** From now on services must deliver this, by name. */
  guard(floorRps: Rates): void;
  /** From now on services must deliver what is left of this when such pods are taken away by somebody else. */
  guardWithout(floorRps: Rates, isTaken: (pod: Pod) => boolean): void;
  stop(): void;
}

/** Watches pods by a connection of its own, from one resourceVersion on, so that it misses no event. */
export async function watchFloors(api: KubernetesApi, namespace: string): Promise<FloorWatcher> {
  const stopping = new AbortController();
  const breaches: string[] = [];
  let floors: Rates = {};
  let events = 0;
  const known = new Map<string, Pod>();
  const capacityOf = new Map<string, number>();
  const typeOf = ({ metadata: { labels: own = {} } }: Pod) =>
    Object.entries(own)
      .filter(([key]) => key.startsWith('inlay.dev/') && key !== annotations.content)
      .sort()
      .join(' ');
  const learn = async () => {
    for (const { spec, metadata } of (await api.list(deployments, { namespace })).items as readonly Deployment[]) {
      const template = { metadata: { name: '', ...spec.template.metadata }, spec: spec.template.spec };
      capacityOf.set(typeOf(template), Number(metadata.annotations?.[annotations.capacityRps]));
    }
  };
  const readyOf = (service: string, isTaken: (pod: Pod) => boolean = () => false) => {
    let ready = 0;
    for (const pod of known.values()) {
      if (pod.metadata.labels?.[labels.service] !== service || pod.metadata.deletionTimestamp !== undefined || isTaken(pod)) continue;
      if (pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') !== true) continue;
      // A type first seen after its Deployment was listed: counted as nothing until it is known.
      ready += capacityOf.get(typeOf(pod)) ?? 0;
    }
    return ready;
  };
  const check = (what: string) => {
    for (const [service, floor] of Object.entries(floors)) {
      const ready = readyOf(service);
      if (ready < floor * (1 - 1e-9)) breaches.push(`${service}: ${ready} of ${floor} rps after ${what}`);
    }
  };
  await learn();
  const queue: { readonly object: Pod; readonly isGone: boolean }[] = [];
  await followEvents(api, pods, { namespace, signal: stopping.signal }, (object, isGone) => void queue.push({ object, isGone }));
  for (const { object } of queue.splice(0)) known.set(object.metadata.name, object);
  const judge = async () => {
    while (!stopping.signal.aborted) {
      const event = queue.shift();
      if (event === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      const { object, isGone } = event;
      events++;
      while (!capacityOf.has(typeOf(object)) && !isGone) {
        const isLearned = await learn().then(
          () => true,
          () => false,
        );
        if (isLearned) break;
        // The API server is away: this moment is judged when it is back.
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      if (isGone) known.delete(object.metadata.name);
      else known.set(object.metadata.name, object);
      check(`${isGone ? 'the end' : 'a change'} of ${object.metadata.name}`);
    }
  };
  void judge();
  return {
    breaches,
    events: () => events,
    guard(next) {
      floors = next;
    },
    guardWithout(next, isTaken) {
      floors = Object.fromEntries(Object.entries(next).map(([service, floor]) => [service, Math.min(floor, readyOf(service, isTaken))]));
    },
    stop: () => stopping.abort(),
  };
}
