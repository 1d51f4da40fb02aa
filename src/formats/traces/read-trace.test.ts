import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeTrace } from '../../demand/traffic/describe-trace.js';
import { countRequests } from '../../demand/traffic/trace.js';
import { useTemporaryFolder } from '../temporary-folder.fixture.js';
import { readTrace } from './read-trace.js';

const folder = useTemporaryFolder();

async function read(text: string, options: Parameters<typeof readTrace>[1] = {}) {
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

  it.each([
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
