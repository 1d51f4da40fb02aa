import type { Fact, GpuModel } from '../gpu-model.js';
import { engines } from './engines.js';
import { certain, type Evidence, gibToMib, inferred, recalled, singleSource, sources } from './evidence.js';
import { type SevenSliceEngines, type SevenSliceRole, type SevenSliceRow, sevenSliceModel } from './seven-slice.js';

const listedPlacement: Evidence = { certainty: 'certain', source: `${sources.migGuide}; nvidia-smi mig -lgipp of the product` };
const siblingPlacement: Evidence = {
  certainty: 'inferred',
  source: 'placements of the sibling H100; instance counts of the NVIDIA MIG User Guide',
};
const supported = 'NVIDIA MIG User Guide, supported GPUs';

/** NVIDIA MIG User Guide, H100 and H200 MIG profiles: one NVDEC and one JPEG decoder a compute slice, OFA with +me and 7g only. */
export const hopperEngines: SevenSliceEngines = {
  '1g': engines(1, 0, 1, 0),
  '1g+me': engines(1, 0, 1, 1),
  '1g-double': engines(1, 0, 1, 0),
  '2g': engines(2, 0, 2, 0),
  '3g': engines(3, 0, 3, 0),
  '4g': engines(4, 0, 4, 0),
  '7g': engines(7, 0, 7, 1),
};

/** Multiprocessors of GH100 boards with 132: not proportional to the slices, a 3g has 3.75 times those of a 1g. */
function sms132(fact: <T>(value: T, source: string) => Fact<T>, source: string): NonNullable<SevenSliceRow['sms']> {
  return {
    '1g': fact(16, source),
    '1g+me': fact(16, source),
    '1g-double': fact(26, source),
    '2g': fact(32, source),
    '3g': fact(60, source),
    '4g': fact(64, source),
    '7g': fact(132, source),
    full: fact(132, source),
  };
}

/** Memory in GiB as `nvidia-smi mig -lgip` prints it, for 1, 2, 4 and 8 memory slices; the lowest of all driver versions seen. */
function listedMemory(
  fact: <T>(value: T, source: string) => Fact<T>,
  gib: { readonly one: number; readonly two: number; readonly four?: number; readonly eight?: number },
): Partial<Record<SevenSliceRole, Fact<number>>> {
  const mib = (value: number) => fact(gibToMib(value), `${sources.listing}, the lowest seen`);
  return {
    '1g': mib(gib.one),
    '1g+me': mib(gib.one),
    '1g-double': mib(gib.two),
    '2g': mib(gib.two),
    ...(gib.four === undefined ? {} : { '3g': mib(gib.four), '4g': mib(gib.four) }),
    ...(gib.eight === undefined ? {} : { '7g': mib(gib.eight) }),
  };
}

const h100: Pick<SevenSliceRow, 'gigabytes' | 'placement' | 'memoryMiB' | 'engines' | 'minimumDriver' | 'totalMiB'> = {
  gigabytes: [10, 20, 40, 80],
  placement: listedPlacement,
  totalMiB: recalled(81559, sources.smiTotal),
  memoryMiB: listedMemory(certain, { one: 9.75, two: 19.62, four: 39.5, eight: 79.25 }),
  engines: hopperEngines,
  minimumDriver: certain('R525', supported),
};

/** H100, H200, H20 and the Hopper halves of Grace Hopper. */
export const hopperModels: readonly GpuModel[] = [
  sevenSliceModel({
    ...h100,
    name: 'H100-80GB',
    products: ['NVIDIA H100 80GB'],
    pciIds: ['2330', '2331', '2322', '2324'],
    remarks: ['The PCIe and the SXM board share layouts but not speed: measure on the board you use and name it.'],
  }),
  sevenSliceModel({
    ...h100,
    name: 'H100-80GB-PCIe',
    variantOf: 'H100-80GB',
    products: ['NVIDIA H100 PCIe', 'NVIDIA H100 80GB PCIe', 'NVIDIA H800 PCIe'],
    pciIds: ['2331', '2322'],
    sms: {
      '1g': singleSource(14, sources.listing),
      '1g+me': singleSource(14, sources.listing),
      '1g-double': singleSource(14, sources.listing),
      '2g': singleSource(30, sources.listing),
      '3g': singleSource(46, sources.listing),
      '4g': singleSource(62, sources.listing),
      '7g': singleSource(114, sources.listing),
      full: certain(114, sources.dataSheet),
    },
  }),
  sevenSliceModel({
    ...h100,
    name: 'H100-80GB-SXM',
    variantOf: 'H100-80GB',
    products: ['NVIDIA H100 80GB HBM3', 'NVIDIA H100 SXM5 80GB', 'NVIDIA H800', 'NVIDIA H800 SXM5'],
    pciIds: ['2330', '2324'],
    sms: sms132(certain, sources.listing),
  }),
  sevenSliceModel({
    name: 'H100-94GB',
    products: ['NVIDIA H100 NVL', 'NVIDIA H100 SXM5 94GB', 'NVIDIA H800 NVL'],
    pciIds: ['2321', '233A'],
    minimumDriver: certain('R525', supported),
    gigabytes: [12, 24, 47, 94],
    placement: listedPlacement,
    totalMiB: recalled(95830, sources.smiTotal),
    memoryMiB: listedMemory(certain, { one: 10.6, two: 21.5, four: 46.1 }),
    sms: sms132(certain, sources.listing),
    engines: hopperEngines,
  }),
  sevenSliceModel({
    name: 'H100-96GB',
    products: ['NVIDIA H100 SXM5 96GB', 'NVIDIA H100 96GB HBM3'],
    pciIds: ['233D'],
    minimumDriver: certain('R525', supported),
    gigabytes: [12, 24, 48, 96],
    placement: siblingPlacement,
    totalMiB: recalled(97871, sources.smiTotal),
    sms: sms132(inferred, 'sibling H100 boards with 132 multiprocessors'),
    engines: hopperEngines,
  }),
  sevenSliceModel({
    name: 'H20-96GB',
    products: ['NVIDIA H20'],
    pciIds: ['2329'],
    minimumDriver: certain('R535', supported),
    gigabytes: [12, 24, 48, 96],
    placement: siblingPlacement,
    totalMiB: recalled(97871, sources.smiTotal),
    sms: { full: recalled(78, sources.dataSheet) },
    engines: hopperEngines,
  }),
  sevenSliceModel({
    name: 'H200-141GB',
    products: ['NVIDIA H200', 'NVIDIA H200 NVL', 'NVIDIA H200 SXM5'],
    pciIds: ['2335', '233B'],
    minimumDriver: certain('R550', supported),
    gigabytes: [18, 35, 71, 141],
    placement: listedPlacement,
    totalMiB: recalled(143771, sources.smiTotal),
    memoryMiB: listedMemory(certain, { one: 16, two: 32.25, four: 69.5, eight: 139.75 }),
    sms: sms132(certain, sources.listing),
    engines: hopperEngines,
    remarks: ['1g.35gb is the double-memory 1g here (at most 4); on GB300 that name is the plain 1g (at most 7).'],
  }),
  sevenSliceModel({
    name: 'GH200-96GB',
    products: ['NVIDIA GH200 480GB', 'NVIDIA GH200 96GB HBM3'],
    pciIds: ['2342'],
    minimumDriver: recalled('R535', supported),
    gigabytes: [12, 24, 48, 96],
    placement: siblingPlacement,
    totalMiB: recalled(97871, sources.smiTotal),
    sms: sms132(inferred, 'sibling H100 boards with 132 multiprocessors'),
    engines: hopperEngines,
    remarks: ['nvidia-smi calls this board GH200 480GB, after the memory of its CPU.'],
  }),
  sevenSliceModel({
    name: 'GH200-144GB',
    products: ['NVIDIA GH200 144G HBM3e', 'NVIDIA GH200 144GB HBM3e'],
    pciIds: ['2348'],
    minimumDriver: recalled('R550', supported),
    gigabytes: [18, 36, 72, 144],
    placement: siblingPlacement,
    totalMiB: recalled(146831, sources.smiTotal),
    memoryMiB: listedMemory(singleSource, { one: 17.5, two: 35.25 }),
    sms: {
      ...sms132(inferred, 'sibling H100 boards with 132 multiprocessors'),
      '1g': singleSource(16, sources.listing),
      '1g+me': singleSource(16, sources.listing),
      '1g-double': singleSource(26, sources.listing),
      '2g': singleSource(32, sources.listing),
    },
    engines: hopperEngines,
  }),
];
