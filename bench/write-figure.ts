import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chart, drawChart } from './draw-chart.js';
import { type Cell, markdownTable } from './report.js';

/** A figure of the evaluation: what it shows, its numbers, and its picture. */
export interface Figure {
  /** Name of its files and of the script that makes it. */
  readonly name: string;
  /** What was run, in sentences: workloads, seeds, settings. */
  readonly setting: string;
  /** What the numbers say. */
  readonly finding: string;
  readonly titles: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly chart: Chart;
}

const folder = join(import.meta.dirname, '..', 'docs', 'results');

/** Writes NAME.md and NAME.svg into docs/results and prints the page. Nothing in them depends on the time or the machine. */
export function writeFigure({ name, setting, finding, titles, rows, chart }: Figure): void {
  const page = `# ${chart.title}

![${chart.title}](${name}.svg)

${finding}

${markdownTable(titles, rows)}
${setting}

Made by \`npm run bench paper-figures/${name}\`.
`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.svg`), drawChart(chart));
  writeFileSync(join(folder, `${name}.md`), page);
  console.log(page);
}
