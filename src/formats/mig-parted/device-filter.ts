import type { GpuCatalogue, GpuModel } from '../../gpu/gpu-model.js';
import type { GpuSetting } from './fill-nodes.js';

/** NVIDIA's PCI vendor id, which mig-parted wants after the device id. */
const vendor = '10DE';

/**
 * The PCI ids that a config is limited to: when the plan has nodes of several GPU models, or when one of its profile names
 * means another slice on another known model. Undefined when no filter is needed or no PCI id is known.
 */
export function chooseDeviceFilter(
  model: GpuModel,
  gpus: readonly (GpuSetting | undefined)[],
  isMixed: boolean,
  { models }: GpuCatalogue,
): readonly string[] | undefined {
  if (model.pciIds.length === 0) return undefined;
  const names = new Set(gpus.flatMap((gpu) => (gpu?.migDevices ?? []).map(([name]) => name)));
  const isAmbiguous = [...names].some((name) => models.some((other) => meansAnother(name, model, other)));
  return isMixed || isAmbiguous ? model.pciIds.map((id) => `0x${id}${vendor}`) : undefined;
}

function meansAnother(name: string, model: GpuModel, other: GpuModel): boolean {
  const [own, others] = [model, other].map(({ profiles }) => profiles.find((profile) => profile.name === name));
  return own !== undefined && others !== undefined && (own.maxCount !== others.maxCount || own.memorySlices !== others.memorySlices);
}
