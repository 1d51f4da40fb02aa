import { createHash } from 'node:crypto';
import type { PlanDocument } from '../../demand/documents/plan.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { findPlanModel } from '../plan-hardware.js';
import { chooseDeviceFilter } from './device-filter.js';
import { fillNodes, type GpuSetting, type NodeSetting, settingKey } from './fill-nodes.js';

/** What `toMigParted` needs besides the plan. */
export interface MigPartedOptions {
  /** GPUs in every node, at least 1. */
  readonly gpusPerNode: number;
  readonly catalogue: GpuCatalogue;
}

interface Config {
  readonly name: string;
  readonly entries: string;
  readonly nodes: readonly NodeSetting[];
}

/**
 * The layouts of a plan as a mig-parted v1 file: one config for each distinct way to cut a node, every GPU index of a node
 * listed. Config names end in a hash of the content, because mig-manager acts on a changed name only. Comments say which node
 * takes which config, and which GPU of the plan is at which index. mig-parted takes counts, not placements: the driver places.
 */
export function toMigParted(plan: PlanDocument, { gpusPerNode, catalogue }: MigPartedOptions): string {
  const nodes = fillNodes(plan, gpusPerNode, catalogue);
  const isMixed = new Set(nodes.map(({ model }) => model.name)).size > 1;
  const configs = groupNodes(nodes, (node) => writeEntries(node.gpus, chooseDeviceFilter(node, isMixed, catalogue)));
  return [
    ...describeFile(plan, nodes.length, gpusPerNode, catalogue),
    'version: v1',
    configs.length === 0 ? 'mig-configs: {}' : 'mig-configs:',
    ...configs.flatMap(({ name, entries, nodes: own }) => [...own.map(describeNode), `  ${name}:`, entries]),
    '',
  ].join('\n');
}

function groupNodes(nodes: readonly NodeSetting[], write: (node: NodeSetting) => string): readonly Config[] {
  const configs = new Map<string, { name: string; entries: string; nodes: NodeSetting[] }>();
  for (const node of nodes) {
    const entries = write(node);
    const name = nameConfig(node.model.name, entries);
    const config = configs.get(name);
    if (config === undefined) configs.set(name, { name, entries, nodes: [node] });
    else config.nodes.push(node);
  }
  return [...configs.values()];
}

/** A valid Kubernetes label value: at most 63 letters, digits, dots and dashes. */
function nameConfig(model: string, entries: string): string {
  const readable = model
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .slice(0, 40);
  const hash = createHash('sha256').update(`${model}\n${entries}`).digest('hex').slice(0, 12);
  return `inlay-${readable}-${hash}`;
}

function writeEntries(gpus: readonly GpuSetting[], filter: readonly string[] | undefined): string {
  const indices = new Map<string, number[]>();
  for (const [index, gpu] of gpus.entries()) indices.set(settingKey(gpu), [...(indices.get(settingKey(gpu)) ?? []), index]);
  const entries = [...indices.values()].map((devices) => {
    const { migDevices } = gpus[devices[0] as number] as GpuSetting;
    const counts = migDevices?.map(([profile, count]) => `        ${JSON.stringify(profile)}: ${count}`);
    return [
      `devices: [${devices.join(', ')}]`,
      ...(filter === undefined ? [] : [`device-filter: [${filter.map((id) => JSON.stringify(id)).join(', ')}]`]),
      `mig-enabled: ${counts !== undefined}`,
      ...(counts === undefined ? [] : ['mig-devices:']),
    ]
      .map((line, at) => `    ${at === 0 ? '- ' : '  '}${line}`)
      .concat(counts ?? [])
      .join('\n');
  });
  return entries.join('\n');
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
  ].map(comment);
}

function describeNode({ pool, number, gpus }: NodeSetting): string {
  const names = gpus.flatMap(({ id }, index) => (id === undefined ? [] : [`${index} = ${id}`]));
  return `  ${comment(`${pool} node ${number}: ${names.join(', ')}`)}`;
}

/** Names may hold characters that YAML takes for line breaks or refuses even in a comment. */
function comment(text: string): string {
  return `# ${text.replace(/[\p{Control}\p{Surrogate}\u2028\u2029\ufeff\ufffe\uffff]/gu, '\ufffd')}`;
}
