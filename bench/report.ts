import { cpus } from 'node:os';

/** A cell of a table; numbers are set to the right. */
export type Cell = string | number;

/** Sets rows as a Markdown table; columns whose first row holds a number are aligned right. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const rule = titles.map((_, column) => (typeof rows[0]?.[column] === 'number' ? '---:' : '---'));
  return `${[titles, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

/** What times were measured on. */
export function describeMachine(): string {
  const all = cpus();
  return `Node ${process.versions.node}, ${all.length} × ${all[0]?.model.trim() ?? 'CPU'}`;
}

/** Prints a table with its title and the machine, then every target that was missed; misses set exit code 1. */
export function report(
  title: string,
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  misses: readonly string[],
  notes: readonly string[] = [],
): void {
  console.log(`# ${title}\n\n${describeMachine()}\n\n${markdownTable(titles, rows)}`);
  for (const note of notes) console.log(note);
  console.log(misses.length === 0 ? 'Every target is met.' : `Missed:\n${misses.map((miss) => `- ${miss}`).join('\n')}`);
  if (misses.length > 0) process.exitCode = 1;
}

/** The value in the middle; of an even number of values the higher of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Runs a piece of work and tells how long it took, and how long the processors worked for it: the same on a quiet machine. Milliseconds. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly ms: number; readonly cpuMs: number }> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const value = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { value, ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}
