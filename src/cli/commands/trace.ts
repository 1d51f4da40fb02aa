import type { Command } from 'commander';
import { examples, jsonOption } from '../common-options.js';
import type { CliIo } from '../io.js';
import { writeJson } from '../report-problems.js';

interface TraceInfoOptions {
  readonly function?: string;
  readonly json?: boolean;
}

/** `inlay trace info`: how uneven recorded arrivals are, and what to plan for. */
export function addTraceCommand(program: Command, io: CliIo): void {
  program
    .command('trace')
    .summary('what recorded arrivals are like')
    .command('info')
    .summary('how uneven a trace is, and which planning settings follow')
    .description(
      'Reads recorded arrivals (Azure LLM 2023 and 2024, multimodal 2025, Azure Functions 2019 and 2021, BurstGPT, a column t_s of seconds, or second,requests; packed with gzip or not) and tells how uneven they are, and which settings of a workload follow from that.',
    )
    .argument('<file>', 'the trace')
    .option('--function <hash>', 'Azure Functions 2019: only functions whose hash begins so (default: all, added up)')
    .addOption(jsonOption())
    .addHelpText('after', examples('inlay trace info requests.csv', 'inlay trace info requests.csv --json'))
    .action((file: string, options: TraceInfoOptions) => runTraceInfo(file, options, io));
}

async function runTraceInfo(file: string, options: TraceInfoOptions, io: CliIo): Promise<void> {
  const [{ readTrace }, { describeTrace }, { summarizeTrace }] = await Promise.all([
    import('../../formats/traces/read-trace.js'),
    import('../../demand/traffic/describe-trace.js'),
    import('../trace-summary.js'),
  ]);
  const shape = describeTrace(await readTrace(file, { functionPrefix: options.function }));
  if (options.json === true) writeJson(io, shape);
  else io.stdout.write(summarizeTrace(file, shape));
}
