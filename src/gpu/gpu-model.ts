/**
 * The words of the hardware: GPU models, their MIG profiles and where an instance may sit.
 * Values only; the catalogue of known models is in `catalogue/`.
 */

/** How sure a fact is: quoted by NVIDIA or by two independent outputs; by one source; derived from a rule or a sibling product; or from memory. */
export type Certainty = 'certain' | 'single-source' | 'inferred' | 'recalled';

/** A value with its evidence, so that nobody has to trust a bare number. */
export interface Fact<T> {
  readonly value: T;
  readonly certainty: Certainty;
  /** The document or output the value comes from, in words. */
  readonly source: string;
}

/** Media engines that an instance holds; the sum over a GPU may not exceed what the GPU has. */
export interface MediaEngines {
  readonly decoder: number;
  readonly encoder: number;
  readonly jpeg: number;
  readonly opticalFlow: number;
}

/**
 * What sets a profile apart from the plain one of its size.
 * `full` is the whole GPU with MIG off (or without MIG): one instance.
 */
export type ProfileVariant = 'full' | 'base' | 'double-memory' | 'media' | 'all-media' | 'no-media' | 'graphics';

/** A slice type of one GPU model, such as `1g.10gb`. Names are only meaningful together with their model. */
export interface MigProfile {
  readonly name: string;
  readonly variant: ProfileVariant;
  /** Compute slices taken (1..7). */
  readonly computeSlices: number;
  /** Memory slices taken (1..8): the width of the instance in a `start:size` placement. */
  readonly memorySlices: number;
  /** Memory slices at which an instance may start, ascending. */
  readonly starts: readonly number[];
  /** Most instances of this profile on one GPU. */
  readonly maxCount: number;
  /** Memory a process can really use, in MiB: less than the name says. */
  readonly memoryMiB: Fact<number>;
  /** Streaming multiprocessors, where known. */
  readonly sms?: Fact<number>;
  readonly engines: MediaEngines;
  /** Evidence for the placements (`starts`, `maxCount`). */
  readonly placement: Omit<Fact<never>, 'value'>;
}

/** A GPU product with its sharing rules. */
export interface GpuModel {
  /** Canonical name, such as `A100-80GB`. */
  readonly name: string;
  /** The plain model whose performance rows may stand in when a variant has none (`H100-80GB` for `H100-80GB-SXM`). */
  readonly variantOf?: string;
  /** Compute and memory slices of the whole GPU; 1 and 1 for a GPU without MIG. */
  readonly computeSlices: number;
  readonly memorySlices: number;
  /** MIG profiles, in the order smallest to largest; empty for a GPU without MIG. */
  readonly profiles: readonly MigProfile[];
  /** The whole GPU as one instance, profile name `full`. */
  readonly full: MigProfile;
  /** Engines of the whole GPU. */
  readonly engines: MediaEngines;
  /** Marketing names and `nvidia.com/gpu.product` label values that mean this model. */
  readonly products: readonly string[];
  /** PCI device ids (vendor 10DE), four upper-case hex digits. */
  readonly pciIds: readonly string[];
  /** Minimum driver for MIG, such as `R525`, where known. */
  readonly minimumDriver?: Fact<string>;
  /** Things a user should know, one sentence each. */
  readonly remarks: readonly string[];
}

/** One placed slice of a GPU: profile and first memory slice. Written `1g.10gb@4`. */
export interface PlacedProfile {
  readonly profile: MigProfile;
  readonly start: number;
}

/** The set of placed instances of one GPU (NVIDIA: geometry), ascending by start. */
export type Layout = readonly PlacedProfile[];

/** Rules of a driver or a site beyond the placements. */
export interface LayoutRules {
  /** Drivers before R510 cannot hold a 4g and a 3g on one GPU. Default false. */
  readonly forbid4gWith3g?: boolean;
}

/** The GPU models that are known: built-in ones and those a user added. */
export interface GpuCatalogue {
  readonly models: readonly GpuModel[];
}
