import { Command, CommanderError } from 'commander';
import { inlayError } from '../errors.js';
import { version } from '../version.js';
import { addAgentCommand } from './commands/agent.js';
import { addApproveCommand } from './commands/approve.js';
import { addColocateCommand } from './commands/colocate.js';
import { addCompareCommand } from './commands/compare.js';
import { addDiffCommand } from './commands/diff.js';
import { addEmulateCommand } from './commands/emulate.js';
import { addExportCommand } from './commands/export.js';
import { addGenerateCommand } from './commands/generate.js';
import { addGpusCommand } from './commands/gpus.js';
import { addImportCommand } from './commands/import.js';
import { addLayoutCommand } from './commands/layout.js';
import { addOperatorCommand } from './commands/operator.js';
import { addPlanCommand } from './commands/plan.js';
import { addSimulateCommand } from './commands/simulate.js';
import { addStateCommand } from './commands/state.js';
import { addTraceCommand } from './commands/trace.js';
import { addTransitionCommand } from './commands/transition.js';
import { addVerifyCommand } from './commands/verify.js';
import { addVerifyTransitionCommand } from './commands/verify-transition.js';
import type { CliIo } from './io.js';
import { reportFailure } from './report-problems.js';

/**
 * Every command, in the order of `inlay --help`: one import and one entry each.
 *
 * How a command is made: `commands/<name>.ts` exports `add<Name>Command(program, io)`, which declares arguments, options
 * (the shared ones come from common-options.ts) and ends with `.addHelpText('after', examples('inlay …'))`. Its file imports
 * statically only what the declaration needs; the action imports everything else with `await import(…)`, so that
 * `inlay --help` starts fast.
 *
 * An action
 * - passes file arguments on as written, so that messages show what the user typed;
 * - throws InlayError for problems (reported by `runCli`, exit code from the catalogue);
 * - prints its result with `writeResult` or `writeJson`, to `io.stdout` only; notes with `reportNotes`;
 * - answers `reportInfeasible(…)` (exit 3) or `io.setExitCode(1)` (a check that failed) and returns.
 */
const commands: readonly ((program: Command, io: CliIo) => void)[] = [
  addPlanCommand,
  addVerifyCommand,
  addSimulateCommand,
  addTraceCommand,
  addTransitionCommand,
  addVerifyTransitionCommand,
  addDiffCommand,
  addCompareCommand,
  addGenerateCommand,
  addColocateCommand,
  addExportCommand,
  addImportCommand,
  addGpusCommand,
  addLayoutCommand,
  addOperatorCommand,
  addApproveCommand,
  addStateCommand,
  addAgentCommand,
  addEmulateCommand,
];

/** The whole command line, ready to parse. */
export function createProgram(io: CliIo): Command {
  const program = new Command('inlay')
    .description('Packs DNN inference services onto shared NVIDIA GPUs with the fewest GPUs and a proof that no plan is smaller.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: () => {},
      getOutHelpWidth: () => Math.min(io.columns, 110),
      getErrHelpWidth: () => Math.min(io.columns, 110),
    });
  for (const add of commands) add(program, io);
  return program;
}

/** Runs one command line (without `node` and the script) to its end; never throws. The exit code goes to `io`. */
export async function runCli(args: readonly string[], io: CliIo): Promise<void> {
  const program = createProgram(io);
  const end = args.indexOf('--');
  const json = (end < 0 ? args : args.slice(0, end)).includes('--json');
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    reportFailure(error instanceof CommanderError ? usageError(error, findCommand(program, args)) : error, io, { json });
  }
}

function usageError(error: CommanderError, command: Command) {
  const asked = error.code === 'commander.help' ? `\`${pathOf(command)}\` needs a command: ${namesOf(command)}.` : error.message;
  const [message = '', ...suggestion] = asked.replace(/^error: /, '').split('\n');
  const hint = [...suggestion.map((line) => line.replace(/^\((.*)\)$/, '$1')), `See \`${pathOf(command)} --help\`.`].join(' ');
  return inlayError('USAGE', { message: `${message.charAt(0).toUpperCase()}${message.slice(1)}`, hint }, { cause: error });
}

function findCommand(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const arg of args) command = command.commands.find((child) => child.name() === arg) ?? command;
  return command;
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function namesOf(command: Command): string {
  return command.commands.map((child) => child.name()).join(', ');
}
