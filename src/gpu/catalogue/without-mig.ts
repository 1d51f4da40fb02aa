import type { Fact, GpuModel, MediaEngines } from '../gpu-model.js';
import { engines } from './engines.js';
import { recalled, sources } from './evidence.js';
import { fullProfile } from './full-profile.js';

interface WithoutMigRow {
  readonly name: string;
  readonly products: readonly string[];
  readonly pciIds: readonly string[];
  readonly totalMiB: Fact<number>;
  readonly sms: Fact<number>;
  readonly engines: MediaEngines;
}

function withoutMig(row: WithoutMigRow): GpuModel {
  const { totalMiB, sms, ...facts } = row;
  return {
    ...facts,
    computeSlices: 1,
    memorySlices: 1,
    profiles: [],
    full: fullProfile({ computeSlices: 1, memorySlices: 1, totalMiB, sms, engines: row.engines }),
    remarks: ['This GPU has no MIG: it is one instance, profile full.'],
  };
}

/** GPUs that cannot be cut: one instance each, which services may still share by MPS. */
export const withoutMigModels: readonly GpuModel[] = [
  withoutMig({
    name: 'V100-16GB',
    products: ['Tesla V100-SXM2-16GB', 'Tesla V100-PCIE-16GB'],
    pciIds: ['1DB1', '1DB4'],
    totalMiB: recalled(16160, sources.smiTotal),
    sms: recalled(80, sources.dataSheet),
    engines: engines(1, 3, 0, 0),
  }),
  withoutMig({
    name: 'V100-32GB',
    products: ['Tesla V100-SXM2-32GB', 'Tesla V100-PCIE-32GB', 'Tesla V100-SXM3-32GB', 'Tesla V100S-PCIE-32GB'],
    pciIds: ['1DB5', '1DB6', '1DB8', '1DF6'],
    totalMiB: recalled(32510, sources.smiTotal),
    sms: recalled(80, sources.dataSheet),
    engines: engines(1, 3, 0, 0),
  }),
  withoutMig({
    name: 'T4-16GB',
    products: ['Tesla T4', 'NVIDIA T4'],
    pciIds: ['1EB8'],
    totalMiB: recalled(15109, sources.smiTotal),
    sms: recalled(40, sources.dataSheet),
    engines: engines(2, 1, 0, 0),
  }),
  withoutMig({
    name: 'A10-24GB',
    products: ['NVIDIA A10'],
    pciIds: ['2236'],
    totalMiB: recalled(22731, sources.smiTotal),
    sms: recalled(72, sources.dataSheet),
    engines: engines(2, 1, 0, 1),
  }),
  withoutMig({
    name: 'L4-24GB',
    products: ['NVIDIA L4'],
    pciIds: ['27B8'],
    totalMiB: recalled(23034, sources.smiTotal),
    sms: recalled(58, sources.dataSheet),
    engines: engines(4, 2, 4, 1),
  }),
  withoutMig({
    name: 'L40S-48GB',
    products: ['NVIDIA L40S'],
    pciIds: ['26B9'],
    totalMiB: recalled(46068, sources.smiTotal),
    sms: recalled(142, sources.dataSheet),
    engines: engines(3, 3, 4, 1),
  }),
];
