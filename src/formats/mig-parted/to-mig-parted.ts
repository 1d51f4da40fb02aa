import type { PlanDocument } from '../../demand/documents/plan.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { findPlanModel } from '../plan-hardware.js';
import { fillNodes, type NodeSetting } from './fill-nodes.js';
import { renderConfigs } from './render-configs.js';

/** What `toMigParted` needs besides the plan. */
export interface MigPartedOptions {
  /** GPUs in every node, at least 1. */
  readonly gpusPerNode: number;
  readonly catalogue: GpuCatalogue;
}

/**
 * The layouts of a plan as a mig-parted v1 file: one config for each distinct way to cut a node, every GPU index of a node
 * listed. Config names end in a hash of the content, because mig-manager acts on a changed name only. Comments say which node
 * takes which config, and which GPU of the plan is at which index. mig-parted takes counts, not placements: the driver places.
 */
export function toMigParted(plan: PlanDocument, { gpusPerNode, catalogue }: MigPartedOptions): string {
  const nodes = fillNodes(plan, gpusPerNode, catalogue);
  const head = describeFile(plan, nodes.length, gpusPerNode, catalogue);
  const cut = nodes.map((node) => ({ model: node.model, gpus: node.gpus, remark: describeNode(node) }));
  return renderConfigs(head, cut, catalogue).text;
}

function describeFile({ metadata, gpus }: PlanDocument, nodes: number, gpusPerNode: number, { models }: GpuCatalogue): readonly string[] {
  const withoutMig = gpus.filter(({ type }) => findPlanModel(models, type).profiles.length === 0);
  const shared = gpus.filter(({ occupied = [] }) => occupied.length > 0).map(({ id }) => id);
  return [
    `mig-parted configuration of the plan ${metadata.name}, ${metadata.id}`,
    `Nodes of ${gpusPerNode} GPUs: ${nodes}. Set the label nvidia.com/mig.config of each node to the config named below it.`,
    'mig-parted empties a GPU before it changes how the GPU is cut: move the pods away first.',
    ...(withoutMig.length > 0 ? [`GPUs without MIG need no config and are left out: ${withoutMig.length}.`] : []),
    ...(shared.length > 0 ? [`Instances of others are counted in on: ${shared.join(', ')}.`] : []),
  ];
}

function describeNode({ pool, number, gpus }: NodeSetting): string {
  const names = gpus.flatMap(({ id }, index) => (id === undefined ? [] : [`${index} = ${id}`]));
  return `${pool} node ${number}: ${names.join(', ')}`;
}
