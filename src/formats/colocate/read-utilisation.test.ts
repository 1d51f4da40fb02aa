import { describe, expect, test } from 'vitest';
import { problemsOf } from '../problem-lines.fixture.js';
import { useTemporaryFolder } from '../temporary-folder.fixture.js';
import { readMemoryQuery } from './read-memory-query.js';
import { readPmon } from './read-pmon.js';

const folder = useTemporaryFolder();
let count = 0;
const write = (lines: readonly string[]) => folder.write(`u${count++}.txt`, lines.join('\n'));
const header = ['# gpu        pid  type    sm   mem   enc   dec   command', '# Idx          #   C/G     %     %     %     %   name'];
const sample = (sm: string, mem: string, pid = '42') => `    0      ${pid}     C    ${sm}    ${mem}     -     -   python`;

describe('nvidia-smi pmon', () => {
  test('is averaged after the first ten samples, processes of one sample added up', async () => {
    const warmUp = new Array(10).fill(sample('99', '99'));
    expect(await readPmon(await write([...header, ...warmUp, sample('40', '10'), sample('60', '-')]))).toEqual({
      smUtilPercent: 50,
      memoryUtilPercent: 5,
      samples: 2,
    });
    const both = [sample('30', '5'), sample('20', '5', '43')];
    const file = await write([...header, ...new Array(12).fill(both).flat(), ...header, sample('-', '-', '-')]);
    expect(await readPmon(file)).toEqual({ smUtilPercent: 50, memoryUtilPercent: 10, samples: 2 });
  });

  test('without samples, or with lines of something else, is refused', async () => {
    expect(await problemsOf(async () => readPmon(await write([...header, sample('1', '1')])))).toMatchObject([{ code: 'NO_ROWS' }]);
    expect(await problemsOf(async () => readPmon(await write([...header, sample('101', '1')])))).toMatchObject([
      { code: 'SYNTAX', line: 3 },
    ]);
  });
});

describe('nvidia-smi memory queries', () => {
  test.each([
    { lines: ['memory.used [MiB]', '1024 MiB', '2048 MiB'], gib: 2 },
    { lines: ['512', '1536'], gib: 1.5 },
    { lines: ['index, memory.used [MiB]', '0, 3072', '1, [N/A]'], gib: 3 },
    { lines: ['2 GiB'], gib: 2 },
  ])('$lines is $gib GiB', async ({ lines, gib }) => {
    expect(await readMemoryQuery(await write(lines))).toBeCloseTo(gib, 9);
  });

  test('without an amount are refused', async () => {
    expect(await problemsOf(async () => readMemoryQuery(await write(['much'])))).toMatchObject([{ code: 'SYNTAX', line: 1 }]);
    expect(await problemsOf(async () => readMemoryQuery(await write([])))).toMatchObject([{ code: 'NO_ROWS' }]);
  });
});
