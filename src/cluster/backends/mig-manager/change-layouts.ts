import type { TransitionDocument } from '../../../demand/documents/transition.js';
import type { Problem } from '../../../errors.js';
import { isIdle } from '../../decide/locate-pods.js';
import { nodeOf, type Progress, type WipeStep } from '../../decide/progress.js';
import type { ObservedPool } from '../../decide/read-hardware.js';
import type { ObservedGpu } from '../../decide/read-node.js';
import type { Write } from '../../decide/write.js';
import { annotations, nvidia } from '../../objects/names.js';
import type { LayoutScene, LayoutWork, PlanNode } from '../backend.js';
import { isCutAs, isOffered } from '../layout-steps.js';
import { changeNode, cordonNode, type NodeStep, releaseNode } from './change-node.js';
import { configName, migManagerSettings, type NodeConfig } from './config-map.js';
import type { ConfigKeeper } from './keep-configs.js';

/** Whether no change is under way on a node: mig-manager says so, and what its GPUs are cut into is offered. */
function isThrough(planNode: PlanNode): boolean {
  const { labels = {}, annotations: notes = {} } = planNode.node.object.metadata;
  const isQuiet = notes[annotations.attempt] === undefined || labels[nvidia.migState] === 'success';
  return isQuiet && (planNode.node.source === 'none' || isOffered(planNode));
}

/** What is done about the nodes of a plan, and the configs that its ConfigMaps must hold for that. */
export interface NodeWork extends Omit<LayoutWork, 'commit'> {
  readonly configs: ReadonlyMap<ObservedPool, Readonly<Record<string, NodeConfig>>>;
}

/** What the look at the cluster gives besides the plan. */
export interface Look {
  keeperOf(pool: ObservedPool): ConfigKeeper;
  readonly nowMs: number;
}

/**
 * Works on the wipes that may run: all of one node at once, in one config. Nodes without such work that still carry a cordon or
 * marks of the operator are released as soon as they offer what they are cut into.
 */
export function changeLayouts(scene: LayoutScene, { keeperOf, nowMs }: Look): NodeWork {
  const { nodes, pods, isOpen } = scene;
  const writes: Write[] = [];
  const configs = new Map<ObservedPool, Record<string, NodeConfig>>();
  const running = new Map<string, string>();
  const failures: Problem[] = [];
  const closed = new Set<string>();
  const drain = new Set<string>();
  const closing = listClosingNodes(scene);
  let againInMs = Number.POSITIVE_INFINITY;
  for (const [name, planNode] of nodes) {
    const { node, pool } = planNode;
    const wipes = listWipes(name, scene).filter((wipe) => !node.gpus.some((gpu) => gpu.id === wipe.gpu && isCutAs(gpu, wipe)));
    const keeper = keeperOf(pool);
    const current = nodeConfig(node.gpus, pool.names);
    if (wipes.length === 0 || pool.model?.profiles.length === 0) {
      if (isThrough(planNode) && !closing.has(name)) writes.push(...releaseNode(node.object, node.cordon));
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
  const unclosed = new Set([...closing].filter((name) => isToBeClosed(nodes.get(name))));
  const cordons = [...unclosed].flatMap((name): Write[] => {
    const found = nodes.get(name);
    return found !== undefined && isOpen(found.pool) ? [cordonNode(found.node.object, 'after its pods have gone')] : [];
  });
  return { writes: [...cordons, ...writes], configs, running, failures, againInMs, drain, closed, closedSlices: new Set(), unclosed };
}

const isToBeClosed = (found: PlanNode | undefined): boolean => found?.node.cordon === 'no' && found.node.usable;

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

/** Nodes that are closed before the pods that leave them for a wipe are stopped, so that nobody else takes the room. */
function listClosingNodes({ transition, progress, nodes }: LayoutScene): ReadonlySet<string> {
  const gpus = listClosingGpus(transition, progress);
  const leaving = progress.slots.filter(
    ({ want, pod, gpu, node }) => want === 'leave' && pod !== undefined && gpus.has(gpu) && nodes.has(node),
  );
  return new Set(leaving.map(({ node }) => node));
}

/** GPUs for whose wipe no pod has to be started on their node before. */
function listClosingGpus({ steps }: TransitionDocument, { done }: Progress): ReadonlySet<string> {
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
