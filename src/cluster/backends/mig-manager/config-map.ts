import { createHash } from 'node:crypto';
import { parse, stringify } from 'yaml';
import { canonicalJson } from '../../../demand/documents/canonical.js';
import type { GpuModel } from '../../../gpu/gpu-model.js';
import { placeOnGpu } from '../../../gpu/placement.js';
import type { ConfigMap, Node } from '../../client/object-types.js';
import type { GpuPool } from '../../objects/gpu-pool.js';
import { annotations, fieldManager, managedBy, nvidia } from '../../objects/names.js';

/** How each GPU of a node is to be cut, by index: number of instances by the driver's profile name; undefined for MIG off. */
export type NodeConfig = readonly (Readonly<Record<string, number>> | undefined)[];

interface ConfigEntry {
  readonly devices: 'all' | readonly number[];
  readonly 'device-filter'?: readonly string[];
  readonly 'mig-enabled': boolean;
  readonly 'mig-devices'?: Readonly<Record<string, number>>;
}

/** Entries of mig-parted by config name. */
export type MigConfigs = Readonly<Record<string, readonly ConfigEntry[]>>;

/** Where the ConfigMap of a pool is, and the patience with mig-manager, all defaults filled in. Times in milliseconds. */
export interface MigManagerSettings {
  readonly namespace: string;
  readonly configMap: string;
  readonly settleMs: number;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly backoffMs: number;
}

export function migManagerSettings({ spec: { migManager } }: GpuPool): MigManagerSettings {
  return {
    namespace: migManager?.namespace ?? 'gpu-operator',
    configMap: migManager?.configMap ?? 'inlay-mig-config',
    // The kubelet brings a changed ConfigMap into a pod after up to 60 s plus its cache's delay.
    settleMs: (migManager?.settleSeconds ?? 75) * 1000,
    timeoutMs: (migManager?.timeoutSeconds ?? 900) * 1000,
    retries: migManager?.retries ?? 2,
    backoffMs: (migManager?.backoffSeconds ?? 30) * 1000,
  };
}

/** mig-manager acts on a changed name only, so the name of a config is a hash of its content. */
export function configName(config: NodeConfig): string {
  return `inlay-${createHash('sha256')
    .update(canonicalJson(writeEntries(config)))
    .digest('hex')
    .slice(0, 12)}`;
}

/** Every GPU of the node is listed, equal ones together. */
export function writeEntries(config: NodeConfig): ConfigEntry[] {
  const groups = new Map<string, number[]>();
  for (const [index, counts] of config.entries()) {
    const key = canonicalJson(counts ?? null);
    groups.set(key, [...(groups.get(key) ?? []), index]);
  }
  return [...groups].map(([key, devices]): ConfigEntry => {
    const counts = JSON.parse(key) as Record<string, number> | null;
    return counts === null ? { devices, 'mig-enabled': false } : { devices, 'mig-enabled': true, 'mig-devices': counts };
  });
}

/** The configs that a ConfigMap holds; none when there is none or it cannot be read. */
export function readConfigs(map: ConfigMap | undefined): MigConfigs {
  if (map === undefined) return {};
  const known = parsed.get(map);
  if (known !== undefined) return known;
  const configs = parseConfigs(map.data?.['config.yaml'] ?? '');
  parsed.set(map, configs);
  return configs;
}

/** YAML takes long to parse, and many nodes ask for the same object. */
const parsed = new WeakMap<ConfigMap, MigConfigs>();

function parseConfigs(text: string): MigConfigs {
  try {
    const document = parse(text) as { readonly 'mig-configs'?: MigConfigs } | null;
    return document?.['mig-configs'] ?? {};
  } catch {
    return {};
  }
}

export function findConfigMap(
  maps: readonly ConfigMap[],
  settings: Pick<MigManagerSettings, 'namespace' | 'configMap'>,
): ConfigMap | undefined {
  return maps.find(({ metadata }) => metadata.namespace === settings.namespace && metadata.name === settings.configMap);
}

/** The names that mig-manager knows by itself; a ConfigMap of one's own replaces them, so they are written again. */
export function standardConfigs(models: readonly GpuModel[]): MigConfigs {
  const configs: Record<string, ConfigEntry[]> = {
    'all-disabled': [{ devices: 'all', 'mig-enabled': false }],
    'all-enabled': [{ devices: 'all', 'mig-enabled': true, 'mig-devices': {} }],
  };
  for (const model of models) {
    const filter = models.length > 1 && model.pciIds.length > 0 ? { 'device-filter': model.pciIds.map((id) => `0x${id}10DE`) } : {};
    const add = (name: string, counts: Record<string, number>) => {
      configs[name] = [...(configs[name] ?? []), { devices: 'all', ...filter, 'mig-enabled': true, 'mig-devices': counts }];
    };
    for (const profile of model.profiles) add(`all-${profile.name.replaceAll('+', '.')}`, { [profile.name]: profile.maxCount });
    const balanced = balancedCounts(model);
    if (balanced !== undefined) add('all-balanced', balanced);
  }
  return configs;
}

/** Seven slices: two 1g, one 2g and one 3g. Four slices: two 1g and one 2g. */
function balancedCounts(model: GpuModel): Record<string, number> | undefined {
  const base = (slices: number) => model.profiles.find(({ variant, computeSlices }) => variant === 'base' && computeSlices === slices);
  const [one, two, three] = [base(1), base(2), base(3)];
  if (one === undefined || two === undefined) return undefined;
  if (model.computeSlices === 4) return { [one.name]: 2, [two.name]: 1 };
  if (three === undefined) return undefined;
  const fits = placeOnGpu(model, [three, two, one, one]).kind === 'placed';
  return fits ? { [one.name]: 2, [two.name]: 1, [three.name]: 1 } : undefined;
}

/** The ConfigMap with these configs; annotations say since when a config is there. */
export function writeConfigMap(
  { namespace, configMap: name }: Pick<MigManagerSettings, 'namespace' | 'configMap'>,
  configs: MigConfigs,
  writtenAt: Readonly<Record<string, string>>,
): ConfigMap {
  const sorted = Object.fromEntries(Object.entries(configs).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: managedBy, annotations: writtenAt },
    data: {
      'config.yaml': `# Written by ${fieldManager}; changes by hand are undone.\n${stringify({ version: 'v1', 'mig-configs': sorted }, { aliasDuplicateObjects: false, lineWidth: 0 })}`,
    },
  };
}

/**
 * The layouts of a node by GPU index as far as its labels tell: the config that mig-manager has applied, or, while it is at another
 * one, the config from before. Undefined when that is no own config.
 */
export function appliedConfig(
  node: Node,
  pool: GpuPool,
  maps: readonly ConfigMap[],
): readonly Readonly<Record<string, number>>[] | undefined {
  const { labels = {}, annotations: notes = {} } = node.metadata;
  const name = labels[nvidia.migState] === 'success' ? labels[nvidia.migConfig] : notes[annotations.formerConfig];
  if (name === undefined || !name.startsWith('inlay-')) return undefined;
  const entries = readConfigs(findConfigMap(maps, migManagerSettings(pool)))[name];
  if (entries === undefined) return undefined;
  const byIndex: Record<string, number>[] = [];
  for (const { devices, 'mig-devices': counts = {} } of entries)
    if (devices !== 'all') for (const index of devices) byIndex[index] = counts;
  return Array.from(byIndex, (counts) => counts ?? {});
}
