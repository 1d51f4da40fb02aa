import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Router } from '../../simulate/simulated-service.js';
import { examples, gpuModelsOption, jsonOption, parseCount, parseDurationMs, parseList, quietOption } from '../common-options.js';
import type { CliIo } from '../io.js';

/** Options of `inlay simulate` as parsed. */
export interface SimulateCommandOptions {
  readonly arrivals?: string;
  readonly router?: Router;
  readonly window: number;
  readonly batchDelay: number;
  readonly batchCv: number;
  readonly requests?: number;
  readonly duration?: number;
  readonly precision?: number;
  readonly seed: number;
  readonly services?: readonly string[];
  readonly threads?: number;
  readonly schedule?: string;
  readonly svg?: string;
  readonly gpuModels?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `inlay simulate`: requests against a plan, percentiles, and whether every service meets its limit; exit code 1 when one does not. */
export function addSimulateCommand(program: Command, io: CliIo): void {
  program
    .command('simulate')
    .summary('play requests against a plan and see their latencies')
    .description(
      'Plays requests against a plan: latency percentiles with their intervals, the share within the limit, batches and busy time of each service, the worst first. Exit code 1 when a service misses its percentile.',
    )
    .argument('[workload]', 'file of kind Workload (YAML or JSON)')
    .argument('[plan]', 'file of kind Plan')
    .option('--arrivals <kind>', 'poisson, gamma:CV, rates:FILE or stamps:FILE (default: as the workload says)')
    .addOption(
      new Option('--router <router>', 'how requests find an instance (default: as the workload says)').choices([
        'round-robin',
        'random',
        'two-choices',
        'shortest-queue',
      ]),
    )
    .addOption(
      new Option('--window <duration>', 'rates:FILE of time stamps: length of a step').argParser(parseDurationMs).default(30_000, '30s'),
    )
    .addOption(new Option('--batch-delay <ms>', 'how long a free process waits for a fuller batch').argParser(parseAmount).default(0))
    .addOption(
      new Option('--batch-cv <number>', 'how much batch times vary around the measured ones: deviation ÷ mean')
        .argParser(parseAmount)
        .default(0),
    )
    .addOption(new Option('--requests <number>', 'requests a service').argParser(parseAtLeastOne).conflicts(['duration', 'precision']))
    .addOption(new Option('--duration <duration>', 'simulated time, such as 10m').argParser(parseLength).conflicts('precision'))
    .addOption(
      new Option('--precision <percent>', "until each service's percentile is known this well (default: 5%)").argParser(parsePercent),
    )
    .addOption(new Option('--seed <number>', 'start of the random numbers').argParser(parseCount).default(1))
    .addOption(new Option('--services <names>', 'only these services').argParser(parseList))
    .addOption(new Option('--threads <number>', 'threads to simulate on (default: one for each processor)').argParser(parseAtLeastOne))
    .addOption(
      new Option('--schedule <file>', 'file of kind Schedule: plans, rates and moves over time, in place of workload and plan').conflicts([
        ...['arrivals', 'router', 'window', 'requests', 'duration', 'precision', 'svg'],
      ]),
    )
    .option('--svg <file>', 'draw the latencies of the worst services')
    .addOption(gpuModelsOption())
    .addOption(jsonOption())
    .addOption(quietOption())
    .addHelpText(
      'after',
      examples(
        'inlay simulate workload.yaml plan.json',
        'inlay simulate workload.yaml plan.json --arrivals gamma:2 --svg latencies.svg',
        'inlay simulate workload.yaml plan.json --arrivals rates:trace.csv --services search',
        'inlay simulate --schedule day-and-night.yaml',
      ),
    )
    .action(async (workload: string | undefined, plan: string | undefined, options: SimulateCommandOptions) => {
      const { runSimulate } = await import('./run-simulate.js');
      return runSimulate(workload, plan, options, io);
    });
}

function parseAmount(text: string): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value > 1e9) throw new InvalidArgumentError('Expected a number of at least 0, such as 5.');
  return value;
}

function parseAtLeastOne(text: string): number {
  const value = parseCount(text);
  if (value === 0) throw new InvalidArgumentError('Expected a whole number of at least 1.');
  return value;
}

function parseLength(text: string): number {
  const ms = parseDurationMs(text);
  if (ms === 0) throw new InvalidArgumentError('Expected a duration above 0, such as 10m.');
  return ms;
}

/** `5%` or `5` as a share. */
function parsePercent(text: string): number {
  const value = Number(text.replace(/%$/, '')) / 100;
  if (!/^\d+(\.\d+)?%?$/.test(text) || value < 0.001 || value > 1) throw new InvalidArgumentError('Expected 0.1% to 100%, such as 5%.');
  return value;
}
