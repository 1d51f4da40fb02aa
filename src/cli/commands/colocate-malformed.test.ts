import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTemporaryFolder } from '../../formats/temporary-folder.fixture.js';
import { runInProcess } from '../io.fixture.js';

const folder = useTemporaryFolder();
const workloads = 'examples/colocate/workloads.csv';
const pairs = 'examples/colocate/pairs.csv';
const inFolder = (name: string) => join(folder.path, name);

// Synthetic numbers throughout.
const launch = '"0","7","app","host","gemm<128, 64>","1","7","(256, 1, 1)","(10, 2, 1)","0","9.0"';
const detail = (section: string, name: string, unit: string, value: string) => `${launch},"${section}","${name}","${unit}","${value}",`;
const details = [
  '==PROF== Connected',
  '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name"',
  detail('GPU Speed Of Light Throughput', 'Duration', 'us', '100'),
  detail('GPU Speed Of Light Throughput', 'Compute (SM) Throughput', '%', '40'),
  detail('GPU Speed Of Light Throughput', 'DRAM Throughput', '%', '10'),
  detail('GPU Speed Of Light Throughput', 'Memory Throughput', '%', '20'),
  detail('Launch Statistics', 'Registers Per Thread', 'register/thread', '32'),
  detail('Launch Statistics', 'Static Shared Memory Per Block', 'byte/block', '1,024'),
  detail('Launch Statistics', 'Block Size', '', '256'),
  detail('Launch Statistics', 'Grid Size', '', '20'),
];
const raw = [
  '"ID","Kernel Name","gpu__time_duration.sum","sm__throughput.avg.pct_of_peak_sustained_elapsed","dram__throughput.avg.pct_of_peak_sustained_elapsed","gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed","launch__registers_per_thread","launch__shared_mem_per_block_static","launch__block_size","launch__grid_size"',
  '"","","us","%","%","%","","byte/block","",""',
  '"0","k","10","50","20","30","32","64","128","4"',
];
const pmon = ['# gpu        pid  type    sm   mem   command', '# Idx          #   C/G     %     %   name'];
const sample = '    0         42     C    40    10   python';
const dcgm = [
  'DCGM_FI_PROF_SM_ACTIVE{gpu="0",UUID="GPU-1",modelName="NVIDIA A100-SXM4-80GB"} 0.5',
  'DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-1",modelName="NVIDIA A100-SXM4-80GB"} 3000',
];
const lines = (list: readonly string[]) => `${list.join('\n')}\n`;
const importNcu = (report: string, ...more: readonly string[]) =>
  ['import-ncu', report, '--name', 'n', '--batch', '1', '--task', 'inference', '--quiet', ...more] as const;

/** A file that a command reads, as it should be. */
interface FileKind {
  readonly kind: string;
  readonly good: () => Promise<string> | string;
  /** The command that reads the file. */
  readonly command: (file: string) => readonly string[];
  /** Texts to replace, and by what: each makes the file wrong. */
  readonly spoiled: readonly (readonly [string | RegExp, string])[];
  /** Codes that are about the file as a whole, and name no line. */
  readonly whole?: readonly string[];
}

const kinds: readonly FileKind[] = [
  {
    kind: 'workloads.csv',
    good: () => readFile(workloads, 'utf8'),
    command: (file) => ['predict', '--model', inFolder('model.json'), '--workloads', file, '--group', 'chat-b1,chat-b4'],
    spoiled: [
      [/,threads,/, ',treads,'],
      [/,threads,/, ',registers,'],
      [/^(chat-b1,.*)$/m, '$1\n$1'],
      [/^(chat-b1,.*)$/m, '$1,7'],
      [/^(chat-b1,.*),[^,]*$/m, '$1'],
      [/^chat-b1,.*$/m, '"chat-b1'],
      [/^(chat-b1,[^,]*),inference/m, '$1,serving'],
      ...['NaN', '-1', '0', '1e400', '1e-300', 'Infinity', '0x10', '1;5'].map(
        (value) => [/^(chat-b1,[^,]*,[^,]*,[^,]*),[^,]*/m, `$1,${value}`] as const,
      ),
      [/\n[\s\S]*/, '\n'],
    ],
  },
  {
    kind: 'groups.csv',
    good: () => readFile(pairs, 'utf8'),
    command: (file) => ['train', '--workloads', workloads, '--groups', file, '-o', inFolder('again.json'), '--quiet'],
    spoiled: [
      [/,t2$/m, ''],
      [/,t2$/m, ',t1'],
      [/^p1,[^,]*/m, 'p1,nobody'],
      [/^p1,[^,]*/m, 'p1,'],
      [/^p1,([^,]*),[^,]*/m, 'p1,$1,'],
      [/^p1,/m, ','],
      [/^p2,/m, 'p1,'],
      [/^(p1,.*)$/m, '$1,5'],
      [/^(p1,[^,]*,[^,]*),.*$/m, '$1'],
      ...['NaN', '-1', '0', '', '1e400', '1e-300', '"3'].map((value) => [/^(p1,[^,]*,[^,]*),[^,]*/m, `$1,${value}`] as const),
      [/\n[\s\S]*/, '\n'],
    ],
  },
  {
    kind: 'groups to predict.csv',
    good: () => 'id,w1,w2,w3\nx,detector-b1,chat-b1,\ny,ranker-b4,ranker-b4,ranker-b4\n',
    command: (file) => ['predict', '--model', inFolder('model.json'), '--workloads', workloads, '--groups', file],
    spoiled: [
      ['id,', 'no,'],
      ['w2', 'w1'],
      ['chat-b1', 'chat-b2'],
      ['detector-b1,chat-b1,', ',,'],
      ['detector-b1,chat-b1,', 'detector-b1,,chat-b1'],
      ['x,', ','],
      ['chat-b1,', 'chat-b1'],
      ['chat-b1,', 'chat-b1",'],
      [/\n[\s\S]*/, '\n'],
    ],
  },
  {
    kind: 'jobs.yaml',
    good: () => readFile('examples/colocate/jobs.yaml', 'utf8'),
    command: (file) => ['group', '--model', inFolder('model.json'), '--workloads', workloads, '--jobs', file],
    spoiled: [
      ['kind: Jobs', 'kind: Job'],
      ['v1alpha1', 'v9'],
      ['detector-b4', 'detector-b5'],
      ['name: search', 'name: frames'],
      ['memoryGiB: 16', 'memoryGiB: 0'],
      ['memoryGiB: 16', 'memoryGiB: .nan'],
      ['maxSlowdown: 1.4', 'maxSlowdown: 0.5'],
      ['maxSlowdown: 1.4', 'maxSlowDown: 1.4'],
      ['weight: 2', 'weight: -2'],
      ['weight: 2', 'weight: heavy'],
      ['exclusive: true', 'exclusive: 7'],
      ['avoid: [chat]', 'avoid: chat'],
      ['jobs:', 'jobs: ['],
      [/jobs:[\s\S]*/, 'jobs: []\n'],
      [/jobs:[\s\S]*/, ''],
    ],
  },
  {
    kind: 'model.json',
    good: () => readFile(inFolder('model.json'), 'utf8'),
    command: (file) => ['predict', '--model', file, '--workloads', workloads, '--group', 'chat-b1,chat-b4'],
    spoiled: [
      ['InterferenceModel', 'Jobs'],
      ['v1alpha1', 'v9'],
      ['"means": [', '"means": [1,'],
      ['"contention":', '"contentment":'],
      ['"groups": [', '"groups": [7,'],
      [/\}\s*$/, ''],
      [/("members": \[\s*)"[^"]*"/, '$1"nobody"'],
      [/("sensitivity": \[\s*)-?[\d.e-]+/, '$11e15'],
      [/("sensitivity": \[\s*)-?[\d.e-]+,/, '$1'],
      [/("deviations": \[\s*)[\d.e-]+/, '$11e-300'],
      [/("member": )\d+/, '$1999'],
      [/"means": \[\s*-?[\d.e-]+/, '"means": [1e999'],
    ],
  },
  {
    kind: 'splits.json',
    good: () => '{"splits": {"half": {"1": {"train": ["p1", "p2", "p3", "p4", "p5"], "test": ["p6", "p7", "p8"]}}}}\n',
    command: (file) => ['evaluate', '--workloads', workloads, '--groups', pairs, '--splits', file, '--models', 'kace', '--quiet'],
    spoiled: [
      ['"p8"', '"p99"'],
      ['"p8"', '8'],
      ['"test"', '"tests"'],
      ['["p6", "p7", "p8"]', '[]'],
      ['"splits"', '"split"'],
      ['}}}}', '}}}'],
      [/^.*$/m, 'null'],
    ],
  },
  {
    kind: 'details.csv',
    good: () => lines(details),
    command: (file) => importNcu(file),
    spoiled: [
      ['"ID"', '"Id"'],
      [/"us"/, '"fortnight"'],
      ['"Duration"', '"During"'],
      ['"us","100"', '"us","-100"'],
      ['"us","100"', '"us","n/a"'],
      ['"us","100"', '"us","0"'],
      ['"us","100",', '"us","100'],
      ['"Grid Size","","20",', '"Grid Size","","20"x'],
      [/\n"0"[\s\S]*/, '\n'],
    ],
    whole: ['WRONG_KIND', 'NO_ROWS', 'METRIC_MISSING'],
  },
  {
    kind: 'raw.csv',
    good: () => lines(raw),
    command: (file) => importNcu(file),
    spoiled: [
      ['"ID"', '"Id"'],
      ['"us"', '"fortnight"'],
      ['gpu__time_duration.sum', 'gpu__time.sum'],
      ['"10"', '"NaN"'],
      ['"10"', '"-10"'],
      ['"10"', '"0"'],
      ['"10"', '"10'],
      [/\n"0"[\s\S]*/, '\n'],
    ],
    whole: ['WRONG_KIND', 'NO_ROWS', 'METRIC_MISSING'],
  },
  {
    kind: 'pmon.txt',
    good: () => lines([...pmon, ...new Array(12).fill(sample)]),
    command: (file) => importNcu(inFolder('raw.csv'), '--pmon', file),
    spoiled: [
      [/ 40 /, ' NaN '],
      [/ 40 /, ' -4 '],
      [/ 40 /, ' 400 '],
      [/ sm /, ' sn '],
      [/\n {4}0[\s\S]*/, '\n'],
    ],
    whole: ['NO_ROWS'],
  },
  {
    kind: 'memory.csv',
    good: () => 'memory.used [MiB]\n2048 MiB\n',
    command: (file) => importNcu(inFolder('raw.csv'), '--memory', file),
    spoiled: [
      ['2048', '-2048'],
      ['2048', 'NaN'],
      ['2048', '1e3'],
      ['MiB\n', 'pages\n'],
      ['memory.used', 'memory.free'],
      ['2048', '0'],
      [/\n[\s\S]*/, '\n'],
    ],
    whole: ['NO_ROWS'],
  },
  {
    kind: 'dcgm.txt',
    good: () => lines(dcgm),
    command: (file) => importNcu(inFolder('raw.csv'), '--dcgm', file),
    spoiled: [
      ['} 0.5', '} half'],
      ['gpu="0"', 'gpu="0'],
      [/DCGM/g, 'DCGN'],
      ['} 0.5', '}'],
    ],
    whole: ['NO_ROWS', 'MISSING_SETTING'],
  },
];

let count = 0;
/** Writes a text under a name of its own and runs the command that reads it. */
async function read({ kind, command }: FileKind, text: string | Uint8Array) {
  const file = await folder.write(`${count++}-${kind}`, text);
  return { file, ...(await runInProcess(['colocate', ...command(file)])) };
}

beforeAll(async () => {
  await folder.write('raw.csv', lines(raw));
  expect(
    await runInProcess(['colocate', 'train', '--workloads', workloads, '--groups', pairs, '-o', inFolder('model.json')]),
  ).toMatchObject({
    exitCode: 0,
  });
});

describe.each(kinds)('$kind', (entry) => {
  test('is read, also with a byte order mark and CRLF', async () => {
    const good = await entry.good();
    const { stdout, exitCode } = await read(entry, good);
    expect(exitCode).toBe(0);
    expect(await read(entry, `\uFEFF${good.replaceAll('\n', '\r\n')}`)).toMatchObject({ stdout, exitCode: 0 });
  });

  test('each malformed CSV or document of a corpus gives a coded error with its place', async () => {
    const good = await entry.good();
    const corpus: (string | Uint8Array)[] = ['', '\n', Buffer.from(good, 'utf16le'), Buffer.from([0xff, 0xfe, 0x00, 0x80])];
    for (const [from, to] of entry.spoiled) {
      const bad = good.replace(from, to);
      expect(bad, `${String(from)} changes nothing`).not.toBe(good);
      corpus.push(bad);
    }
    for (const text of corpus) {
      const { file, stderr, stdout, exitCode } = await read(entry, text);
      expect({ exitCode, stdout }, `${text}\n${stderr}`).toEqual({ exitCode: 2, stdout: '' });
      const found = /^(.*?)(:\d+:\d+)?: error: .* \(([A-Z_]+)\)$/m.exec(stderr);
      expect(found?.[1], stderr).toBe(file);
      if (entry.whole?.includes(found?.[3] as string) !== true) expect(found?.[2], stderr).toMatch(/^:\d+:\d+$/);
      expect(stderr).not.toMatch(/INTERNAL|\n\s+at /);
    }
  });

  test('damaged anywhere gives an answer or a coded error', async () => {
    const good = await entry.good();
    const parts = ['', ',', '"', '\n', 'NaN', '-1', '1e400', '1e-300', '1e15', ';', '\u0000', '__proto__', '{', ']', ': '];
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length), fc.nat(12), fc.constantFrom(...parts), fc.boolean(), async (at, cut, put, isEnd) => {
        const { exitCode, stderr, stdout } = await read(entry, `${good.slice(0, at)}${put}${isEnd ? '' : good.slice(at + cut)}`);
        if (exitCode === 0) expect(stdout).not.toMatch(/(^|[\s,])(NaN|Infinity|undefined)($|[\s,×])/m);
        else expect(stderr).not.toMatch(/INTERNAL|\n\s+at /);
        expect([0, 2, 3]).toContain(exitCode);
        if (exitCode !== 0) expect(stderr).toMatch(/\([A-Z_]+\)$/m);
      }),
      { seed: 9, numRuns: 25 },
    );
  });
});
