import type { MediaEngines, MigProfile } from '../../gpu/gpu-model.js';
import type { Violation } from '../verify-report.js';
import type { GpuContents, Instance } from './contents.js';
import type { StepGraph } from './step-graph.js';
import { findKnownProfile } from './transition-facts.js';
import { findWorstSum } from './worst-sum.js';

/** Something that the instances of a GPU share besides memory slices. */
interface SharedLimit {
  readonly what: string;
  readonly allowed: number;
  useOf(profile: MigProfile): number;
}

/** No limit of a whole GPU (compute slices, instances of a profile, media engines, 4g beside 3g) is exceeded in any state that the dependencies allow. */
export function checkSharedLimits(
  graph: StepGraph,
  members: readonly number[],
  gpu: GpuContents,
  wiped: ReadonlyMap<number, readonly Instance[]>,
): readonly Violation[] {
  const before = gpu.known.before.flatMap(({ profile }) => findKnownProfile(gpu.pool, profile) ?? []);
  return listLimits(gpu).flatMap(({ what, allowed, useOf }): readonly Violation[] => {
    const sum = (profiles: readonly MigProfile[]) => profiles.reduce((total, profile) => total + useOf(profile), 0);
    const changes = new Map<number, number>();
    for (const index of members) {
      const step = graph.steps[index];
      const use = (names: readonly string[]) => sum(names.flatMap((name) => findKnownProfile(gpu.pool, name) ?? []));
      if (step?.kind === 'create-instance') changes.set(index, use([step.profile]));
      if (step?.kind === 'delete-instance') changes.set(index, -use([step.profile]));
      if (step?.kind === 'wipe-gpu') {
        const removed = sum((wiped.get(index) ?? []).map(({ profile }) => profile));
        changes.set(index, use(step.layout.map(({ profile }) => profile)) - removed);
      }
    }
    const room = allowed - sum(before);
    // Usually even all creations together fit.
    if ([...changes.values()].reduce((total, change) => total + Math.max(0, change), 0) <= room) return [];
    const worst = findWorstSum(graph, changes);
    if (worst.sum <= room) return [];
    const { id } = gpu.known;
    const message = `${id}: with ${worst.steps.map((index) => graph.steps[index]?.id).join(', ')} taken, there may be too many ${what}.`;
    return [{ where: id, message, expected: `at most ${allowed}`, received: String(worst.sum + sum(before)) }];
  });
}

function listLimits({ pool }: GpuContents): readonly SharedLimit[] {
  const { gpu: model, forbid4gWith3g } = pool;
  return [
    { what: 'compute slices in use', allowed: model.computeSlices, useOf: ({ computeSlices }) => computeSlices },
    ...model.profiles.map(({ name, maxCount }) => ({
      what: `instances of ${name}`,
      allowed: maxCount,
      useOf: (profile: MigProfile) => (profile.name === name ? 1 : 0),
    })),
    ...(Object.keys(model.engines) as (keyof MediaEngines)[]).map((engine) => ({
      what: `media engines (${engine}) in use`,
      allowed: model.engines[engine],
      useOf: ({ engines }: MigProfile) => engines[engine],
    })),
    // At most one 4g and two 3g fit a GPU at all: one 4g fills the two places that 3g may take.
    ...(forbid4gWith3g
      ? [
          {
            what: '3g instances beside a 4g',
            allowed: 2,
            useOf: ({ computeSlices: slices }: MigProfile) => (slices === 4 ? 2 : slices === 3 ? 1 : 0),
          },
        ]
      : []),
  ];
}
