import { createHash } from 'node:crypto';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { GpuModel } from '../../gpu/gpu-model.js';
import { placeOnGpu } from '../../gpu/placement.js';

/** How the device plugin of a node offers MIG instances. */
export type MigStrategy = 'none' | 'single' | 'mixed';

export interface EmulatedInstance {
  /** Name in the catalogue. */
  readonly profile: string;
  readonly start: number;
  readonly uuid: string;
}

export interface EmulatedGpu {
  readonly uuid: string;
  readonly migEnabled: boolean;
  /** Ascending by start. */
  readonly instances: readonly EmulatedInstance[];
}

/** What is really in an emulated node: the truth that labels, allocatable and NodeState follow, or not. */
export interface Hardware {
  /** GPU model of the catalogue. */
  readonly model: string;
  readonly strategy: MigStrategy;
  /** Names that this node's driver prints for profiles, by catalogue name, where they differ. */
  readonly names?: Readonly<Record<string, string>>;
  /** How often a GPU was cut: part of the uuids of instances, which are never used twice. */
  readonly cuts: number;
  readonly gpus: readonly EmulatedGpu[];
}

/** Instances by profile; `null` for MIG off. */
export type Cut = Readonly<Record<string, number>> | null;

export interface NewHardware {
  readonly model: string;
  readonly gpus: number;
  readonly strategy?: MigStrategy;
  readonly names?: Readonly<Record<string, string>>;
}

/** A node's GPUs as they come from the factory: MIG off. */
export function newHardware(node: string, { model, gpus, strategy = 'mixed', names }: NewHardware): Hardware {
  return {
    model,
    strategy,
    ...(names === undefined ? {} : { names }),
    cuts: 0,
    gpus: Array.from({ length: gpus }, (_, index) => ({ uuid: `GPU-${uuidOf(node, index)}`, migEnabled: false, instances: [] })),
  };
}

/** The GPU model of emulated hardware. Throws RangeError when the catalogue does not know it. */
export function modelOf({ model }: Pick<Hardware, 'model'>): GpuModel {
  const found = findGpuModel(builtInCatalogue, model);
  if (found.kind !== 'found') throw new RangeError(`no GPU model is called ${model}`);
  return found.model;
}

/** How one GPU is cut now. */
export function cutOf({ migEnabled, instances }: EmulatedGpu): Cut {
  if (!migEnabled) return null;
  const counts: Record<string, number> = {};
  for (const { profile } of instances) counts[profile] = (counts[profile] ?? 0) + 1;
  return counts;
}

/** Whether two cuts ask for the same instances, wherever they sit: what mig-parted compares. */
export function sameCut(one: Cut, other: Cut): boolean {
  if (one === null || other === null) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => (one[name] ?? 0) === (other[name] ?? 0));
}

/**
 * One GPU wiped and cut anew. A cut that no placement allows leaves the GPU empty with MIG on, as the driver does, and
 * answers `refused`.
 */
export function recut(
  node: string,
  hardware: Hardware,
  index: number,
  cut: Cut,
): { readonly hardware: Hardware; readonly refused: boolean } {
  const model = modelOf(hardware);
  const cuts = hardware.cuts + 1;
  const before = hardware.gpus[index];
  if (before === undefined) return { hardware, refused: true };
  const wanted = Object.entries(cut ?? {}).flatMap(([name, count]) => {
    const found = findProfile(model, catalogueName(hardware, name));
    return Array.from({ length: count }, () => (found.kind === 'found' && found.profile.variant !== 'full' ? found.profile : undefined));
  });
  const known = wanted.filter((profile) => profile !== undefined);
  const placement = placeOnGpu(model, known);
  const refused = cut !== null && (known.length < wanted.length || placement.kind !== 'placed');
  const layout = refused || placement.kind !== 'placed' || cut === null ? [] : placement.layout;
  const instances = layout.map(({ profile, start }) => ({
    profile: profile.name,
    start,
    uuid: `MIG-${uuidOf(node, index, cuts, start)}`,
  }));
  const after: EmulatedGpu = { uuid: before.uuid, migEnabled: cut !== null, instances };
  return { hardware: { ...hardware, cuts, gpus: hardware.gpus.with(index, after) }, refused };
}

/** The name that the node's driver prints for a profile of the catalogue. */
export function driverName({ names = {} }: Hardware, profile: string): string {
  return names[profile] ?? profile;
}

/** The catalogue's name for a profile as this node prints it. */
export function catalogueName({ names = {} }: Hardware, printed: string): string {
  return Object.entries(names).find(([, name]) => name === printed)?.[0] ?? printed;
}

function uuidOf(...parts: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(parts.join('/')).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
