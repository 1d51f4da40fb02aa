import { createHash } from 'node:crypto';
import type { GpuCatalogue, GpuModel } from '../../gpu/gpu-model.js';
import { chooseDeviceFilter } from './device-filter.js';
import { type GpuSetting, settingKey } from './fill-nodes.js';

/** A node, or a change of it. */
export interface CutNode {
  readonly model: GpuModel;
  /** By GPU index; undefined for a GPU that is left as it is, which mig-parted does when no entry names it. */
  readonly gpus: readonly (GpuSetting | undefined)[];
  /** One line above the config. */
  readonly remark: string;
}

/**
 * A mig-parted v1 file under the lines of `head`: one config for each distinct way to cut a node, with the remarks of the nodes that take it.
 * `names` are the configs of the nodes, in their order.
 */
export function renderConfigs(
  head: readonly string[],
  nodes: readonly CutNode[],
  catalogue: GpuCatalogue,
): { readonly text: string; readonly names: readonly string[] } {
  const isMixed = new Set(nodes.map(({ model }) => model.name)).size > 1;
  const configs = new Map<string, { readonly entries: string; readonly remarks: string[] }>();
  const names = nodes.map(({ model, gpus, remark }) => {
    const entries = writeEntries(gpus, chooseDeviceFilter(model, gpus, isMixed, catalogue));
    const name = nameConfig(model.name, entries);
    const config = configs.get(name);
    if (config === undefined) configs.set(name, { entries, remarks: [remark] });
    else config.remarks.push(remark);
    return name;
  });
  const text = [
    ...head.map(comment),
    'version: v1',
    configs.size === 0 ? 'mig-configs: {}' : 'mig-configs:',
    ...[...configs].flatMap(([name, { entries, remarks }]) => [...remarks.map((one) => `  ${comment(one)}`), `  ${name}:`, entries]),
    '',
  ].join('\n');
  return { text, names };
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

function writeEntries(gpus: readonly (GpuSetting | undefined)[], filter: readonly string[] | undefined): string {
  const indices = new Map<string, number[]>();
  for (const [index, gpu] of gpus.entries())
    if (gpu !== undefined) indices.set(settingKey(gpu), [...(indices.get(settingKey(gpu)) ?? []), index]);
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

/** Names may hold characters that YAML takes for line breaks or refuses even in a comment. */
function comment(text: string): string {
  return `# ${text.replace(/[\p{Control}\p{Surrogate}\u2028\u2029\ufeff\ufffe\uffff]/gu, '\ufffd')}`;
}
