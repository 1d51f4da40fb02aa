import { type Command, Option } from 'commander';
import { inlayError } from '../../errors.js';
import { type ClusterOptions, contextOption, kubeconfigOption } from '../cluster-options.js';
import { examples, parseDurationMs } from '../common-options.js';
import type { CliIo } from '../io.js';
import { writeJson } from '../report-problems.js';

interface AgentCommandOptions extends ClusterOptions {
  readonly node?: string;
  readonly interval: number;
  readonly nvidiaSmi: string;
  readonly socket: string;
  readonly print?: boolean;
}

/** `inlay agent`: publishes how the GPUs of this node are cut and which pod holds what; read-only on the node. */
export function addAgentCommand(program: Command, io: CliIo): void {
  program
    .command('agent')
    .summary('publish how the GPUs of this node are cut and which pod holds which instance')
    .description(
      "Reads nvidia-smi and the kubelet's PodResources socket of this node and publishes them as the NodeState of the node, whenever something changes. It changes nothing on the node. The operator runs without it, but then can only change whole nodes.",
    )
    .addOption(new Option('--node <name>', 'name of this node in the cluster').env('NODE_NAME'))
    .addOption(new Option('--interval <duration>', 'time between two looks').argParser(parseDurationMs).default(10_000, '10s'))
    .addOption(new Option('--nvidia-smi <command>', 'the command to run').default('nvidia-smi'))
    .addOption(new Option('--socket <path>', "the kubelet's PodResources socket").default('/var/lib/kubelet/pod-resources/kubelet.sock'))
    .addOption(new Option('--print', 'look once, print the report as JSON, publish nothing'))
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText('after', examples('inlay agent --node gpu-1', 'inlay agent --print'))
    .action((options: AgentCommandOptions) => runAgentCommand(options, io));
}

async function runAgentCommand(options: AgentCommandOptions, io: CliIo): Promise<void> {
  const [{ lookAtNode, runAgent }, { runNvidiaSmi }, { listPodResources }] = await Promise.all([
    import('../../cluster/agent/run-agent.js'),
    import('../../cluster/agent/nvidia-smi.js'),
    import('../../cluster/agent/pod-resources.js'),
  ]);
  const sources = {
    nvidiaSmi: (...args: readonly string[]) => runNvidiaSmi(options.nvidiaSmi, args),
    podResources: () => listPodResources(options.socket),
  };
  if (options.print === true) {
    writeJson(io, await lookAtNode(sources));
    return;
  }
  const { node } = options;
  if (node === undefined) {
    throw inlayError('USAGE', {
      message: 'The agent must know the name of its node.',
      expected: '--node NAME, or NODE_NAME in the environment',
    });
  }
  const [{ connect }, { createLog }, { watchTermination }] = await Promise.all([
    import('../../cluster/client/connect.js'),
    import('../log.js'),
    import('../watch-termination.js'),
  ]);
  const log = createLog(io);
  const signal = watchTermination(io);
  const api = await connect(options);
  await runAgent({
    api,
    nodeName: node,
    sources,
    intervalMs: options.interval,
    signal,
    log: (level, message, details = {}) => log[level](details, message),
  });
  api.close();
}
