import type { ObservedPool } from '../../decide/read-hardware.js';
import { annotations, nvidia } from '../../objects/names.js';
import type { ClusterView } from '../../observe/cluster-view.js';
import { type Backend, type LookFacts, modelsOf } from '../backend.js';
import { devicePlugin } from '../device-plugin.js';
import { isCutAndOffered } from '../layout-steps.js';
import { changeLayouts } from './change-layouts.js';
import { appliedConfig, type MigManagerSettings, migManagerSettings, type NodeConfig } from './config-map.js';
import { type ConfigKeeper, createConfigKeeper } from './keep-configs.js';
import { releaseLeftNode } from './release-left-node.js';

/** The GPU Operator's mig-manager: told by a ConfigMap and a label how to cut a node; wipes every GPU whose layout changes. */
export const migManager: Backend = {
  name: 'mig-manager',
  costModel: 'node',
  executor: 'operator',
  allocation: devicePlugin,
  kinds: [],
  configMapsOf(pool) {
    const { namespace, configMap } = migManagerSettings(pool);
    return [{ namespace, name: configMap }];
  },
  readLayouts: (node, pool, view) => appliedConfig(node, pool, view.configMaps),
  isChanging({ metadata: { labels = {}, annotations: notes = {} } }) {
    const state = labels[nvidia.migState];
    return notes[annotations.attempt] !== undefined || state === 'pending' || state === 'rebooting';
  },
  isDone(step, planNode) {
    const { node } = planNode;
    return (
      isCutAndOffered(step, planNode) && node.cordon !== 'own' && node.object.metadata.annotations?.[annotations.attempt] === undefined
    );
  },
  releaseNode: releaseLeftNode,
  begin({ view, pools, nowMs }) {
    const keepers = createKeepers({ view, pools, nowMs });
    const wanted = new Map<ConfigKeeper, Record<string, NodeConfig>>();
    return {
      work(scene) {
        const look = { keeperOf: (pool: ObservedPool) => keepers.get(pool) as ConfigKeeper, nowMs };
        const { configs, ...work } = changeLayouts(scene, look);
        return {
          ...work,
          commit() {
            // Standard configs are there before anybody needs them, and after somebody removed them.
            for (const pool of new Set([...scene.nodes.values()].map((node) => node.pool))) {
              const keeper = keepers.get(pool) as ConfigKeeper;
              wanted.set(keeper, { ...wanted.get(keeper), ...configs.get(pool) });
            }
          },
        };
      },
      shared: () => [...wanted].flatMap(([keeper, configs]) => keeper.keep(configs) ?? []),
    };
  },
};

/** One keeper for each ConfigMap; pools may share one. */
function createKeepers({ view, pools, nowMs }: LookFacts): ReadonlyMap<ObservedPool, ConfigKeeper> {
  const byMap = new Map<string, { settings: MigManagerSettings; pools: ObservedPool[] }>();
  for (const pool of pools) {
    const settings = migManagerSettings(pool.pool);
    const key = `${settings.namespace}/${settings.configMap}`;
    const entry = byMap.get(key) ?? { settings, pools: [] };
    entry.pools.push(pool);
    byMap.set(key, entry);
  }
  return new Map([...byMap.values()].flatMap(({ settings, pools: own }) => createKeeper(view, settings, own, nowMs)));
}

function createKeeper(
  view: ClusterView,
  settings: MigManagerSettings,
  pools: readonly ObservedPool[],
  nowMs: number,
): readonly (readonly [ObservedPool, ConfigKeeper])[] {
  // A node that has left its pool still names its config.
  const keeper = createConfigKeeper({ maps: view.configMaps, settings, models: modelsOf(pools), nodes: view.nodes, nowMs });
  return pools.map((pool) => [pool, keeper] as const);
}
