import { canonicalJson } from '../../../demand/documents/canonical.js';
import type { GpuModel } from '../../../gpu/gpu-model.js';
import type { ConfigMap, Node } from '../../client/object-types.js';
import { configMaps } from '../../client/resources.js';
import type { Write } from '../../decide/write.js';
import { annotations, nvidia } from '../../objects/names.js';
import { isoTime } from './change-node.js';
import {
  findConfigMap,
  type MigConfigs,
  type MigManagerSettings,
  type NodeConfig,
  readConfigs,
  standardConfigs,
  writeConfigMap,
  writeEntries,
} from './config-map.js';

/** The ConfigMap of one mig-manager: what is in it, and what must be. */
export interface ConfigKeeper {
  /** Since when it holds this very config, ms; undefined when it does not. */
  writtenAt(name: string, config: NodeConfig): number | undefined;
  /** The write that makes it hold the wanted configs, those that nodes still name, and the standard ones; undefined when it does. */
  keep(wanted: Readonly<Record<string, NodeConfig>>): Write | undefined;
}

/** Everything about the ConfigMap besides what changes want of it. */
export interface ConfigMapFacts {
  readonly maps: readonly ConfigMap[];
  readonly settings: MigManagerSettings;
  readonly models: readonly GpuModel[];
  /** Nodes whose mig-manager may read it. */
  readonly nodes: readonly Node[];
  readonly nowMs: number;
}

export function createConfigKeeper({ maps, settings, models, nodes, nowMs }: ConfigMapFacts): ConfigKeeper {
  const map = findConfigMap(maps, settings);
  const present = readConfigs(map);
  const timeOf = (name: string): string | undefined => map?.metadata.annotations?.[`${annotations.writtenAt}${name}`];
  const holds = (name: string, entries: MigConfigs[string]): boolean =>
    name in present && canonicalJson(present[name]) === canonicalJson(entries);
  return {
    writtenAt(name, config) {
      const time = Date.parse(timeOf(name) ?? '');
      return holds(name, writeEntries(config)) && !Number.isNaN(time) ? time : undefined;
    },
    keep(wanted) {
      const used = new Set(
        nodes.flatMap(({ metadata: { labels = {}, annotations: notes = {} } }) => [
          labels[nvidia.migConfig],
          notes[annotations.formerConfig],
        ]),
      );
      const stay = Object.entries(present).filter(([name]) => used.has(name));
      const own = Object.entries(wanted).map(([name, config]) => [name, writeEntries(config)] as const);
      const configs: MigConfigs = { ...Object.fromEntries(stay), ...standardConfigs(models), ...Object.fromEntries(own) };
      const missing =
        Object.entries(configs).some(([name, entries]) => !holds(name, entries)) || own.some(([name]) => timeOf(name) === undefined);
      if (!missing) return undefined;
      const writtenAt = Object.fromEntries(
        Object.entries(configs)
          .filter(([name]) => name.startsWith('inlay-'))
          .map(([name, entries]) => [
            `${annotations.writtenAt}${name}`,
            (holds(name, entries) ? timeOf(name) : undefined) ?? isoTime(nowMs),
          ]),
      );
      return {
        kind: 'apply',
        resource: configMaps,
        where: { namespace: settings.namespace, name: settings.configMap },
        object: writeConfigMap(settings, configs, writtenAt),
        event: 'ConfigWritten',
        why: `mig-manager needs ${own.map(([name]) => name).join(', ') || 'its configs'}`,
      };
    },
  };
}
