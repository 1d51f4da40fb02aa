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

/** A result of vLLM's benchmark on one line, with every latency of every token. Synthetic. */
function* resultOf(bytes: number): Generator<string> {
  yield '{"model_id": "m", "request_rate": 8.0, "duration": 60.0, "completed": 500, "request_throughput": 8.3,';
  yield ' "total_input_tokens": 256000, "total_output_tokens": 64000, "generated_texts": ["[\\"NaN, {"], "latencies": [2.5';
  for (let request = 1; request < 500; request++) yield ', 1.25';
  yield '], "itls": [[0.1]';
  const tokens = Array.from({ length: 128 }, (_, token) => `0.01${token}0815234211`).join(', ');
  for (let written = 0; written < bytes; written += tokens.length + 4) yield `, [${tokens}]`;
  yield '], "mean_ttft_ms": 88.4}';
}

/** Everything that the built command prints, and its largest memory in MiB. */
async function importMetered(
  format: string,
  file: string,
  setting: string,
): Promise<{ readonly stdout: string; readonly peakMiB: number }> {
  const meter = join(folder, 'meter.mjs');
  await writeFile(meter, "process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS, 'KiB'));\n");
  const args = ['--import', pathToFileURL(meter).href, 'dist/cli/main.js', 'import', format, file, ...setting.split(' ')];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  return { stdout, peakMiB: Number(/peak (\d+) KiB/.exec(stderr)?.[1]) / 1024 };
}

test('a table of 100 MB is imported in less than 200 MB of memory', async () => {
  const table = join(folder, 'large.csv');
  await pipeline(Readable.from(sweepOf(100 * mebibyte)), createWriteStream(table));
  const setting = '--model m --gpu A100-80GB --profile 1g.10gb --batch 8 --processes 1';
  const { stdout, peakMiB } = await importMetered('perf-analyzer', table, setting);
  expect(stdout).toContain('m,A100-80GB,1g.10gb,8,1,999,8.731,');
  expect(peakMiB).toBeLessThan(200);
}, 180_000);

test('a result of 100 MB on one line is imported in less than 200 MB of memory', async () => {
  const result = join(folder, 'large.json');
  await pipeline(Readable.from(resultOf(100 * mebibyte)), createWriteStream(result));
  const { stdout, peakMiB } = await importMetered('vllm', result, '--gpu A100-80GB --profile 3g.40gb --batch 32 --processes 1');
  expect(stdout).toContain('m,A100-80GB,3g.40gb,32,1,8.3,1250,');
  expect(peakMiB).toBeLessThan(200);
}, 180_000);
