import type { Certainty, Fact } from '../gpu-model.js';

/** A fact that NVIDIA prints, or that two or more independent command outputs show. */
export function certain<T>(value: T, source: string): Fact<T> {
  return { value, certainty: 'certain', source };
}

/** A fact that one public source shows. */
export function singleSource<T>(value: T, source: string): Fact<T> {
  return { value, certainty: 'single-source', source };
}

/** A fact derived from a rule or from a sibling product. */
export function inferred<T>(value: T, source: string): Fact<T> {
  return { value, certainty: 'inferred', source };
}

/** A fact from memory: read the device before you rely on it. */
export function recalled<T>(value: T, source: string): Fact<T> {
  return { value, certainty: 'recalled', source };
}

/** Where a placement table comes from and how sure it is. */
export interface Evidence {
  readonly certainty: Certainty;
  readonly source: string;
}

/** Sources that several rows share, so that they read the same everywhere. */
export const sources = {
  migGuide: 'NVIDIA MIG User Guide, supported MIG profiles',
  migParted: 'NVIDIA mig-parted, default configuration',
  listing: 'output of nvidia-smi mig -lgip',
  smiTotal: 'memory total of nvidia-smi',
  dataSheet: 'NVIDIA data sheet',
} as const;

/** GiB as printed by NVIDIA's tools to whole MiB, rounded down. */
export function gibToMib(gib: number): number {
  return Math.floor(gib * 1024);
}
