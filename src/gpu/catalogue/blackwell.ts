import type { GpuModel, MediaEngines, ProfileVariant } from '../gpu-model.js';
import { engines } from './engines.js';
import { certain, type Evidence, gibToMib, inferred, recalled, singleSource, sources } from './evidence.js';
import { type FourSliceProfileRow, fourSliceModel } from './four-slice.js';
import { hopperEngines } from './hopper.js';
import { sevenSliceModel } from './seven-slice.js';

const supported = 'NVIDIA MIG User Guide, supported GPUs';
const sevenSlicePlacement: Evidence = {
  certainty: 'inferred',
  source: 'placements of A100 and H100; fractions and instance counts of the NVIDIA MIG User Guide and mig-parted',
};

/** The guide prints one NVDEC an instance, nvidia-smi lists two for a 2g: the device is believed, which matches Hopper. */
const blackwellEngines = hopperEngines;

const b200Listed = (value: number) => certain(value, sources.listing);
const gb200Listed = (value: number) => singleSource(value, sources.listing);
const gib = (value: number) => certain(gibToMib(value), `${sources.listing}, the lowest seen`);
const singleGib = (value: number) => singleSource(gibToMib(value), sources.listing);

const all = engines(4, 4, 4, 1);
const none = engines(0, 0, 0, 0);

/** Profiles of RTX PRO 6000 Blackwell: name suffix, variant, most instances and engines differ, the rest follows from the size. */
function rtxProfile(slices: 1 | 2 | 4, suffix: string, variant: ProfileVariant, maxCount: number, held: MediaEngines): FourSliceProfileRow {
  const size = { 1: { memory: 23.12, sms: 46 }, 2: { memory: 47.38, sms: 94 }, 4: { memory: 95, sms: 188 } }[slices];
  const source = `${sources.migGuide}; ${sources.listing}, the lowest seen`;
  return {
    name: `${slices}g.${24 * slices}gb${suffix}`,
    slices,
    variant,
    maxCount,
    memoryMiB: certain(gibToMib(size.memory), source),
    sms: certain(size.sms, source),
    engines: held,
  };
}

/** B200, B300, their Grace siblings, and the workstation and server RTX PRO boards. */
export const blackwellModels: readonly GpuModel[] = [
  sevenSliceModel({
    name: 'B200-180GB',
    products: ['NVIDIA B200', 'NVIDIA HGX B200'],
    pciIds: ['2901'],
    minimumDriver: certain('R570', supported),
    gigabytes: [23, 45, 90, 180],
    placement: sevenSlicePlacement,
    totalMiB: recalled(183359, sources.smiTotal),
    memoryMiB: { '1g': gib(20.5), '1g+me': gib(20.5), '1g-double': gib(44.25), '2g': gib(44.25) },
    sms: {
      '1g': b200Listed(18),
      '1g+me': b200Listed(18),
      '1g-double': b200Listed(30),
      '2g': b200Listed(36),
      full: recalled(148, sources.dataSheet),
    },
    engines: blackwellEngines,
  }),
  sevenSliceModel({
    name: 'GB200-186GB',
    products: ['NVIDIA GB200', 'NVIDIA HGX GB200'],
    pciIds: ['2941'],
    minimumDriver: certain('R570', supported),
    gigabytes: [23, 47, 93, 186],
    placement: sevenSlicePlacement,
    totalMiB: recalled(189471, sources.smiTotal),
    memoryMiB: { '1g': singleGib(20), '1g+me': singleGib(20), '1g-double': singleGib(45.5), '2g': singleGib(45.5) },
    sms: {
      '1g': gb200Listed(18),
      '1g+me': gb200Listed(18),
      '1g-double': gb200Listed(32),
      '2g': gb200Listed(38),
      full: recalled(152, sources.dataSheet),
    },
    engines: blackwellEngines,
    remarks: ['Some GB200 boards print other names (1g.24gb, 4g.95gb, 7g.189gb); for those see GB200-189GB.'],
  }),
  sevenSliceModel({
    name: 'GB200-189GB',
    products: [],
    pciIds: [],
    minimumDriver: certain('R570', supported),
    gigabytes: [23, 47, 95, 189],
    placement: sevenSlicePlacement,
    totalMiB: recalled(189471, sources.smiTotal),
    memoryMiB: { '1g': singleGib(20), '1g+me': singleGib(20), '1g-double': singleGib(45.5), '2g': singleGib(45.5) },
    sms: {
      '1g': gb200Listed(18),
      '1g+me': gb200Listed(18),
      '1g-double': gb200Listed(32),
      '2g': gb200Listed(38),
      full: recalled(152, sources.dataSheet),
    },
    engines: blackwellEngines,
    remarks: [
      'Same product label and PCI id as GB200-186GB: tell them apart by the name of the 7g, 7g.189gb here.',
      'The 3g is printed as 3g.93gb on some of these boards; both names are understood.',
    ],
  }),
  sevenSliceModel({
    name: 'B300-269GB',
    products: ['NVIDIA B300', 'NVIDIA B300 SXM6 AC', 'NVIDIA HGX B300'],
    pciIds: ['3182'],
    minimumDriver: certain('R580', supported),
    gigabytes: [34, 67, 135, 269],
    placement: sevenSlicePlacement,
    totalMiB: recalled(275040, sources.smiTotal),
    engines: blackwellEngines,
  }),
  sevenSliceModel({
    name: 'GB300-278GB',
    products: ['NVIDIA GB300', 'NVIDIA HGX GB300'],
    pciIds: ['31C2'],
    minimumDriver: inferred('R595', `${supported} (lists the GB300 station only)`),
    gigabytes: [35, 70, 139, 278],
    placement: sevenSlicePlacement,
    totalMiB: recalled(284208, sources.smiTotal),
    engines: blackwellEngines,
    remarks: ['1g.35gb is the plain 1g here (at most 7); on H200 that name is the double-memory 1g (at most 4).'],
  }),
  fourSliceModel({
    name: 'RTX-PRO-6000-96GB',
    products: [
      'NVIDIA RTX PRO 6000 Blackwell',
      'NVIDIA RTX PRO 6000 Blackwell Server Edition',
      'NVIDIA RTX PRO 6000 Blackwell Workstation Edition',
      'NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition',
    ],
    pciIds: ['2BB5', '2BB1', '2BB4'],
    minimumDriver: certain('R575', supported),
    placement: { certainty: 'inferred', source: 'placements of A30, the other 4-slice chip; instance counts of the NVIDIA MIG User Guide' },
    totalMiB: recalled(97887, sources.smiTotal),
    sms: certain(188, sources.dataSheet),
    engines: all,
    profiles: [
      rtxProfile(1, '', 'base', 4, engines(1, 1, 1, 0)),
      rtxProfile(1, '+me', 'media', 1, engines(1, 1, 1, 1)),
      rtxProfile(1, '+gfx', 'graphics', 4, engines(1, 1, 1, 0)),
      rtxProfile(1, '+me.all', 'all-media', 1, all),
      rtxProfile(1, '-me', 'no-media', 4, none),
      rtxProfile(2, '', 'base', 2, engines(2, 2, 2, 0)),
      rtxProfile(2, '+gfx', 'graphics', 2, engines(2, 2, 2, 0)),
      rtxProfile(2, '+me.all', 'all-media', 1, all),
      rtxProfile(2, '-me', 'no-media', 2, none),
      rtxProfile(4, '', 'base', 1, all),
      rtxProfile(4, '+gfx', 'graphics', 1, all),
    ],
    remarks: ['Graphics APIs work in +gfx profiles only.'],
  }),
];
