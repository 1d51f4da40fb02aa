import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { describeTrace } from '../../demand/traffic/describe-trace.js';
import { countRequests } from '../../demand/traffic/trace.js';
import { useTemporaryFolder } from '../temporary-folder.fixture.js';
import { readTrace } from './read-trace.js';

const folder = useTemporaryFolder();

async function read(text: string | Uint8Array, options: Parameters<typeof readTrace>[1] = {}) {
  const trace = await readTrace(await folder.write('trace.csv', text), options);
  return trace.kind === 'stamps' ? [...trace.stampsS] : { stepS: trace.stepS, counts: [...trace.counts] };
}

describe('readTrace', () => {
  it('reads Azure LLM calls with all seven decimals, CRLF and zones', async () => {
    const text = 'TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:17:03.9799600,4808,10\r\n2023-11-16 18:17:04.0319601,3180,8\r\n';
    const [first = 0, second = 0] = (await read(text)) as number[];
    expect(second - first).toBeCloseTo(0.0520001, 5);
    const zoned = 'TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,1,1\n2024-05-10 02:00:01+02:00,1,1\n';
    const [a = 0, b = 0] = (await read(zoned)) as number[];
    expect(b - a).toBeCloseTo(0.99007, 5);
  });

  it('adds up the functions of Azure Functions 2019, or those that were asked for', async () => {
    const text = 'HashOwner,HashApp,HashFunction,Trigger,1,2,3\no,a,f1,http,1,0,2\no,a,f2,timer,1,1,1\n';
    expect(await read(text)).toEqual({ stepS: 60, counts: [2, 1, 3] });
    expect(await read(text, { functionPrefix: 'f2' })).toEqual({ stepS: 60, counts: [1, 1, 1] });
    await expect(read(text, { functionPrefix: 'x' })).rejects.toMatchObject({ code: 'TRACE_EMPTY' });
  });

  it('finds the arrivals of Azure Functions 2021 before their ends, and sorts them', async () => {
    expect(await read('app,func,end_timestamp,duration\na,f,10,9\na,f,11,1\na,f,12,8\n')).toEqual([1, 4, 10]);
  });

  it('reads BurstGPT, columns of seconds, counts and bare numbers', async () => {
    expect(await read('Timestamp,Model,Request tokens,Response tokens\n5,m,1,1\n45,m,1,1\n')).toEqual([5, 45]);
    expect(await read('\ufefft_s,context_tokens\n0.681,374\n\n4.995,396\n')).toEqual([0.681, 4.995]);
    expect(await read('second,requests\n0,1\n30,0\n60,7\n')).toEqual({ stepS: 30, counts: [1, 0, 7] });
    expect(await read('3 4\n5\n', { bare: 'rates' })).toEqual({ stepS: 1, counts: [3, 4, 5] });
    expect(await read('0.5\n0.5\n2\n', { bare: 'stamps' })).toEqual([0.5, 0.5, 2]);
  });

  it('reads Azure multimodal calls', async () => {
    const text = 'TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\r\n2025-01-01 00:00:00.25,2,90,5\r\n2025-01-01 00:00:02.5,0,5,5\r\n';
    const [first = 0, second = 0] = (await read(text)) as number[];
    expect(second - first).toBe(2.25);
  });

  it('unpacks gzip on the way, whatever the name, and tells when it is damaged', async () => {
    const text = `\ufefft_s\r\n${Array.from({ length: 50_000 }, (_, i) => `${i}.5`).join('\r\n')}\r\n`;
    const packed = gzipSync(text);
    expect(await read(packed)).toEqual(await read(text));
    const cut = await read(packed.subarray(0, packed.length / 2)).catch((error: unknown) => error);
    expect(cut).toMatchObject({ code: 'SYNTAX' });
    expect(String(cut)).toContain('packed with gzip and damaged or cut short');
    const changed = Buffer.from(packed);
    // The checksum is the eight bytes at the end, less the four of the length.
    changed.writeUInt32LE(0, packed.length - 8);
    await expect(read(changed)).rejects.toMatchObject({ code: 'SYNTAX' });
  });

  it.skipIf(!existsSync('/proc/self/fd'))('closes files, also those that it does not read to the end', async () => {
    const openFiles = async () => (await readdir('/proc/self/fd')).length;
    const before = await openFiles();
    const long = `t_s\n2\n1\n${'9\n'.repeat(200_000)}`;
    for (const text of ['a,b\n', 't_s\n2\n1\n', long, gzipSync(long), gzipSync('a,b\n'), gzipSync(long).subarray(0, 50), 't_s\n1\n2\n']) {
      await read(text).catch(() => undefined);
    }
    expect(await openFiles()).toBeLessThanOrEqual(before);
  });

  it('refuses what is no text in UTF-8 where it stands', async () => {
    await expect(read(Buffer.from('t_s\n1\n2\n', 'utf16le'))).rejects.toMatchObject({ code: 'SYNTAX', problems: [{ line: 1, column: 2 }] });
    await expect(read(Buffer.from('t_s\n1\n\xff2\n', 'latin1'))).rejects.toMatchObject({
      code: 'SYNTAX',
      problems: [{ line: 3, column: 1 }],
    });
  });

  it.each([
    { name: 'requests that all come at once', text: 't_s\n1\n1\n1\n', code: 'TRACE_EMPTY' },
    { name: 'a time out of all bounds', text: 't_s\n1\n1e300\n', code: 'INVALID_VALUE', line: 3 },
    { name: 'a count out of all bounds', text: 'second,requests\n0,1\n1,1e300\n', code: 'INVALID_VALUE', line: 3 },
    { name: 'an infinite count', text: 'HashOwner,HashApp,HashFunction,Trigger,1\no,a,f,http,1e999\n', code: 'INVALID_VALUE', line: 2 },
    { name: 'a single request', text: 't_s\n1\n', code: 'TRACE_EMPTY' },
    { name: 'a header that is not known, below empty lines', text: '\n\na,b\n', code: 'TRACE_UNKNOWN', line: 3 },
    { name: 'a trace without a header', text: '0.5\n', code: 'TRACE_UNKNOWN', line: 1 },
    { name: 'an empty file', text: '', code: 'TRACE_EMPTY' },
    { name: 'a header alone', text: 't_s\n', code: 'TRACE_EMPTY' },
    { name: 'counts that are all zero', text: 'second,requests\n0,0\n1,0\n', code: 'TRACE_EMPTY' },
    { name: 'time that goes back', text: 't_s\n2\n1\n', code: 'INVALID_VALUE', line: 3 },
    { name: 'a word for a time', text: 't_s\nsoon\n', code: 'INVALID_VALUE', line: 2 },
    { name: 'an infinite time', text: 't_s\nInfinity\n', code: 'INVALID_VALUE', line: 2 },
    { name: 'a count below zero', text: 'second,requests\n0,-1\n', code: 'INVALID_VALUE', line: 2 },
    { name: 'a step left out', text: 'second,requests\n0,1\n1,1\n3,1\n', code: 'INVALID_VALUE', line: 4 },
    { name: 'the same step twice', text: 'second,requests\n0,1\n0,1\n', code: 'INVALID_VALUE', line: 3 },
    { name: 'a minute missing', text: 'HashOwner,HashApp,HashFunction,Trigger,1,2\no,a,f,http,1\n', code: 'INVALID_VALUE', line: 2 },
  ])('refuses $name', async ({ text, code, line }) => {
    const failure = await read(text).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code, problems: [line === undefined ? {} : { line }] });
  });

  it('tells a file that is not there', async () => {
    await expect(readTrace(join(folder.path, 'none.csv'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(readTrace(folder.path)).rejects.toMatchObject({ code: 'FILE_IS_DIRECTORY' });
  });
});

const data = process.env['INLAY_DATA'];
if (data !== undefined && !existsSync(data)) throw new Error(`INLAY_DATA names ${data}, which does not exist`);

describe.skipIf(data === undefined)('recorded traces (skipped without INLAY_DATA)', () => {
  it('are read in every form and have the shape that was published with them', async () => {
    const file = (name: string) => join(data ?? '', 'traces', `azure-llm-2023-${name}.csv`);
    const requests = await readTrace(file('conv.requests'));
    expect(countRequests(requests)).toBe(19_366);
    expect(describeTrace(requests).gapVariation).toBeCloseTo(1.09, 2);
    const perSecond = describeTrace(await readTrace(file('code.per-second')));
    const shapes = perSecond.windows.map(({ varianceToMean, peakToMean }) => [
      Number(varianceToMean.toPrecision(3)),
      Number(peakToMean.toPrecision(2)),
    ]);
    expect(shapes).toEqual([
      [13.2, 26],
      [73.7, 13],
      [164, 4.1],
    ]);
    expect(countRequests(await readTrace(file('code.raw-sample')))).toBe(500);
  });
});
