import type { PlanNode } from '../backends/backend.js';
import { exists } from './build-state.js';
import type { Pods } from './locate-pods.js';
import { nodeOf, type Progress } from './progress.js';

/**
 * Whether a GPU lacks an instance that the plan has a pod on, or a pod sits where an instance is to go while the plan believes it
 * elsewhere. Nodes in the middle of a change are not judged.
 */
export function hasDrifted(progress: Progress, nodes: ReadonlyMap<string, PlanNode>, pods: Pods): boolean {
  return lacksInstances(progress, nodes) || isInTheWay(progress, nodes, pods);
}

function lacksInstances({ slots }: Progress, nodes: ReadonlyMap<string, PlanNode>): boolean {
  const needed = new Map<string, number>();
  for (const { gpu, profile } of slots) needed.set(`${gpu} ${profile}`, (needed.get(`${gpu} ${profile}`) ?? 0) + 1);
  for (const [key, count] of needed) {
    const [id = '', profile = ''] = key.split(' ');
    const found = nodes.get(nodeOf(id));
    if (found === undefined || !isSettled(found)) continue;
    const gpu = found.node.gpus.find((one) => one.id === id);
    if (gpu === undefined) return true;
    const has =
      profile === 'full' ? Number(!gpu.migEnabled) : gpu.migEnabled ? gpu.instances.filter((one) => one.profile === profile).length : 0;
    if (has < count) return true;
  }
  return false;
}

function isSettled({ node, backend }: PlanNode): boolean {
  return node.usable && node.source !== 'none' && node.cordon === 'no' && !backend.isChanging(node.object);
}

function isInTheWay({ enabled }: Progress, nodes: ReadonlyMap<string, PlanNode>, pods: Pods): boolean {
  const wiped = new Set(enabled.flatMap((step) => (step.kind === 'wipe-gpu' && step.layout.length > 0 ? [step.gpu] : [])));
  if (pods.placed.some(({ gpu, seen, terminating }) => seen && !terminating && wiped.has(gpu))) return true;
  const leaving = new Set(
    pods.placed.flatMap(({ pod: { metadata }, terminating }) => (terminating ? [`${metadata.namespace}/${metadata.name}`] : [])),
  );
  return enabled.some((step) => {
    if (step.kind !== 'delete-instance') return false;
    const node = nodes.get(nodeOf(step.gpu))?.node;
    const instances = node?.gpus.find(({ id }) => id === step.gpu)?.instances ?? [];
    const holder = instances.find(({ profile, start }) => profile === step.profile && start === step.start)?.pod;
    if (node === undefined || holder === undefined || leaving.has(`${holder.namespace}/${holder.name}`)) return false;
    return exists(holder, node, pods);
  });
}
