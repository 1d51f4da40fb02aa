import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rowServiceMs } from './row-service-ms.js';

const data = process.env['INLAY_DATA'];

test('the time of a batch follows from the throughput of all processes together', () => {
  expect(rowServiceMs({ batch: 8, processes: 3, throughputRps: 400 })).toBe(60);
});

test.skipIf(data === undefined)('measured latency columns contradict the throughput by over 5 % in 82 of 1747 rows (INLAY_DATA)', () => {
  const [header = '', ...lines] = readFileSync(`${data}/parvagpu/profiles.csv`, 'utf8').trim().split('\n');
  const columns = header.split(',');
  const rows = lines.map((line) => {
    const fields = line.split(',');
    const field = (name: string) => Number(fields[columns.indexOf(name)]);
    return { batch: field('batch'), processes: field('processes'), throughputRps: field('throughput_rps'), latencyMs: field('latency_ms') };
  });
  const off = rows.filter((row) => Math.abs(row.latencyMs / rowServiceMs(row) - 1) > 0.05);
  expect([off.length, rows.length]).toEqual([82, 1747]);
});
