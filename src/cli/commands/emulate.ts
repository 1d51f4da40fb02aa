import { type Command, Option } from 'commander';
import { type ClusterOptions, contextOption, kubeconfigOption } from '../cluster-options.js';
import { examples, parseCount } from '../common-options.js';
import type { CliIo } from '../io.js';

interface EmulateOptions extends ClusterOptions {
  readonly nodes: number;
  readonly gpusPerNode: number;
  readonly gpu: string;
  readonly prefix: string;
  readonly strategy: 'none' | 'single' | 'mixed';
  readonly label: readonly string[];
  readonly taint?: boolean;
  readonly speed: string;
  readonly migNamespace: string;
  readonly migConfigMap: string;
  readonly remove?: boolean;
}

/** `inlay emulate`: fake GPU nodes for any cluster, to try the operator without a GPU. */
export function addEmulateCommand(program: Command, io: CliIo): void {
  program
    .command('emulate')
    .summary('give a cluster GPU nodes that are not there, to try everything without a GPU')
    .description(
      'Adds nodes that look like GPU nodes of the GPU Operator and plays their parts: feature discovery, device plugin, mig-manager, agent and kubelet. Pods on them start and end after a while and do nothing. It runs until it is stopped, and another run goes on where it stopped. Use a cluster that you can throw away: the scheduler takes the nodes for real.',
    )
    .addOption(new Option('--nodes <count>', 'nodes to add').argParser(parseCount).default(4))
    .addOption(new Option('--gpus-per-node <count>', 'GPUs of each').argParser(parseCount).default(8))
    .addOption(new Option('--gpu <model>', 'GPU model').default('A100-80GB'))
    .addOption(new Option('--prefix <name>', 'the nodes are called PREFIX-1, PREFIX-2, …').default('gpu'))
    .addOption(
      new Option('--strategy <strategy>', 'MIG strategy of the device plugin').choices(['mixed', 'single', 'none']).default('mixed'),
    )
    .addOption(
      new Option('--label <key=value>', 'further label of the nodes; may be repeated')
        .argParser((value, before: readonly string[]) => [...before, value])
        .default([] as readonly string[], 'none'),
    )
    .addOption(new Option('--taint', 'taint the nodes nvidia.com/gpu=present:NoSchedule'))
    .addOption(new Option('--speed <factor>', 'how many times faster than usual things happen').default('1'))
    .addOption(new Option('--mig-namespace <name>', "namespace of mig-manager's ConfigMap").default('gpu-operator'))
    .addOption(new Option('--mig-config-map <name>', "name of mig-manager's ConfigMap").default('inlay-mig-config'))
    .addOption(new Option('--remove', 'remove all emulated nodes and end'))
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      `
Faults are injected by an annotation of a node or a pod, such as:
  $ kubectl annotate node gpu-1 emulate.inlay.dev/fault=mig-fail:1
docs/guide/try-on-kubernetes.md lists them.
${examples('inlay emulate', 'inlay emulate --nodes 2 --gpus-per-node 2 --gpu H100-80GB', 'inlay emulate --remove')}`,
    )
    .action((options: EmulateOptions) => runEmulate(options, io));
}

async function runEmulate(options: EmulateOptions, io: CliIo): Promise<void> {
  const [{ connect }, { toInlayError }] = await Promise.all([
    import('../../cluster/client/connect.js'),
    import('../../cluster/client/kubernetes-error.js'),
  ]);
  const api = await connect(options);
  try {
    if (options.remove === true) {
      const { removeEmulatedNodes } = await import('../../cluster/emulate/emulated-fleet.js');
      io.stdout.write(`Removed ${await removeEmulatedNodes(api)} emulated nodes.\n`);
    } else {
      const { emulateFleet } = await import('../emulate-fleet.js');
      await emulateFleet(api, options, io);
    }
  } catch (error) {
    throw toInlayError(error);
  } finally {
    api.close();
  }
}
