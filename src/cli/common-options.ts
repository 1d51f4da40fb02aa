import { InvalidArgumentError, Option } from 'commander';

/** `--json`: one JSON document on stdout, nothing else there. */
export const jsonOption = () => new Option('--json', 'print one JSON document instead of text');

/** `--quiet`: no notes, no progress. */
export const quietOption = () => new Option('--quiet', 'leave out notes and progress');

/** `--gpu-models FILE`: adds a user's own GPU models (kind GpuModels) to the built-in ones. */
export const gpuModelsOption = () => new Option('--gpu-models <file>', 'add GPU models from a file of kind GpuModels');

/** `-o, --out FILE`: where the result goes instead of stdout. */
export const outOption = (description = 'write the result to a file') => new Option('-o, --out <file>', description);

/** `--format yaml|json` of a document; no default, so that a command can tell whether it was asked for. */
export const documentFormatOption = () => new Option('--format <format>', 'format of the document').choices(['json', 'yaml']);

/** Parses a whole number of at least 0; commander reports anything else as a usage error. */
export function parseCount(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('Expected a whole number of at least 0, such as 4.');
  return value;
}

/** Parses a duration such as `500ms`, `10s` or `2m` to milliseconds; a number without a unit means seconds. */
export function parseDurationMs(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  if (match === null) throw new InvalidArgumentError('Expected a duration such as 500ms, 10s or 2m.');
  return Number(match[1]) * msPerUnit[(match[2] ?? 's') as keyof typeof msPerUnit];
}

const msPerUnit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses a list such as `a,b`; empty items are dropped. */
export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** The block of examples that ends every `--help`. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}\n`).join('')}`;
}
