import { readFile } from 'node:fs/promises';
import { commandsPage } from './commands-page.js';
import { errorsPage } from './errors-page.js';
import { limitsPage } from './limits-page.js';
import { pageWithOutput } from './page-with-output.js';
import { performanceCsvPage } from './performance-csv-page.js';

/** Pages that are made from the code, wholly or (the output of commands) in part: path from the project's root → text. */
export async function generatedDocs(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['README.md', await pageWithOutput(await readFile('README.md', 'utf8'))],
    ['docs/guide/compare.md', await pageWithOutput(await readFile('docs/guide/compare.md', 'utf8'))],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/limits.md', limitsPage()],
    ['docs/reference/performance-csv.md', performanceCsvPage()],
    ['docs/reference/cli.md', await commandsPage()],
  ]);
}
