import { runInProcess } from '../src/cli/io.fixture.js';

/**
 * A page whose `console` blocks start with `$ inlay …`, with what each of these commands prints now in place of the rest of
 * its block. Blocks of several commands are left alone: they show usage, not output.
 */
export async function pageWithOutput(page: string): Promise<string> {
  const blocks = [...page.matchAll(/```console\n\$ inlay ([^\n]+)\n([^`]*)```/g)].filter(([, , output]) => !output?.startsWith('$ '));
  let text = page;
  for (const [block, command = ''] of blocks) {
    const { stdout, stderr, exitCode } = await runInProcess(command.split(' '), { columns: 100 });
    if (exitCode === 1 || exitCode === 2) throw new Error(`inlay ${command} failed:\n${stderr}`);
    text = text.replace(block, () => `\`\`\`console\n$ inlay ${command}\n${stdout}${stderr}\`\`\``);
  }
  return text;
}
