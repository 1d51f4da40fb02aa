import type { NvidiaSmiTexts } from './read-nvidia-smi.js';

/** A GPU to be printed as nvidia-smi does. */
export interface PrintedGpu {
  readonly uuid: string;
  readonly product: string;
  readonly migEnabled: boolean;
  /** `id` is the number of the GPU instance, `uuids` those of the compute instances in it. */
  readonly instances: readonly {
    readonly profile: string;
    readonly start: number;
    readonly size: number;
    readonly id: number;
    readonly uuids: readonly string[];
  }[];
}

/** The three texts of nvidia-smi for a node, in the shape of driver 580, with parts that nobody reads left in between. */
export function printNvidiaSmi(gpus: readonly PrintedGpu[], driver = '580.95.05'): NvidiaSmiTexts {
  const isAnyOn = gpus.some(({ migEnabled }) => migEnabled);
  return {
    query: `<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
<nvidia_smi_log>
\t<timestamp>Mon Nov 30 12:00:00 2026</timestamp>
\t<driver_version>${driver}</driver_version>
\t<attached_gpus>${gpus.length}</attached_gpus>
${gpus.map(printQuery).join('\n')}
</nvidia_smi_log>
`,
    instances: isAnyOn ? printInstances(gpus) : 'No MIG-enabled devices found.\n',
    list: gpus.map(printList).join(''),
  };
}

function printQuery({ uuid, product, migEnabled, instances }: PrintedGpu, index: number): string {
  const mode = migEnabled ? 'Enabled' : 'Disabled';
  const devices = instances.flatMap(({ id, uuids }) => uuids.map((_, compute) => ({ id, compute })));
  const list = devices.map(
    ({ id, compute }, device) => `\t\t\t<mig_device>
\t\t\t\t<index>${device}</index>
\t\t\t\t<gpu_instance_id>${id}</gpu_instance_id>
\t\t\t\t<compute_instance_id>${compute}</compute_instance_id>
\t\t\t\t<device_attributes><shared><multiprocessor_count>14</multiprocessor_count></shared></device_attributes>
\t\t\t\t<fb_memory_usage><total>9856 MiB</total><used>12 MiB</used></fb_memory_usage>
\t\t\t</mig_device>
`,
  );
  return `\t<gpu id="00000000:${(7 + index).toString(16).padStart(2, '0').toUpperCase()}:00.0">
\t\t<product_name>${product.replaceAll('&', '&amp;')}</product_name>
\t\t<mig_mode>
\t\t\t<current_mig>${mode}</current_mig>
\t\t\t<pending_mig>${mode}</pending_mig>
\t\t</mig_mode>
\t\t<mig_devices>
${list.length === 0 ? '\t\t\tNone\n' : list.join('')}\t\t</mig_devices>
\t\t<uuid>${uuid}</uuid>
\t\t<minor_number>${index}</minor_number>
\t\t<processes>
\t\t\t<process_info><gpu_instance_id>N/A</gpu_instance_id><pid>4711</pid><process_name>/usr/bin/a &lt;b&gt;</process_name></process_info>
\t\t</processes>
\t</gpu>`;
}

function printInstances(gpus: readonly PrintedGpu[]): string {
  const rule = '+---------------------------------------------------------+\n';
  const rows = gpus.flatMap(({ instances }, gpu) =>
    instances.map(({ profile, id, start, size }) => {
      const columns = `|   ${gpu}  MIG ${profile.padEnd(18)} 19       ${String(id).padStart(2)}         ${start}:${size}`;
      return `${columns.padEnd(58)}|\n${rule}`;
    }),
  );
  if (rows.length === 0) return 'No GPU instances found: Not Found\n';
  return `${rule}| GPU instances:                                          |
| GPU   Name               Profile  Instance   Placement  |
|                            ID       ID       Start:Size |
|=========================================================|
${rows.join('')}`;
}

function printList({ uuid, product, instances }: PrintedGpu, index: number): string {
  const devices = instances.flatMap(({ profile, uuids }) => uuids.map((own) => ({ profile, own })));
  const lines = devices.map(({ profile, own }, device) => `  MIG ${profile.padEnd(15)} Device  ${device}: (UUID: ${own})\n`);
  return `GPU ${index}: ${product} (UUID: ${uuid})\n${lines.join('')}`;
}
