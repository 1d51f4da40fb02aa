import { type Command, Option } from 'commander';
import { type ClusterOptions, contextOption, kubeconfigOption } from '../cluster-options.js';
import { documentFormatOption, examples, gpuModelsOption, jsonOption, outOption, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { reportNotes } from '../report-problems.js';
import { writeResult } from '../write-result.js';

interface StateOptions extends ClusterOptions {
  readonly gpuModels?: string;
  readonly name: string;
  readonly format?: 'json' | 'yaml';
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly out?: string;
}

/** `inlay state`: what runs on the GPUs of a cluster, as a State document for `--current` and `transition`. */
export function addStateCommand(program: Command, io: CliIo): void {
  program
    .command('state')
    .summary('print what runs on the GPUs of a Kubernetes cluster')
    .description(
      'Reads nodes, pods and the reports of the agents of a cluster and prints how its GPUs are cut and what runs on them, as a document of kind State. It needs the right to read, and writes nothing. Pods that are not of an InferenceWorkload make their instances reserved.',
    )
    .addOption(new Option('--name <name>', 'name of the document').default('cluster'))
    .addOption(gpuModelsOption())
    .addOption(documentFormatOption())
    .addOption(outOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText('after', examples('inlay state', 'inlay state -o state.json && inlay plan workload.yaml --current state.json'))
    .action((options: StateOptions) => runState(options, io));
}

async function runState(options: StateOptions, io: CliIo): Promise<void> {
  const [{ connect }, { toInlayError }, { readCluster }, { describeState }, { builtInBackends }, { formatDocument }, { readCatalogue }] =
    await Promise.all([
      import('../../cluster/client/connect.js'),
      import('../../cluster/client/kubernetes-error.js'),
      import('../../cluster/state/read-cluster.js'),
      import('../../cluster/state/describe-state.js'),
      import('../../cluster/backends/registry.js'),
      import('../../formats/write-document.js'),
      import('../read-catalogue.js'),
    ]);
  const catalogue = await readCatalogue(options.gpuModels);
  const api = await connect(options);
  try {
    const { document, notes } = describeState(await readCluster(api, builtInBackends), options.name, {
      catalogue,
      backends: builtInBackends,
      nowMs: Date.now(),
    });
    reportNotes(notes, io, options);
    const format = options.format ?? (options.json === true || options.out?.endsWith('.json') === true ? 'json' : 'yaml');
    await writeResult(io, formatDocument(document, format), options.out);
  } catch (error) {
    throw toInlayError(error);
  } finally {
    api.close();
  }
}
