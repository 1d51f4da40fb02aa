import type { PlanDocument } from '../../demand/documents/plan.js';
import { unfoldPlan } from '../../demand/documents/unfold-plan.js';
import type { GpuCatalogue, GpuModel } from '../../gpu/gpu-model.js';
import { findPlanModel, findPlanProfile } from '../plan-hardware.js';

/** How mig-parted sees one GPU: MIG off, or the number of instances by profile, ascending by name. */
export interface GpuSetting {
  readonly migDevices: readonly (readonly [string, number])[] | undefined;
  /** Name of the GPU in the plan; absent for a GPU of the node that the plan does not use. */
  readonly id?: string;
}

/** A node of one pool: one setting a GPU, by GPU index. */
export interface NodeSetting {
  readonly pool: string;
  /** 1-based, within the pool. */
  readonly number: number;
  readonly model: GpuModel;
  readonly gpus: readonly GpuSetting[];
}

/**
 * Fills the nodes of each pool in the order of the plan; what is left of a pool's last node is unused, MIG off. Inside a node
 * equal GPUs come together, so that nodes with the same mixture are configured the same. Pools without MIG have no nodes.
 */
export function fillNodes(plan: PlanDocument, gpusPerNode: number, { models }: GpuCatalogue): readonly NodeSetting[] {
  const pools = new Map<string, { readonly pool: string; readonly model: GpuModel; readonly settings: GpuSetting[] }>();
  for (const { id, pool, type, instances, occupied = [] } of unfoldPlan(plan).gpus) {
    const model = findPlanModel(models, type);
    const profiles = [...instances, ...occupied]
      .map(({ profile }) => findPlanProfile(model, profile))
      .filter(({ variant }) => variant !== 'full');
    if (model.profiles.length === 0) continue;
    const key = JSON.stringify([pool, type]);
    const entry = pools.get(key) ?? { pool, model, settings: [] };
    pools.set(key, entry);
    entry.settings.push({ id, migDevices: profiles.length === 0 ? undefined : countNames(profiles.map(({ name }) => name)) });
  }
  return [...pools.values()].flatMap(({ pool, model, settings }) =>
    Array.from({ length: Math.ceil(settings.length / gpusPerNode) }, (_, index) => {
      const own = settings.slice(index * gpusPerNode, (index + 1) * gpusPerNode);
      const unused = Array.from({ length: gpusPerNode - own.length }, (): GpuSetting => ({ migDevices: undefined }));
      return { pool, number: index + 1, model, gpus: [...bringEqualTogether(own), ...unused] };
    }),
  );
}

/** One text for all GPUs that are cut alike. */
export function settingKey({ migDevices }: GpuSetting): string {
  return JSON.stringify(migDevices ?? null);
}

/** MIG first, MIG off last; the order of the plan among equals. */
function bringEqualTogether(gpus: readonly GpuSetting[]): readonly GpuSetting[] {
  const rank = (gpu: GpuSetting): string => (gpu.migDevices === undefined ? '~' : settingKey(gpu));
  return gpus.toSorted((a, b) => compare(rank(a), rank(b)));
}

function countNames(names: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => compare(a, b));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
