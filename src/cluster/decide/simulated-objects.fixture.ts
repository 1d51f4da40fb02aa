import { builtInCatalogue } from '../../gpu/catalogue.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import { findProfile } from '../../gpu/find-profile.js';
import { placeOnGpu } from '../../gpu/placement.js';
import { devicePlugin } from '../backends/device-plugin.js';
import type { Deployment, Node, Pod } from '../client/object-types.js';
import { annotations, labels, nvidia, resourceOfProfile } from '../objects/names.js';
import type { NodeState } from '../objects/node-state.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { isReady } from './simulated-store.fixture.js';

/** What nodes are: value of their label `pool`, and product. */
export interface NodeKind {
  readonly pool: string;
  readonly product: string;
}

export const a100: NodeKind = { pool: 'a100', product: 'NVIDIA A100-SXM4-80GB' };

type ReportedInstance = NodeState['spec']['gpus'][number]['instances'][number];

/** Instances as a driver creates them: where there is room for all. Their uuids begin with `uuid`. */
export function placeInstances(product: string, profiles: readonly string[], uuid: string): ReportedInstance[] {
  const found = findGpuModel(builtInCatalogue, product);
  if (found.kind !== 'found') throw new RangeError(`no such GPU: ${product}`);
  const wanted = profiles.map((name) => {
    const profile = findProfile(found.model, name);
    if (profile.kind !== 'found') throw new RangeError(`no such profile: ${name}`);
    return { name, profile: profile.profile };
  });
  const placed = placeOnGpu(
    found.model,
    wanted.map(({ profile }) => profile),
  );
  if (placed.kind !== 'placed') throw new RangeError(placed.reason);
  return placed.layout.map(({ profile, start }) => {
    const [one] = wanted.splice(
      wanted.findIndex((other) => other.profile.name === profile.name),
      1,
    );
    return { profile: one?.name ?? profile.name, start, uuid: `${uuid}-${start}` };
  });
}

/** What a ReplicaSet drops first: unscheduled pods, then unready ones, then those marked as cheap. */
export function byWorth(a: Pod, b: Pod): number {
  const cost = (pod: Pod) => Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
  const scheduled = (pod: Pod) => Number(pod.spec.nodeName !== undefined);
  return scheduled(a) - scheduled(b) || Number(isReady(a)) - Number(isReady(b)) || cost(a) - cost(b);
}

export function offer({ spec }: NodeState): Record<string, string> {
  const counts: Record<string, number> = {};
  for (const { migEnabled, instances } of spec.gpus) {
    if (!migEnabled) counts[nvidia.gpuResource] = (counts[nvidia.gpuResource] ?? 0) + 1;
    for (const { profile } of instances) counts[resourceOfProfile(profile)] = (counts[resourceOfProfile(profile)] ?? 0) + 1;
  }
  return Object.fromEntries(
    Object.entries(counts)
      .sort()
      .map(([name, count]) => [name, String(count)]),
  );
}

export function resourceOf(pod: Pod): string {
  return devicePlugin.isAskedBy(pod)
    ? (Object.keys(pod.spec.containers.find(({ name }) => name === 'server')?.resources?.limits ?? {}).find((one) =>
        one.startsWith('nvidia.com/'),
      ) ?? '')
    : '';
}

export function isSelected({ spec }: Pod, { metadata }: Node): boolean {
  return Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => metadata.labels?.[key] === value);
}

export function isOf({ spec, metadata }: Deployment, pod: Pod): boolean {
  const wanted = Object.entries(spec.selector.matchLabels ?? {});
  return pod.metadata.namespace === metadata.namespace && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/** The ready throughput of every service, as an onlooker sees it who knows nothing of plans. */
export function readyThroughput(view: ClusterView): ReadonlyMap<string, number> {
  const ready = new Map<string, number>();
  for (const pod of view.pods) {
    if (!isReady(pod) || pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === 'Failed') continue;
    const deployment = view.deployments.find((one) => isOf(one, pod));
    const rps = Number(deployment?.metadata.annotations?.[annotations.capacityRps] ?? 0);
    const key = `${pod.metadata.namespace}.${pod.metadata.labels?.[labels.workload]}.${pod.metadata.labels?.[labels.service]}`;
    ready.set(key, (ready.get(key) ?? 0) + rps);
  }
  return ready;
}
