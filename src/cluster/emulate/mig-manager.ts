import type { EmulatorDelays } from './delays.js';
import type { NodeFault } from './faults.js';
import { type Cut, cutOf, type Hardware, modelOf, recut, sameCut } from './hardware.js';
import { cutsOf, readMigConfigs, standardConfigs } from './mig-config.js';

export type MigState = 'pending' | 'success' | 'failed' | 'rebooting';

/** The node as its mig-manager sees and changes it. */
export interface MigManagerNode {
  readonly name: string;
  readonly delays: EmulatorDelays;
  hardware(): Hardware;
  setHardware(hardware: Hardware): void;
  /** The mig-parted file as the kubelet has projected it by now; undefined when there is no ConfigMap. */
  configFile(): string | undefined;
  /** Whether a pod holds an instance of the GPU, or the GPU. */
  isBusy(gpu: number): boolean;
  setState(state: MigState): Promise<void>;
  /** Stops or starts device plugin, feature discovery and monitoring. */
  setOperands(running: boolean): Promise<void>;
  reboot(): Promise<void>;
  /** Whether a fault is to happen now; counts it. */
  takeFault(fault: NodeFault): Promise<boolean>;
  sleep(ms: number): Promise<void>;
}

/**
 * One run of mig-manager for a config name, in the order of the real one (its reconfiguration steps 1 to 10): check the name,
 * stop early when all is as asked, `pending`, stop the node components, turn MIG on or off, wipe and cut each GPU that
 * differs, and say how it went. It neither cordons nor evicts, and cannot change a GPU that a pod uses.
 */
export async function runMigManager(node: MigManagerNode, configName: string): Promise<void> {
  const { delays } = node;
  const hardware = node.hardware();
  const model = modelOf(hardware);
  const file = node.configFile();
  const config = (file === undefined ? standardConfigs(model) : readMigConfigs(file))?.[configName];
  if (config === undefined || (await node.takeFault('mig-fail'))) return node.setState('failed');
  const wanted = cutsOf(config, hardware.gpus.length, model);
  const differing = wanted.flatMap((cut, index) => (cut !== undefined && differs(node.hardware(), index, cut) ? [{ index, cut }] : []));
  if (differing.length === 0) return node.setState('success');

  await node.setState('pending');
  await node.setOperands(false);
  const slower = (await node.takeFault('mig-slow')) ? 20 : 1;
  await node.sleep(delays.operandStopMs * slower);
  // Step 6 of the real one writes no state when it gives up.
  if (await node.takeFault('mig-stuck')) return;
  const outcome = await changeGpus(node, differing, slower);
  await node.setState(outcome);
  await node.sleep(delays.operandStartMs * ((await node.takeFault('plugin-slow')) ? 20 : 1));
  await node.setOperands(true);
}

async function changeGpus(
  node: MigManagerNode,
  differing: readonly { readonly index: number; readonly cut: Cut }[],
  slower: number,
): Promise<'success' | 'failed'> {
  const { delays } = node;
  if (await node.takeFault('mig-reboot')) {
    await node.setState('rebooting');
    await node.reboot();
  }
  if (differing.some(({ index, cut }) => node.hardware().gpus[index]?.migEnabled !== (cut !== null)))
    await node.sleep(delays.modeMs * slower);
  if (await node.takeFault('mig-empty')) {
    for (const { index } of differing) node.setHardware(recut(node.name, node.hardware(), index, {}).hardware);
    return 'success';
  }
  const failAfter = (await node.takeFault('mig-fail-midway')) ? Math.floor(differing.length / 2) : undefined;
  for (const [done, { index, cut }] of differing.entries()) {
    if (done === failAfter || node.isBusy(index)) return 'failed';
    await node.sleep(delays.cutMs * slower);
    if (node.isBusy(index)) return 'failed';
    const { hardware, refused } = recut(node.name, node.hardware(), index, cut);
    node.setHardware(hardware);
    if (refused) return 'failed';
  }
  return 'success';
}

function differs(hardware: Hardware, index: number, cut: Cut): boolean {
  const gpu = hardware.gpus[index];
  return gpu !== undefined && !sameCut(printedCut(hardware, cutOf(gpu)), cut);
}

/** A cut in the names that the node's driver prints, in which configs are written. */
function printedCut({ names = {} }: Hardware, cut: Cut): Cut {
  return cut === null ? null : Object.fromEntries(Object.entries(cut).map(([profile, count]) => [names[profile] ?? profile, count]));
}
