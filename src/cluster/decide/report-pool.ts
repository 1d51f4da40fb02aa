import type { ConditionDraft } from '../objects/conditions.js';
import { gpuPools } from '../objects/kinds.js';
import { exists } from './build-state.js';
import type { Pods } from './locate-pods.js';
import type { ObservedPool } from './read-hardware.js';
import { writeStatus } from './report.js';
import type { Write } from './write.js';

/** The status of a pool: how many GPUs it has, how many are used or reserved, how much is free, and what is wrong with it. */
export function reportPool(
  { pool, model, nodes, problems }: ObservedPool,
  pods: Pods,
  isStanding: (service: string) => boolean,
  at: string,
): Write[] {
  const own = new Map<string, number>();
  for (const { gpu, profile } of pods.placed) {
    const slices = model?.profiles.find(({ name }) => name === profile)?.memorySlices ?? model?.memorySlices ?? 0;
    own.set(gpu, (own.get(gpu) ?? 0) + slices);
  }
  const all = nodes.flatMap((node) => node.gpus.map((gpu) => ({ gpu, usable: node.usable })));
  // What runs for a workload that cannot be planned is out of reach of plans.
  const planned = pods.placed.filter(({ service }) => !isStanding(service));
  const names = new Set(planned.map(({ pod: { metadata } }) => `${metadata.namespace}/${metadata.name}`));
  const isHeld = ({ gpu, usable }: (typeof all)[number]) =>
    !usable ||
    gpu.instances.some(
      ({ pod }) => pod !== undefined && !names.has(`${pod.namespace}/${pod.name}`) && exists(pod, { name: gpu.node }, pods),
    );
  const free = all
    .filter(({ usable }) => usable)
    .reduce((sum, { gpu }) => sum + Math.max(0, (model?.memorySlices ?? 0) - (own.get(gpu.id) ?? 0)), 0);
  const drafts: ConditionDraft[] = [
    {
      type: 'Ready',
      status: problems.length === 0,
      reason: problems[0]?.code ?? 'Usable',
      message: problems.map(({ message, hint }) => `${message}${hint ? ` ${hint}` : ''}`).join(' ') || 'Plans may use the pool.',
    },
  ];
  const status = {
    observedGeneration: pool.metadata.generation ?? 0,
    nodes: nodes.length,
    gpus: all.length,
    gpusUsed: all.filter(({ gpu }) => own.has(gpu.id)).length,
    gpusReserved: all.filter(isHeld).length,
    freeSlices: free,
  };
  return writeStatus(gpuPools, pool, status, drafts, at);
}
