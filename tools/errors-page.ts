import { catalogue } from '../src/errors.js';

const meanings = {
  1: 'A check failed, or a fault of Inlay (exit code 1)',
  2: 'Wrong usage or input (exit code 2)',
  3: 'Infeasible: an answer, not a mistake (exit code 3)',
  0: 'Notes (the command goes on)',
};

/** docs/reference/errors.md, from the error catalogue. */
export function errorsPage(): string {
  const sections = ([2, 3, 1, 0] as const).map((exit) => {
    const rows = Object.entries(catalogue)
      .filter(([, entry]) => entry.exit === exit)
      .map(([code, entry]) => `| \`${code}\` | ${cell(entry.summary)} | ${cell(entry.hint)} |`);
    return [`## ${meanings[exit]}`, '', '| code | meaning | what to do |', '| --- | --- | --- |', ...rows].join('\n');
  });
  return `# Error codes

Generated from \`src/errors.ts\` by \`npm run docs\`. Codes are stable: scripts may compare them, texts may change.

On a terminal a problem reads \`file:line:column: error: message (CODE)\`, then what was expected and received, then what to do.
The first 20 are shown and the rest is counted. With \`--json\`, stdout holds all of them:

\`\`\`json
{"errors": [{"code": "…", "message": "…", "file": "…", "line": 1, "column": 1, "path": "…", "expected": "…", "received": "…", "hint": "…"}]}
\`\`\`

An answer that something cannot be done is \`{"kind": "infeasible", "conflicts": [{"code", "service" or "pool", "message", "needed", "available", "hint"}]}\`.

${sections.join('\n\n')}
`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
