import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { Problem } from '../../errors.js';
import { changeNode, type NodeStep, releaseNode } from '../backends/mig-manager/change-node.js';
import { configName, migManagerSettings, type NodeConfig } from '../backends/mig-manager/config-map.js';
import type { ConfigKeeper } from '../backends/mig-manager/keep-configs.js';
import { annotations, nvidia } from '../objects/names.js';
import { isIdle, type Pods } from './locate-pods.js';
import { nodeOf, type Progress, type WipeStep } from './progress.js';
import type { ObservedPool } from './read-hardware.js';
import { countResources, type ObservedGpu, type ObservedNode, offeredResources } from './read-node.js';
import type { Write } from './write.js';

/** A node of a plan with the pool it is of. */
export interface PlanNode {
  readonly node: ObservedNode;
  readonly pool: ObservedPool;
}

/** Whether a GPU is cut as a wipe says. An empty layout releases the GPU: nothing needs to be cut for that. */
export function isWiped(step: WipeStep, nodes: ReadonlyMap<string, PlanNode>): boolean {
  if (step.layout.length === 0) return true;
  const found = nodes.get(nodeOf(step.gpu));
  const gpu = found?.node.gpus.find(({ id }) => id === step.gpu);
  if (found === undefined || gpu === undefined) return false;
  return (
    isCutAs(gpu, step) &&
    isOffered(found) &&
    found.node.cordon !== 'own' &&
    found.node.object.metadata.annotations?.[annotations.attempt] === undefined
  );
}

/** Whether a GPU has just the instances of a wipe, wherever they sit. */
export function isCutAs({ migEnabled, instances }: Pick<ObservedGpu, 'migEnabled' | 'instances'>, { layout }: WipeStep): boolean {
  const wanted = layout.map(({ profile }) => profile).sort();
  if (wanted.length === 1 && wanted[0] === 'full') return !migEnabled;
  const has = instances.map(({ profile }) => profile).sort();
  return migEnabled && wanted.join() === has.join();
}

/** Whether a node offers what its GPUs are cut into. */
function isOffered({ node, pool }: PlanNode): boolean {
  const [expected, offered] = [countResources(node.gpus, pool.names), offeredResources(node.object)];
  return expected.size === offered.size && [...expected].every(([name, count]) => offered.get(name) === count);
}

/** Whether no change is under way on a node: mig-manager says so, and what its GPUs are cut into is offered. */
function isThrough(planNode: PlanNode): boolean {
  const { labels = {}, annotations: notes = {} } = planNode.node.object.metadata;
  const isQuiet = notes[annotations.attempt] === undefined || labels[nvidia.migState] === 'success';
  return isQuiet && (planNode.node.source === 'none' || isOffered(planNode));
}

/** What is done about the nodes whose GPUs are to be cut anew. */
export interface LayoutWork {
  readonly writes: readonly Write[];
  readonly configs: ReadonlyMap<ObservedPool, Readonly<Record<string, NodeConfig>>>;
  /** Ids of wipes under way, with what each waits for. */
  readonly running: ReadonlyMap<string, string>;
  readonly failures: readonly Problem[];
  readonly againInMs: number;
  /** Nodes without an agent that must be emptied as a whole before they can change. */
  readonly drain: ReadonlySet<string>;
  /** Nodes on which nothing may be started meanwhile. */
  readonly closed: ReadonlySet<string>;
}

/** What the work on layouts needs to know. */
export interface LayoutScene {
  readonly transition: TransitionDocument;
  readonly progress: Progress;
  readonly nodes: ReadonlyMap<string, PlanNode>;
  readonly pods: Pods;
  keeperOf(pool: ObservedPool): ConfigKeeper;
  /** Nodes that were closed ahead of a wipe and stay closed. */
  readonly closing: ReadonlySet<string>;
  /** Whether a pool may be changed now (maintenance windows). */
  isOpen(pool: ObservedPool): boolean;
  readonly nowMs: number;
}

/**
 * Works on the wipes that may run: all of one node at once, in one config. Nodes without such work that still carry a cordon or
 * marks of the operator are released as soon as they offer what they are cut into.
 */
export function changeLayouts(scene: LayoutScene): LayoutWork {
  const { nodes, pods, nowMs, keeperOf, isOpen } = scene;
  const writes: Write[] = [];
  const configs = new Map<ObservedPool, Record<string, NodeConfig>>();
  const running = new Map<string, string>();
  const failures: Problem[] = [];
  const closed = new Set<string>();
  const drain = new Set<string>();
  let againInMs = Number.POSITIVE_INFINITY;
  for (const [name, planNode] of nodes) {
    const { node, pool } = planNode;
    const wipes = listWipes(name, scene).filter((wipe) => !node.gpus.some((gpu) => gpu.id === wipe.gpu && isCutAs(gpu, wipe)));
    const keeper = keeperOf(pool);
    const current = nodeConfig(node.gpus, pool.names);
    if (wipes.length === 0 || pool.pool.spec.backend === 'manual' || pool.model?.profiles.length === 0) {
      if (isThrough(planNode) && !scene.closing.has(name)) writes.push(...releaseNode(node.object, node.cordon));
      else if (node.cordon === 'own') closed.add(name);
      const label = node.object.metadata.labels?.[nvidia.migConfig] ?? '';
      // What a node was told to be stays in the ConfigMap, whoever edits it.
      if (isThrough(planNode) && node.source === 'agent' && label.startsWith(configName(current)))
        configs.set(pool, { ...configs.get(pool), [label]: current });
      for (const wipe of wipes) running.set(wipe.id, `GPU ${wipe.gpu} to be cut by hand`);
      continue;
    }
    const step = isOpen(pool)
      ? changeNode({
          node: node.object,
          cordon: node.cordon,
          wanted: nodeConfig(cutAs(node.gpus, wipes), pool.names),
          current,
          idle: wipes.every(({ gpu }) => isIdle(gpu, node, pods)),
          settings: migManagerSettings(pool.pool),
          writtenAt: keeper.writtenAt,
          nowMs,
        })
      : ({ writes: [], configs: {}, waitsFor: 'a maintenance window' } satisfies NodeStep);
    writes.push(...step.writes);
    configs.set(pool, { ...configs.get(pool), ...step.configs });
    for (const wipe of wipes) running.set(wipe.id, step.waitsFor);
    if (step.failure !== undefined) failures.push(step.failure);
    else {
      closed.add(name);
      const isUnderWay = node.object.metadata.annotations?.[annotations.attempt] !== undefined;
      if (node.source !== 'agent' && node.cordon === 'own' && !isUnderWay && isOpen(pool)) drain.add(name);
    }
    if (step.againInMs !== undefined) againInMs = Math.min(againInMs, step.againInMs);
  }
  return { writes, configs, running, failures, againInMs, drain, closed };
}

/** The wipes of a node that may run, and those that wait for nothing but them. */
function listWipes(node: string, { transition, progress }: LayoutScene): WipeStep[] {
  const chosen = new Set<string>();
  const wipes: WipeStep[] = [];
  for (const step of transition.steps) {
    if (step.kind !== 'wipe-gpu' || step.layout.length === 0 || nodeOf(step.gpu) !== node || progress.done.has(step.id)) continue;
    if (!step.after.every((id) => progress.done.has(id) || chosen.has(id))) continue;
    if (wipes.some(({ gpu }) => gpu === step.gpu)) continue;
    chosen.add(step.id);
    wipes.push(step);
  }
  return wipes;
}

function cutAs(gpus: readonly ObservedGpu[], wipes: readonly WipeStep[]): Pick<ObservedGpu, 'index' | 'migEnabled' | 'instances'>[] {
  return gpus.map((gpu) => {
    const wipe = wipes.find(({ gpu: id }) => id === gpu.id);
    if (wipe === undefined) return gpu;
    const isFull = wipe.layout.some(({ profile }) => profile === 'full');
    return { index: gpu.index, migEnabled: !isFull, instances: isFull ? [] : wipe.layout };
  });
}

/** How each GPU is cut, in the driver's names, by index. */
function nodeConfig(
  gpus: readonly Pick<ObservedGpu, 'index' | 'migEnabled' | 'instances'>[],
  names: ReadonlyMap<string, string>,
): NodeConfig {
  const config: (Record<string, number> | undefined)[] = [];
  for (const { index, migEnabled, instances } of gpus) {
    while (config.length <= index) config.push(undefined);
    if (!migEnabled) continue;
    const counts: Record<string, number> = {};
    for (const { profile } of instances) {
      const name = names.get(profile) ?? profile;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    config[index] = counts;
  }
  return config;
}

/**
 * GPUs whose node is closed before pods on them are stopped for a wipe, so that nobody else takes the room: those for whose
 * wipe no pod has to be started on that node before.
 */
export function listClosingGpus({ steps }: TransitionDocument, { done }: Progress): ReadonlySet<string> {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const closing = new Set<string>();
  for (const wipe of steps) {
    if (wipe.kind !== 'wipe-gpu' || wipe.layout.length === 0 || done.has(wipe.id)) continue;
    const node = nodeOf(wipe.gpu);
    const seen = new Set<string>();
    const waits = [...wipe.after];
    let isFree = true;
    for (let id = waits.pop(); id !== undefined && isFree; id = waits.pop()) {
      const step = byId.get(id);
      if (step === undefined || done.has(id) || seen.has(id)) continue;
      seen.add(id);
      if (step.kind === 'start-pod' && nodeOf(step.gpu) === node) isFree = false;
      waits.push(...step.after);
    }
    if (isFree) closing.add(wipe.gpu);
  }
  return closing;
}
