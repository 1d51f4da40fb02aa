import type { Fact, GpuModel, MediaEngines, MigProfile, ProfileVariant } from '../gpu-model.js';
import type { Evidence } from './evidence.js';
import { fullProfile } from './full-profile.js';
import { inferUsableMemory } from './infer-usable-memory.js';

/** The profiles every 7-slice GPU has, by role; their names carry the memory of the product. */
export type SevenSliceRole = '1g' | '1g+me' | '1g-double' | '2g' | '3g' | '4g' | '7g';

interface RoleShape {
  readonly role: SevenSliceRole;
  readonly variant: ProfileVariant;
  readonly computeSlices: number;
  readonly memorySlices: 1 | 2 | 4 | 8;
  readonly starts: readonly number[];
  readonly maxCount: number;
}

/** The one placement table of the family (NVIDIA MIG User Guide and `nvidia-smi mig -lgipp` of A100, H100 and H200). */
const shapes: readonly RoleShape[] = [
  { role: '1g', variant: 'base', computeSlices: 1, memorySlices: 1, starts: [0, 1, 2, 3, 4, 5, 6], maxCount: 7 },
  { role: '1g+me', variant: 'media', computeSlices: 1, memorySlices: 1, starts: [0, 1, 2, 3, 4, 5, 6], maxCount: 1 },
  { role: '1g-double', variant: 'double-memory', computeSlices: 1, memorySlices: 2, starts: [0, 2, 4, 6], maxCount: 4 },
  { role: '2g', variant: 'base', computeSlices: 2, memorySlices: 2, starts: [0, 2, 4], maxCount: 3 },
  { role: '3g', variant: 'base', computeSlices: 3, memorySlices: 4, starts: [0, 4], maxCount: 2 },
  { role: '4g', variant: 'base', computeSlices: 4, memorySlices: 4, starts: [0], maxCount: 1 },
  { role: '7g', variant: 'base', computeSlices: 7, memorySlices: 8, starts: [0], maxCount: 1 },
];

/** Engines by role, one table a GPU generation. */
export type SevenSliceEngines = Readonly<Record<SevenSliceRole, MediaEngines>>;

/** One 7-slice product: what differs between siblings, everything else comes from the family. */
export interface SevenSliceRow {
  readonly name: string;
  readonly variantOf?: string;
  readonly products: readonly string[];
  readonly pciIds: readonly string[];
  readonly minimumDriver?: Fact<string>;
  readonly remarks?: readonly string[];
  /** The gigabytes in the profile names, for 1, 2, 4 and 8 memory slices: `[5, 10, 20, 40]` gives 1g.5gb, 2g.10gb … */
  readonly gigabytes: readonly [number, number, number, number];
  /** Evidence that this product follows the family's placements. */
  readonly placement: Evidence;
  /** Memory of the whole GPU with MIG off, MiB. */
  readonly totalMiB: Fact<number>;
  /** Usable memory where it was read from a device; the rest is inferred with care. */
  readonly memoryMiB?: Partial<Record<SevenSliceRole, Fact<number>>>;
  readonly sms?: Partial<Record<SevenSliceRole | 'full', Fact<number>>>;
  readonly engines: SevenSliceEngines;
}

/** Builds the GPU model of a 7-slice product. */
export function sevenSliceModel(row: SevenSliceRow): GpuModel {
  const engines = row.engines['7g'];
  return {
    name: row.name,
    ...(row.variantOf === undefined ? {} : { variantOf: row.variantOf }),
    computeSlices: 7,
    memorySlices: 8,
    profiles: shapes.map((shape) => buildProfile(row, shape)),
    full: fullProfile({ computeSlices: 7, memorySlices: 8, totalMiB: row.totalMiB, sms: row.sms?.full, engines }),
    engines,
    products: row.products,
    pciIds: row.pciIds,
    ...(row.minimumDriver === undefined ? {} : { minimumDriver: row.minimumDriver }),
    remarks: row.remarks ?? [],
  };
}

function buildProfile(row: SevenSliceRow, shape: RoleShape): MigProfile {
  const { role, ...facts } = shape;
  const gigabytes = row.gigabytes[Math.log2(shape.memorySlices)];
  const sms = row.sms?.[role];
  return {
    name: `${shape.computeSlices}g.${gigabytes}gb${role === '1g+me' ? '+me' : ''}`,
    ...facts,
    memoryMiB: row.memoryMiB?.[role] ?? inferUsableMemory(row.gigabytes[3], row.totalMiB.value, shape.memorySlices),
    ...(sms === undefined ? {} : { sms }),
    engines: row.engines[role],
    placement: row.placement,
  };
}
