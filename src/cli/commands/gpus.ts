import type { Command } from 'commander';
import { examples, gpuModelsOption, jsonOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { writeJson } from '../report-problems.js';

interface GpusOptions {
  readonly gpuModels?: string;
  readonly json?: boolean;
}

/** `inlay gpus [MODEL]`: what is known of the GPU models, with evidence and sources. */
export function addGpusCommand(program: Command, io: CliIo): void {
  program
    .command('gpus')
    .summary('show what is known of GPU models: profiles, placements, memory, SMs, sources')
    .description(
      'Lists the GPU models that are known or, with MODEL, everything about one: its MIG profiles, where they may start, usable memory, SMs, media engines, names, and where each fact comes from.',
    )
    .argument('[model]', 'GPU model: canonical name, short form, product name or nvidia.com/gpu.product label')
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addHelpText('after', examples('inlay gpus', 'inlay gpus A100-40GB', 'inlay gpus "NVIDIA H100 80GB HBM3" --json'))
    .action((model: string | undefined, options: GpusOptions) => runGpus(model, options, io));
}

async function runGpus(name: string | undefined, options: GpusOptions, io: CliIo): Promise<void> {
  const [{ readCatalogue }, { resolveGpu }, { summarizeGpu, summarizeGpus }] = await Promise.all([
    import('../read-catalogue.js'),
    import('../resolve-hardware.js'),
    import('../gpu-summary.js'),
  ]);
  const catalogue = await readCatalogue(options.gpuModels);
  if (name === undefined) {
    if (options.json === true) writeJson(io, { models: catalogue.models });
    else io.stdout.write(summarizeGpus(catalogue.models));
    return;
  }
  const model = resolveGpu(catalogue, name);
  if (options.json === true) writeJson(io, model);
  else io.stdout.write(summarizeGpu(model));
}
