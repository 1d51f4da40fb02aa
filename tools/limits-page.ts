import { formatBytes } from '../src/formats/format-bytes.js';
import { type Limit, limits } from '../src/formats/limits.js';

/** docs/reference/limits.md, from the limits that the readers use. */
export function limitsPage(): string {
  const rows = Object.values(limits).map((limit: Limit) => `| ${limit.of} | ${sizeOf(limit)} | ${limit.why} |`);
  return `# Limits on input

Generated from \`src/formats/limits.ts\` by \`npm run docs\`. What is beyond a limit is refused with \`FILE_TOO_LARGE\`, \`TOO_MANY\` or
\`TOO_DEEP\`, before it costs memory or time. The ranges of single values are in the JSON Schemas under \`schemas/\`.

| of | at most | why |
| --- | --- | --- |
${rows.join('\n')}
`;
}

function sizeOf({ value, unit }: Limit): string {
  return unit === 'bytes' ? formatBytes(value) : `${value.toLocaleString('en')} ${unit}`;
}
