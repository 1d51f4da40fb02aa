import type { Pool } from '../demand/workload.js';
import type { PlacedProfile } from '../gpu/gpu-model.js';
import { enumerateLayouts } from '../gpu/layouts.js';
import { findBrokenRule } from '../gpu/placement-rules.js';
import { layoutMask, sliceMask } from '../gpu/slice-mask.js';
import type { Fleet, FleetInstance } from './fleet.js';
import type { GpuClass } from './gpu-classes.js';

type Layouts = readonly (readonly PlacedProfile[])[];

/** A place for one instance of a size. */
export interface OptionSlot {
  readonly placed: PlacedProfile;
  readonly size: number;
  /** The instance that is already there, in the same slices and of the same profile. */
  readonly present?: FleetInstance;
}

/** One way in which a GPU of a class can end. */
export interface LayoutOption {
  readonly slots: readonly OptionSlot[];
  /** Slots of each size. */
  readonly counts: Int32Array;
  /** Slots of each size that need no new instance. */
  readonly present: Int32Array;
  /** Pods by type that can stay. */
  readonly matches: ReadonlyMap<number, number>;
}

/** Makes the ways in which GPUs can end when idle instances may be deleted and others created beside running neighbours. */
export function createLayoutLister(pools: readonly Pool[], fleet: Fleet, sizeCount: number): (group: GpuClass) => LayoutOption[] {
  const layoutsOf = pools.map((pool) => enumerateLayouts(pool.gpu, pool.profiles, pool));
  const maximalOf = layoutsOf.map((layouts, g) => keepMaximal(layouts, pools[g] as Pool));
  return ({ pool: g, instances }) => {
    const reserved = instances.filter((instance) => instance.reserved);
    const maximal = maximalOf[g] as Layouts;
    const possible =
      reserved.length === 0 ? maximal : keepMaximal(listBeside(reserved, layoutsOf[g] as Layouts, pools[g] as Pool), pools[g] as Pool);
    const options = possible.map((layout) =>
      toOption(
        layout.map((placed) => toSlot(placed, fleet.types.sizeOf(g, placed.profile.name), instances)),
        fleet,
        sizeCount,
      ),
    );
    return dropDominated(options);
  };
}

/** The layouts that can exist beside what others hold. */
function listBeside(reserved: readonly PlacedProfile[], layouts: Layouts, pool: Pool): Layouts {
  const taken = layoutMask(reserved);
  return layouts.filter((layout) => {
    const together = [...reserved, ...layout].map(({ profile }) => profile);
    return (layoutMask(layout) & taken) === 0 && findBrokenRule(pool.gpu, together, pool) === undefined;
  });
}

/** The one way to leave a GPU's instances as they are: only its pods may change. */
export function asItIs({ instances }: Pick<GpuClass, 'instances'>, fleet: Fleet, sizeCount: number): LayoutOption {
  const slots = instances.flatMap((instance): OptionSlot[] => {
    const { profile, start, size, reserved } = instance;
    return reserved || size < 0 ? [] : [{ placed: { profile, start }, size, present: instance }];
  });
  return toOption(slots, fleet, sizeCount);
}

function toSlot(placed: PlacedProfile, size: number, instances: readonly FleetInstance[]): OptionSlot {
  const present = instances.find(
    ({ profile, start, reserved }) => !reserved && start === placed.start && profile.name === placed.profile.name,
  );
  return present === undefined ? { placed, size } : { placed, size, present };
}

function toOption(slots: readonly OptionSlot[], fleet: Fleet, sizeCount: number): LayoutOption {
  const counts = new Int32Array(sizeCount);
  const present = new Int32Array(sizeCount);
  const matches = new Map<number, number>();
  for (const slot of slots) {
    (counts[slot.size] as number)++;
    if (slot.present === undefined) continue;
    (present[slot.size] as number)++;
    const { type } = slot.present;
    if (fleet.types.list[type]?.point !== undefined) matches.set(type, (matches.get(type) ?? 0) + 1);
  }
  return { slots, counts, present, matches };
}

function keepMaximal(layouts: Layouts, { profiles }: Pool): Layouts {
  const keyOf = (layout: readonly PlacedProfile[]): string => layout.map(({ profile, start }) => `${profile.name}@${start}`).join(' ');
  const known = new Set(layouts.map(keyOf));
  return layouts.filter((layout) => {
    const mask = layoutMask(layout);
    return !profiles.some((profile) =>
      profile.starts.some(
        (start) =>
          (sliceMask(profile, start) & mask) === 0 && known.has(keyOf([...layout, { profile, start }].sort((a, b) => a.start - b.start))),
      ),
    );
  });
}

/** An option is of no use when another has as many slots, as many present ones and as many matches of every kind. */
function dropDominated(options: readonly LayoutOption[]): LayoutOption[] {
  return options.filter(
    (option, i) => !options.some((other, j) => i !== j && dominates(other, option) && (j < i || !dominates(option, other))),
  );
}

function dominates(a: LayoutOption, b: LayoutOption): boolean {
  return (
    b.counts.every((count, k) => (a.counts[k] as number) >= count) &&
    b.present.every((count, k) => (a.present[k] as number) >= count) &&
    [...b.matches].every(([type, count]) => (a.matches.get(type) ?? 0) >= count)
  );
}
