import { inlayError } from '../../errors.js';
import { childrenAt, readXml, textAt, type XmlElement } from './xml-tree.js';

/** One MIG instance as the driver tells of it. */
export interface DriverInstance {
  readonly profile: string;
  /** First memory slice. */
  readonly start: number;
  /** Of the compute instances in it; several when it is divided further. */
  readonly uuids: readonly string[];
}

/** One GPU as the driver tells of it. */
export interface DriverGpu {
  /** As nvidia-smi counts: in the order of PCI addresses. */
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  readonly migEnabled: boolean;
  /** Ascending by start. */
  readonly instances: readonly DriverInstance[];
}

export interface DriverReport {
  readonly driver: string;
  readonly gpus: readonly DriverGpu[];
}

/** What the three calls of nvidia-smi print. */
export interface NvidiaSmiTexts {
  /** `nvidia-smi -q -x`. */
  readonly query: string;
  /** `nvidia-smi mig -lgi`: which instances there are and where they start. */
  readonly instances: string;
  /** `nvidia-smi -L`: the uuids of instances, which stand nowhere else. */
  readonly list: string;
}

/**
 * Puts together how each GPU is cut. No single call tells it all: the query links the devices of `-L` to the instances of
 * `-lgi`. Throws DRIVER_REPORT_UNREADABLE when the texts are not what nvidia-smi prints, or contradict each other because
 * the GPUs were cut between two calls.
 */
export function readNvidiaSmi({ query, instances, list }: NvidiaSmiTexts): DriverReport {
  const log = readQuery(query);
  const placed = readInstances(instances);
  const uuids = readList(list);
  const gpus = childrenAt(log, 'gpu').map((element, index): DriverGpu => {
    const uuid = textAt(element, 'uuid') ?? '';
    if (uuid === '') throw unreadable('nvidia-smi -q -x', `GPU ${index} has no uuid`, '<uuid>');
    const own = placed.filter((instance) => instance.gpu === index);
    const devices = readDevices(element, uuids.get(index) ?? new Map());
    const known = new Set(own.map(({ id }) => id));
    const stranger = devices.find(({ instance }) => !known.has(instance));
    if (stranger !== undefined) {
      throw unreadable(
        'nvidia-smi',
        `GPU ${index} has a device on instance ${stranger.instance}, which -lgi does not list`,
        'texts of one moment',
      );
    }
    return {
      index,
      uuid,
      product: textAt(element, 'product_name') ?? '',
      migEnabled: textAt(element, 'mig_mode', 'current_mig') === 'Enabled',
      instances: own
        .map(({ id, profile, start }) => ({
          profile,
          start,
          uuids: devices.filter(({ instance }) => instance === id).map((device) => device.uuid),
        }))
        .sort((one, other) => one.start - other.start),
    };
  });
  return { driver: textAt(log, 'driver_version') ?? '', gpus };
}

function readQuery(text: string): XmlElement {
  try {
    const log = readXml(text);
    if (log.name === 'nvidia_smi_log') return log;
  } catch (error) {
    throw unreadable('nvidia-smi -q -x', String(error), 'XML with <nvidia_smi_log>');
  }
  throw unreadable('nvidia-smi -q -x', text.slice(0, 200), 'XML with <nvidia_smi_log>');
}

interface PlacedInstance {
  readonly gpu: number;
  readonly profile: string;
  readonly id: number;
  readonly start: number;
}

/** `|   0  MIG 1g.10gb+me      20        9          6:1     |`: GPU, profile, profile id, instance id, start:size. */
const instanceRow = /^\|+\s*(\d+)\s+MIG (\S+)\s+(\d+)\s+(\d+)\s+(\d+):(\d+)\s*\|\s*$/;

function readInstances(text: string): PlacedInstance[] {
  const rows = text.split('\n').filter((line) => line.includes('MIG ') && line.trimStart().startsWith('|'));
  if (rows.length === 0 && !/No MIG-enabled devices found|No GPU instances found|GPU instances:/.test(text) && text.trim() !== '') {
    throw unreadable('nvidia-smi mig -lgi', text.slice(0, 200), 'a table of GPU instances');
  }
  return rows.map((row) => {
    const match = instanceRow.exec(row.trim());
    if (match === null) throw unreadable('nvidia-smi mig -lgi', row, '| GPU MIG PROFILE PROFILE-ID ID START:SIZE |');
    const [, gpu, profile = '', , id, start] = match;
    return { gpu: Number(gpu), profile, id: Number(id), start: Number(start) };
  });
}

/** Uuids of `-L` by GPU and device index. */
function readList(text: string): Map<number, Map<number, string>> {
  const gpus = new Map<number, Map<number, string>>();
  let current = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [, gpu] = /^GPU (\d+):/.exec(line) ?? [];
    if (gpu !== undefined) {
      current = new Map();
      gpus.set(Number(gpu), current);
    }
    const [, device, uuid = ''] = /^\s+MIG .*Device\s+(\d+): \(UUID: (\S+)\)/.exec(line) ?? [];
    if (device !== undefined) current.set(Number(device), uuid);
  }
  return gpus;
}

function readDevices(gpu: XmlElement, uuids: ReadonlyMap<number, string>): { readonly instance: number; readonly uuid: string }[] {
  return childrenAt(gpu, 'mig_devices', 'mig_device').map((device) => {
    const index = Number(textAt(device, 'index'));
    const uuid = uuids.get(index);
    if (uuid === undefined)
      throw unreadable('nvidia-smi -L', `no MIG device ${index} of GPU ${textAt(gpu, 'uuid')}`, 'texts of one moment');
    return { instance: Number(textAt(device, 'gpu_instance_id')), uuid };
  });
}

function unreadable(command: string, received: string, expected: string): Error {
  return inlayError('DRIVER_REPORT_UNREADABLE', { message: `${command} printed something that cannot be understood.`, expected, received });
}
