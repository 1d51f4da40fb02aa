import { parse } from 'yaml';
import * as z from 'zod';
import { baseProfiles } from '../../gpu/base-profiles.js';
import type { GpuModel } from '../../gpu/gpu-model.js';
import type { Cut } from './hardware.js';

const entrySchema = z.strictObject({
  'device-filter': z.union([z.string(), z.array(z.string())]).optional(),
  devices: z.union([z.literal('all'), z.array(z.number().int().min(0))]),
  'mig-enabled': z.boolean(),
  'mig-devices': z.record(z.string(), z.number().int().min(0)).nullish(),
});

const fileSchema = z.strictObject({ version: z.literal('v1'), 'mig-configs': z.record(z.string(), z.array(entrySchema)) });

type MigConfigs = z.infer<typeof fileSchema>['mig-configs'];

/** The configs of a mig-parted file by name; undefined for a file that mig-parted would not take. */
export function readMigConfigs(text: string): MigConfigs | undefined {
  try {
    return fileSchema.parse(parse(text))['mig-configs'];
  } catch {
    return undefined;
  }
}

/** The configs that mig-manager makes by itself for a node when no ConfigMap replaces them. */
export function standardConfigs(model: GpuModel): MigConfigs {
  const all = (cut: Cut) => [
    { devices: 'all' as const, 'mig-enabled': cut !== null, ...(cut === null ? {} : { 'mig-devices': { ...cut } }) },
  ];
  const single = model.profiles.map(({ name, maxCount }) => [`all-${name.replaceAll('+', '.')}`, all({ [name]: maxCount })] as const);
  const [one, two, three] = [1, 2, 3].map((slices) => baseProfiles(model).find(({ computeSlices }) => computeSlices === slices)?.name);
  const balanced: Record<string, number> = {};
  if (one !== undefined) balanced[one] = 2;
  if (two !== undefined) balanced[two] = 1;
  if (three !== undefined && model.computeSlices === 7) balanced[three] = 1;
  return {
    'all-disabled': all(null),
    'all-enabled': all({}),
    ...Object.fromEntries(single),
    ...(model.profiles.length === 0 ? {} : { 'all-balanced': all(balanced) }),
  };
}

/** What a config asks of each GPU of a node; undefined for a GPU that it does not name. The last entry that names a GPU counts. */
export function cutsOf(config: MigConfigs[string], gpus: number, model: GpuModel): (Cut | undefined)[] {
  const cuts = Array.from({ length: gpus }, (): Cut | undefined => undefined);
  for (const { devices, 'device-filter': filter, 'mig-enabled': enabled, 'mig-devices': wanted } of config) {
    if (filter !== undefined && ![filter].flat().some((id) => model.pciIds.some((own) => id.toUpperCase().startsWith(`0X${own}`))))
      continue;
    for (let index = 0; index < gpus; index += 1) {
      if (devices === 'all' || devices.includes(index)) cuts[index] = enabled ? (wanted ?? {}) : null;
    }
  }
  return cuts;
}
