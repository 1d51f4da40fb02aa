import { type PerformanceColumn, performanceColumns } from '../src/formats/performance-columns.js';

const meanings: Record<keyof typeof performanceColumns, string> = {
  model: 'name of the model, as services name it',
  gpu: 'GPU model it was measured on: a name of `inlay gpus`, a short form, or a product name',
  profile: 'MIG profile such as `1g.10gb`; empty means the whole GPU with MIG off (`full`)',
  batch: 'requests in one batch',
  processes: 'processes of the model in the instance (MPS clients, or model instances of one server); 1 without the column',
  throughputRps: 'requests per second of the whole instance, all processes together; 0 or empty: this setting did not run, and is left out',
  latencyMs: 'time of one batch, milliseconds',
  memoryGiB: 'memory of one process, GiB; without it memory is not checked, and a note says so',
  source: 'where the row comes from, as `inlay import` writes it; for people, not read',
};

/** docs/reference/performance-csv.md, from the columns that the reader knows. */
export function performanceCsvPage(): string {
  const rows = Object.entries(performanceColumns).map(([key, column]: [string, PerformanceColumn]) => {
    const meaning = meanings[key as keyof typeof performanceColumns];
    return `| \`${column.name}\` | ${column.required ? 'yes' : 'no'} | ${rangeOf(column)} | ${meaning} |`;
  });
  return `# Performance tables

The columns are generated from \`src/formats/performance-columns.ts\` by \`npm run docs\`.

A performance table is CSV with a header, in UTF-8; CRLF, a byte order mark and quoted fields are fine. Each row is one measured
setting. Columns are found by name, in any order; others are ignored with a note.

| column | required | values | meaning |
| --- | --- | --- | --- |
${rows.join('\n')}

\`\`\`csv
model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib
resnet50,A100-80GB,1g.10gb,4,3,294.2,40.8,1.60
\`\`\`

- Two rows with the same model, GPU, profile, batch and processes must have the same numbers, else \`CONFLICTING_ROWS\`.
- Latency predictions derive the time of a batch from batch × processes ÷ throughput, because latency columns are usually rounded.
  Only the \`factor\` rule compares \`latency_ms\` as written.
- A profile name that differs with the driver (\`3g.39gb\` for \`3g.40gb\`) is matched by its slices, with a note.
`;
}

function rangeOf({ min, max, whole }: PerformanceColumn): string {
  if (max === 0) return 'text';
  return `${whole ? 'whole number, ' : ''}${min} to ${max}`;
}
