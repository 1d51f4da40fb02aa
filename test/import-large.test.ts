import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const mebibyte = 1024 ** 2;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlay-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A sweep as of --collect-metrics on a node of eight GPUs, with as many rows as it takes. Synthetic. */
function* sweepOf(bytes: number): Generator<string> {
  const gpus = Array.from({ length: 8 }, (_, gpu) => `GPU-1f2e3d4c-0000-1111-2222-33334444555${gpu}:0.71;`).join('');
  let written = 0;
  yield 'Concurrency,Inferences/Second,p50 latency,p99 latency,Avg GPU Utilization\n';
  for (let load = 1; written < bytes; load++) {
    const row = `${load},${load % 1000},7702,8731,${gpus}\n`;
    written += row.length;
    yield row;
  }
}

test('a table of 100 MB is imported in less than 200 MB of memory', async () => {
  const table = join(folder, 'large.csv');
  await pipeline(Readable.from(sweepOf(100 * mebibyte)), createWriteStream(table));
  const meter = join(folder, 'meter.mjs');
  await writeFile(meter, "process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS, 'KiB'));\n");
  const setting = ['--model', 'm', '--gpu', 'A100-80GB', '--profile', '1g.10gb', '--batch', '8', '--processes', '1'];
  const args = ['--import', pathToFileURL(meter).href, 'dist/cli/main.js', 'import', 'perf-analyzer', table, ...setting];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toContain('m,A100-80GB,1g.10gb,8,1,999,8.731,');
  expect(Number(/peak (\d+) KiB/.exec(stderr)?.[1]) / 1024).toBeLessThan(200);
}, 180_000);
