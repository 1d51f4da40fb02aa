import type { Command } from 'commander';
import { recordIo, runInProcess } from '../src/cli/io.fixture.js';
import { createProgram } from '../src/cli/program.js';

/** docs/reference/cli.md: the help text of every command. */
export async function commandsPage(): Promise<string> {
  const sections: string[] = [];
  for (const path of listCommands(createProgram(recordIo().io))) {
    const { stdout } = await runInProcess([...path, '--help'], { columns: 100 });
    sections.push(`## ${['inlay', ...path].join(' ')}\n\n\`\`\`text\n${stdout.trimEnd()}\n\`\`\`\n`);
  }
  return `# Commands

Generated from the commands' own \`--help\` by \`npm run docs\`.

| exit code | meaning |
| --- | --- |
| 0 | done: a plan was written (also at the time limit, with its gap), a layout is legal, all promises hold, every service meets its percentile |
| 1 | a check failed, or an unexpected error |
| 2 | wrong usage or input |
| 3 | infeasible: an illegal layout, no plan within the limits |
| 130 | interrupted with Ctrl-C; the best plan so far was written if \`-o\` was given |

Results go to stdout; notes, progress and errors to stderr. With \`--json\` stdout holds one JSON document and nothing else,
also when a command fails (see [errors.md](errors.md)).

${sections.join('\n')}`;
}

function listCommands(command: Command, path: readonly string[] = []): (readonly string[])[] {
  return [path, ...command.commands.flatMap((child) => listCommands(child, [...path, child.name()]))];
}
