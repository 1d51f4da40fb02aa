import { ownProfile } from './base-profiles.js';
import { closestNames } from './closest-names.js';
import type { GpuModel, MigProfile } from './gpu-model.js';

/** What a written profile name means on one GPU model. */
export type ProfileSearch =
  /** `drifted` when the name differs from the catalogue's and was matched by its slices. */
  | { readonly kind: 'found'; readonly profile: MigProfile; readonly drifted?: boolean }
  /** Profiles of the model that look like it, best first. */
  | { readonly kind: 'unknown'; readonly suggestions: readonly string[] };

/** Names of one profile differ between drivers by rounding only (3g.39gb, 3g.40gb); the next real size is at least twice as large. */
const largestDrift = 0.15;

/**
 * Finds a profile of this GPU model by its name, `full`, the Kubernetes resource spelling (`nvidia.com/mig-1g.24gb.me.all`), or
 * a name that another driver prints for it. The same name may mean different slices on different models.
 */
export function findProfile(model: GpuModel, name: string): ProfileSearch {
  const wanted = normalize(name);
  const exact = ownProfile(model, wanted);
  if (exact !== undefined) return { kind: 'found', profile: exact };
  const [drifted, ...others] = findDrifted(model, wanted);
  if (drifted !== undefined && others.length === 0) return { kind: 'found', profile: drifted, drifted: true };
  const names = [...model.profiles, model.full].map((profile) => profile.name);
  return { kind: 'unknown', suggestions: closestNames(wanted, names, (known) => known) };
}

/** Lower case, without resource prefix; `.me` after the memory is how Kubernetes writes `+me`. */
function normalize(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^nvidia\.com\//, '')
    .replace(/^mig[\s-]/, '')
    .replace(/(gb)\./, '$1+');
}

function findDrifted(model: GpuModel, wanted: string): readonly MigProfile[] {
  const written = parseName(wanted);
  if (written === undefined) return [];
  return model.profiles.filter((profile) => {
    const known = parseName(profile.name);
    if (known === undefined || known.slices !== written.slices || known.suffix !== written.suffix) return false;
    return Math.abs(known.gigabytes - written.gigabytes) <= largestDrift * known.gigabytes;
  });
}

function parseName(name: string): { readonly slices: string; readonly gigabytes: number; readonly suffix: string } | undefined {
  const match = /^(\d+)g\.(\d+)gb(.*)$/.exec(name);
  if (match === null) return undefined;
  const [, slices = '', gigabytes = '', suffix = ''] = match;
  return { slices, gigabytes: Number(gigabytes), suffix };
}
