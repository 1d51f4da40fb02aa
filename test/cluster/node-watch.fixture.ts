import { readConfigs } from '../../src/cluster/backends/mig-manager/config-map.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import type { ConfigMap, KubeObject, Node, Pod } from '../../src/cluster/client/object-types.js';
import { configMaps, nodes, pods, type Resource } from '../../src/cluster/client/resources.js';
import { nodeStates } from '../../src/cluster/objects/kinds.js';
import { annotations, cordonOwner, labels, nvidia, resourceOfProfile } from '../../src/cluster/objects/names.js';
import type { NodeState } from '../../src/cluster/objects/node-state.js';
import { eventually } from './cluster.fixture.js';
import { followEvents } from './follow-events.fixture.js';

/** What happened, in the order in which the API server stored it. */
export interface NodeHistory {
  /** Sentences about layouts that were asked for too early, and nodes that were opened too early. */
  readonly breaches: readonly string[];
  /**
   * By node: `cordoned`, `told CONFIG`, what mig-manager says, `offers RESOURCE:COUNT …`, `opened`, and of own pods there
   * `SERVICE leaves` and `SERVICE is gone`.
   */
  timeline(node: string): readonly string[];
}

/** An onlooker that knows nothing of plans: it writes down nodes, agents' reports, pods and the ConfigMap of mig-manager. */
export interface NodeWatcher {
  /** Everything up to now. */
  history(): Promise<NodeHistory>;
  stop(): void;
}

type Kind = 'node' | 'report' | 'pod' | 'map';
type Entry = { readonly version: number; readonly isGone: boolean } & (
  | { readonly kind: 'node'; readonly object: Node }
  | { readonly kind: 'report'; readonly object: NodeState }
  | { readonly kind: 'pod'; readonly object: Pod }
  | { readonly kind: 'map'; readonly object: ConfigMap }
);

const keyOf = ({ namespace = '', name }: KubeObject['metadata']) => `${namespace}/${name}`;
const versionOf = ({ metadata }: KubeObject) => Number(metadata.resourceVersion);

/** Watches from one listing on, so that no event is missed. */
export async function watchNodes(api: KubernetesApi): Promise<NodeWatcher> {
  const stopping = new AbortController();
  const entries: Entry[] = [];
  const kinds: readonly [Kind, Resource, string?][] = [
    ['node', nodes],
    ['report', nodeStates],
    ['pod', pods],
    ['map', configMaps, 'gpu-operator'],
  ];
  const add = (kind: Kind, object: KubeObject, isGone: boolean) =>
    void entries.push({ kind, object, isGone, version: versionOf(object) } as Entry);
  for (const [kind, resource, namespace] of kinds)
    await followEvents(api, resource, { namespace, signal: stopping.signal }, (object, isGone) => add(kind, object, isGone));
  return {
    async history() {
      for (const [kind, resource, namespace] of kinds) {
        const { items } = await api.list(resource, { namespace });
        await eventually(`the onlooker has seen every ${kind}`, () => {
          const seen = new Map<string, number>();
          for (const { object, version, ...entry } of entries) if (entry.kind === kind) seen.set(keyOf(object.metadata), version);
          return items.every((item) => (seen.get(keyOf(item.metadata)) ?? 0) >= versionOf(item));
        });
      }
      return replay(entries.toSorted((a, b) => a.version - b.version));
    },
    stop: () => stopping.abort(),
  };
}

/** Versions are of one store: they order objects of all kinds. */
function replay(entries: readonly Entry[]): NodeHistory {
  const breaches: string[] = [];
  const lines = new Map<string, string[]>();
  const say = (node: string, line: string) => void lines.set(node, [...(lines.get(node) ?? []), line]);
  const known = { node: new Map<string, Node>(), report: new Map<string, NodeState>(), pod: new Map<string, Pod>() };
  let map: ConfigMap | undefined;
  for (const entry of entries) {
    const { object, isGone } = entry;
    const key = keyOf(object.metadata);
    if (entry.kind === 'map') map = entry.object;
    else if (entry.kind === 'report') put(known.report, key, entry.object, isGone);
    else if (entry.kind === 'pod') {
      const { metadata, spec } = entry.object;
      const service = metadata.labels?.[labels.service];
      const before = known.pod.get(key);
      const isNews = metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;
      if (service !== undefined && spec.nodeName !== undefined && isNews) say(spec.nodeName, `${service} leaves`);
      if (service !== undefined && spec.nodeName !== undefined && isGone) say(spec.nodeName, `${service} is gone`);
      put(known.pod, key, entry.object, isGone);
    } else {
      const before = known.node.get(key);
      const { name } = entry.object.metadata;
      if (before !== undefined && !isGone) {
        const report = known.report.get(key);
        for (const line of changesOf(before, entry.object)) say(name, line);
        const fault = judge({ before, now: entry.object, report, pods: [...known.pod.values()], map });
        breaches.push(...fault.map((sentence) => `${name}: ${sentence} (version ${entry.version})`));
      }
      put(known.node, key, entry.object, isGone);
    }
  }
  return { breaches, timeline: (node) => lines.get(node) ?? [] };
}

function put<T>(into: Map<string, T>, key: string, object: T, isGone: boolean): void {
  if (isGone) into.delete(key);
  else into.set(key, object);
}

const configOf = ({ metadata }: Node) => metadata.labels?.[nvidia.migConfig];
const stateOf = ({ metadata }: Node) => metadata.labels?.[nvidia.migState];
const isClosed = ({ spec }: Node) => spec?.unschedulable === true;

function offerOf({ status }: Node): string {
  const own = Object.entries(status?.allocatable ?? {}).filter(([name, count]) => name.startsWith('nvidia.com/') && count !== '0');
  return own
    .map(([name, count]) => `${name}:${count}`)
    .sort()
    .join(' ');
}

function changesOf(before: Node, now: Node): string[] {
  return [
    ...(!isClosed(before) && isClosed(now) ? ['cordoned'] : []),
    ...(configOf(before) === configOf(now) ? [] : [`told ${configOf(now) ?? 'nothing'}`]),
    ...(stateOf(before) === stateOf(now) || stateOf(now) === undefined ? [] : [stateOf(now) ?? '']),
    ...(offerOf(before) === offerOf(now) ? [] : [`offers ${offerOf(now)}`]),
    ...(isClosed(before) && !isClosed(now) ? ['opened'] : []),
  ];
}

interface Moment {
  readonly before: Node;
  readonly now: Node;
  readonly report: NodeState | undefined;
  readonly pods: readonly Pod[];
  readonly map: ConfigMap | undefined;
}

/** A layout may be asked for when the node is closed and the GPUs to be wiped are free; a node may be opened when it offers what it has. */
function judge({ before, now, report, pods: all, map }: Moment): string[] {
  const there = all.filter(({ spec, status }) => spec.nodeName === now.metadata.name && isOnGpu(spec) && !isOver(status?.phase));
  const config = configOf(now) ?? '';
  const breaches: string[] = [];
  if (config !== (configOf(before) ?? '')) {
    if (!isClosed(before)) breaches.push(`was told ${config} before it was cordoned`);
    const entries = readConfigs(map)[config];
    if (entries === undefined) breaches.push(`was told ${config}, which the ConfigMap does not have`);
    const seen = new Set<string>();
    for (const gpu of report?.spec.gpus ?? []) {
      const entry = entries?.find(({ devices }) => devices === 'all' || devices.includes(gpu.index));
      const isWiped = gpu.migEnabled !== entry?.['mig-enabled'] || !sameCounts(countOf(gpu.instances), entry['mig-devices'] ?? {});
      for (const { pod } of [gpu, ...gpu.instances]) {
        const holder = there.find(({ metadata }) => metadata.name === pod?.name && metadata.namespace === pod.namespace);
        if (holder === undefined) continue;
        seen.add(holder.metadata.uid ?? '');
        if (isWiped) breaches.push(`was told ${config} while ${holder.metadata.name} holds a slice of GPU ${gpu.index}`);
      }
    }
    for (const { metadata } of there) {
      if (!seen.has(metadata.uid ?? '')) breaches.push(`was told ${config} while nobody knows where ${metadata.name} sits`);
    }
  }
  const isOpened = isClosed(before) && !isClosed(now) && before.metadata.annotations?.[annotations.cordonedBy] === cordonOwner;
  if (isOpened && report !== undefined && offerOf(now) !== promiseOf(report))
    breaches.push(`was opened although it offers ${offerOf(now)} and is cut into ${promiseOf(report)}`);
  return breaches;
}

const isOver = (phase: string | undefined) => phase === 'Failed' || phase === 'Succeeded';

function isOnGpu({ containers }: Pod['spec']): boolean {
  return containers.some(({ resources }) => Object.keys(resources?.limits ?? {}).some((name) => name.startsWith('nvidia.com/')));
}

function countOf(instances: readonly { readonly profile: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { profile } of instances) counts[profile] = (counts[profile] ?? 0) + 1;
  return counts;
}

function sameCounts(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): boolean {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => (one[name] ?? 0) === (other[name] ?? 0));
}

/** What a node offers whose GPUs are cut as reported. */
function promiseOf({ spec }: NodeState): string {
  const counts = countOf(spec.gpus.flatMap(({ migEnabled, instances }) => (migEnabled ? instances : [{ profile: 'full' }])));
  return Object.entries(counts)
    .map(([profile, count]) => `${resourceOfProfile(profile)}:${count}`)
    .sort()
    .join(' ');
}
