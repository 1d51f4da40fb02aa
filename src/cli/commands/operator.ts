import { type Command, Option } from 'commander';
import { type ClusterOptions, contextOption, kubeconfigOption } from '../cluster-options.js';
import { examples, gpuModelsOption, parseCount, parseDurationMs } from '../common-options.js';
import type { CliIo } from '../io.js';

/** What `inlay operator` was asked for. */
export interface OperatorCommandOptions extends ClusterOptions {
  readonly namespace: string;
  readonly port: number;
  readonly lease: number;
  readonly identity?: string;
  readonly gpuModels?: string;
  /** Commander's word for `--no-election`. */
  readonly election: boolean;
}

/** `inlay operator`: carries plans out on a cluster and keeps them true. */
export function addOperatorCommand(program: Command, io: CliIo): void {
  program
    .command('operator')
    .summary('carry plans out on a Kubernetes cluster and keep them true')
    .description(
      'Plans the InferenceWorkloads of a cluster onto its GpuPools, cuts GPUs through mig-manager, starts and evicts pods step by step without a service falling below its demand, and goes on doing so as demand and cluster change. It keeps nothing but in the cluster and may be killed at any time; of several operators one works.',
    )
    .addOption(new Option('--namespace <name>', 'namespace of the lease').env('POD_NAMESPACE').default('inlay-system'))
    .addOption(new Option('--port <port>', 'port of /healthz, /readyz and /metrics; 0 for none').argParser(parseCount).default(8080))
    .addOption(
      new Option('--lease <duration>', 'time after which another operator takes over').argParser(parseDurationMs).default(15_000, '15s'),
    )
    .addOption(new Option('--no-election', 'work without a lease: only where no other operator can be'))
    .addOption(new Option('--identity <name>', 'name of this process in the lease (default: host name and a random part)').env('POD_NAME'))
    .addOption(gpuModelsOption())
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText('after', examples('inlay operator', 'inlay operator --kubeconfig ~/.kube/config --port 0'))
    .action(async (options: OperatorCommandOptions) => (await import('../run-operator-command.js')).runOperatorCommand(options, io));
}
