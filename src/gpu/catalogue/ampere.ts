import type { GpuModel } from '../gpu-model.js';
import { engines } from './engines.js';
import { certain, recalled, sources } from './evidence.js';
import { fourSliceModel } from './four-slice.js';
import { type SevenSliceEngines, sevenSliceModel } from './seven-slice.js';

const placement = { certainty: 'certain', source: `${sources.migGuide}; nvidia-smi mig -lgipp of the product` } as const;
const nvml = 'NVML values of the product, agreeing with nvidia-smi mig -lgip';

/** NVIDIA MIG User Guide, A100 MIG profiles, hardware units. */
const a100Engines: SevenSliceEngines = {
  '1g': engines(0, 0, 0, 0),
  '1g+me': engines(1, 0, 1, 1),
  '1g-double': engines(1, 0, 0, 0),
  '2g': engines(1, 0, 0, 0),
  '3g': engines(2, 0, 0, 0),
  '4g': engines(2, 0, 0, 0),
  '7g': engines(5, 0, 1, 1),
};

const a100Sms = {
  '1g': certain(14, nvml),
  '1g+me': certain(14, nvml),
  '1g-double': certain(14, nvml),
  '2g': certain(28, nvml),
  '3g': certain(42, nvml),
  '4g': certain(56, nvml),
  '7g': certain(98, nvml),
  full: certain(108, sources.dataSheet),
};

/** A100 and A30. */
export const ampereModels: readonly GpuModel[] = [
  sevenSliceModel({
    name: 'A100-40GB',
    products: [
      'NVIDIA A100-SXM4-40GB',
      'NVIDIA A100-PCIE-40GB',
      'NVIDIA A800-SXM4-40GB',
      'NVIDIA A800-PCIE-40GB',
      'NVIDIA A800 40GB Active',
    ],
    pciIds: ['20B0', '20B1', '20F1', '20F6'],
    minimumDriver: certain('R450', 'NVIDIA MIG User Guide, supported GPUs'),
    gigabytes: [5, 10, 20, 40],
    placement,
    totalMiB: recalled(40536, sources.smiTotal),
    memoryMiB: {
      '1g': certain(4864, nvml),
      '1g+me': certain(4864, nvml),
      '1g-double': certain(9856, nvml),
      '2g': certain(9856, nvml),
      '3g': certain(19968, nvml),
      '4g': certain(19968, nvml),
      '7g': certain(40192, nvml),
    },
    sms: a100Sms,
    engines: a100Engines,
    remarks: ['1g.10gb is the double-memory 1g here (at most 4); on 80 GB boards that name is the plain 1g (at most 7).'],
  }),
  sevenSliceModel({
    name: 'A100-80GB',
    products: [
      'NVIDIA A100-SXM4-80GB',
      'NVIDIA A100-SXM-80GB',
      'NVIDIA A100 80GB PCIe',
      'NVIDIA A100-PCIE-80GB',
      'NVIDIA A800-SXM4-80GB',
      'NVIDIA A800 80GB PCIe',
    ],
    pciIds: ['20B2', '20B5', '20F3', '20F5'],
    minimumDriver: certain('R450', 'NVIDIA MIG User Guide, supported GPUs'),
    gigabytes: [10, 20, 40, 80],
    placement,
    totalMiB: recalled(81037, sources.smiTotal),
    memoryMiB: {
      '1g': certain(9728, `${sources.listing}, the lower of two driver versions`),
      '1g+me': certain(9728, `${sources.listing}, the lower of two driver versions`),
      '1g-double': certain(19968, nvml),
      '2g': certain(19968, nvml),
      '3g': certain(40192, nvml),
      '4g': certain(40192, nvml),
      '7g': certain(80384, nvml),
    },
    sms: a100Sms,
    engines: a100Engines,
  }),
  fourSliceModel({
    name: 'A30-24GB',
    products: ['NVIDIA A30'],
    pciIds: ['20B7'],
    minimumDriver: certain('R460', 'NVIDIA MIG User Guide, supported GPUs'),
    placement,
    totalMiB: recalled(24062, sources.smiTotal),
    sms: certain(56, nvml),
    engines: engines(4, 0, 1, 1),
    profiles: [
      {
        name: '1g.6gb',
        slices: 1,
        variant: 'base',
        maxCount: 4,
        memoryMiB: certain(5836, nvml),
        sms: certain(14, nvml),
        engines: engines(0, 0, 0, 0),
      },
      {
        name: '1g.6gb+me',
        slices: 1,
        variant: 'media',
        maxCount: 1,
        memoryMiB: certain(5836, nvml),
        sms: certain(14, nvml),
        engines: engines(1, 0, 1, 1),
      },
      {
        name: '2g.12gb',
        slices: 2,
        variant: 'base',
        maxCount: 2,
        memoryMiB: certain(11672, nvml),
        sms: certain(28, nvml),
        engines: engines(2, 0, 0, 0),
      },
      {
        name: '2g.12gb+me',
        slices: 2,
        variant: 'media',
        maxCount: 1,
        memoryMiB: certain(11672, nvml),
        sms: certain(28, nvml),
        engines: engines(2, 0, 1, 1),
      },
      {
        name: '4g.24gb',
        slices: 4,
        variant: 'base',
        maxCount: 1,
        memoryMiB: certain(23344, nvml),
        sms: certain(56, nvml),
        engines: engines(4, 0, 1, 1),
      },
    ],
    remarks: ['1g.6gb+me needs driver R470, 2g.12gb+me needs R525.'],
  }),
];
