import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PlanDocument } from '../../demand/documents/plan.js';
import { inlayError } from '../../errors.js';
import { examples, gpuModelsOption, jsonOption, outOption, parseCount } from '../common-options.js';
import type { CliIo } from '../io.js';
import { writeJson } from '../report-problems.js';
import { writeResult } from '../write-result.js';

interface ExportCommandOptions {
  readonly format: 'mig-parted' | 'kubernetes' | 'csv';
  readonly gpusPerNode?: number;
  readonly templates?: string;
  readonly out?: string;
  readonly gpuModels?: string;
  readonly json?: boolean;
}

/** `inlay export`: a plan in the format of another tool. */
export function addExportCommand(program: Command, io: CliIo): void {
  program
    .command('export')
    .summary('write a plan in the format of another tool')
    .description(
      'Writes a plan as a mig-parted v1 configuration (one config for each distinct way to cut a node, comments say which node takes which), as Kubernetes manifests (a Deployment for each service and slice type, with Services and PodDisruptionBudgets, and HTTPRoutes for a workload with a gateway), or as CSV (one row an instance).',
    )
    .argument('<plan>', 'file of kind Plan (JSON or YAML)')
    .addOption(new Option('--format <format>', 'what to write').choices(['mig-parted', 'kubernetes', 'csv']).makeOptionMandatory())
    .addOption(new Option('--gpus-per-node <number>', 'mig-parted: GPUs in every node (default: 8)').argParser(parseGpusPerNode))
    .addOption(new Option('--templates <file>', 'kubernetes: InferenceWorkload whose services have the pod templates, by name'))
    .addOption(outOption())
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'inlay export plan.json --format mig-parted --gpus-per-node 4 -o mig-parted.yaml',
        'inlay export plan.json --format kubernetes --templates workload.yaml -o manifests.yaml',
        'inlay export plan.json --format csv',
      ),
    )
    .action((file: string, options: ExportCommandOptions) => runExport(file, options, io));
}

/** The most GPUs that one machine is known to hold is 16; 64 leaves room. */
function parseGpusPerNode(text: string): number {
  const count = parseCount(text);
  if (count < 1 || count > 64) throw new InvalidArgumentError('Expected a whole number from 1 to 64, such as 8.');
  return count;
}

async function runExport(file: string, options: ExportCommandOptions, io: CliIo): Promise<void> {
  const { format, gpusPerNode, out, json } = options;
  if (format !== 'mig-parted' && gpusPerNode !== undefined) {
    throw inlayError('USAGE', { message: 'The option --gpus-per-node belongs to --format mig-parted.' });
  }
  if ((format === 'kubernetes') !== (options.templates !== undefined)) {
    throw inlayError('USAGE', {
      message: 'The formats kubernetes and the option --templates go together.',
      hint: 'Add --templates FILE, a file of kind InferenceWorkload.',
    });
  }
  const { readPlan } = await import('../../formats/read-plan.js');
  const text = await writeFormat(await readPlan(file), options);
  if (out !== undefined || json !== true) await writeResult(io, text, out);
  if (json === true) writeJson(io, { format, ...(out === undefined ? { text } : { out }) });
}

async function writeFormat(
  plan: PlanDocument,
  { format, gpusPerNode = 8, gpuModels, templates = '' }: ExportCommandOptions,
): Promise<string> {
  if (format === 'csv') {
    const { toPlanCsv } = await import('../../formats/plan-csv.js');
    return toPlanCsv(plan);
  }
  const { readCatalogue } = await import('../read-catalogue.js');
  if (format === 'kubernetes') {
    const [{ writePlanManifests }, { devicePlugin }, { readTemplates }, { formatDocument }, { findProducts }] = await Promise.all([
      import('../../cluster/serve/plan-manifests.js'),
      import('../../cluster/backends/device-plugin.js'),
      import('../read-templates.js'),
      import('../../formats/write-document.js'),
      import('../find-products.js'),
    ]);
    const { products, remarks } = findProducts(plan, await readCatalogue(gpuModels));
    const manifests = writePlanManifests(plan, await readTemplates(templates), devicePlugin, products);
    return [...remarks.map((remark) => `# ${remark}\n`), manifests.map((manifest) => formatDocument(manifest, 'yaml')).join('---\n')].join(
      '',
    );
  }
  const { toMigParted } = await import('../../formats/mig-parted/to-mig-parted.js');
  return toMigParted(plan, { gpusPerNode, catalogue: await readCatalogue(gpuModels) });
}
