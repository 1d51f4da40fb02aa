import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problemLines, problemsOf } from '../../problem-lines.fixture.js';
import { useTemporaryFolder } from '../../temporary-folder.fixture.js';
import { readNcuReports } from './read-ncu-report.js';

const folder = useTemporaryFolder();
let count = 0;
const write = (lines: readonly string[], ending = '\n') => folder.write(`r${count++}.csv`, lines.join(ending));

// Synthetic numbers throughout.
const launchColumns =
  '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC"';
const detailsHeader = `${launchColumns},"Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description"`;
const launch = (id: number) => `"${id}","7","app","host","gemm<128, 64>","1","7","(256, 1, 1)","(10, 2, 1)","0","9.0"`;
const speedOfLight = 'GPU Speed Of Light Throughput';
const metric = (id: number, section: string, name: string, unit: string, value: string) =>
  `${launch(id)},"${section}","${name}","${unit}","${value}",`;

function detailsOf(id: number, duration: readonly [string, string], percents: readonly [string, string, string]): readonly string[] {
  return [
    metric(id, speedOfLight, 'Duration', ...(duration.toReversed() as [string, string])),
    metric(id, speedOfLight, 'Compute (SM) Throughput', '%', percents[0]),
    metric(id, speedOfLight, 'DRAM Throughput', '%', percents[1]),
    metric(id, speedOfLight, 'Memory Throughput', '%', percents[2]),
    metric(id, 'Memory Workload Analysis', 'Memory Throughput', 'byte/second', '1,215,000,000.00'),
    `${launch(id)},"SpeedOfLight","","","","SOLBottleneck","OPT","low, and (quoted) text"`,
    metric(id, 'Launch Statistics', 'Registers Per Thread', 'register/thread', '32'),
    metric(id, 'Launch Statistics', 'Static Shared Memory Per Block', 'byte/block', '1,024'),
    metric(id, 'Launch Statistics', 'Block Size', '', '256'),
    metric(id, 'Launch Statistics', 'Grid Size', '', '20'),
    metric(id, 'Launch Statistics', 'Cluster Scheduling Policy', '', 'PolicySpread'),
  ];
}

const two = [...detailsOf(0, ['100', 'us'], ['40', '10', '20']), ...detailsOf(1, ['300,000', 'ns'], ['80', '30', '60'])];
const log = ['==PROF== Connected to process 7', 'step 1 of 2', '', detailsHeader, ...two, '==PROF== Disconnected'];
const mean = {
  launches: 2,
  threads: expect.closeTo(5120, 6),
  computePercent: expect.closeTo(70, 9),
  dramPercent: expect.closeTo(25, 9),
  memoryPercent: expect.closeTo(50, 9),
  registers: expect.closeTo(163_840, 6),
  sharedMemoryBytes: expect.closeTo(20_480, 6),
};

describe('Nsight Compute CSV', () => {
  test('of the details page is averaged over launches by duration, whatever the units', async () => {
    const { metrics, notes } = await readNcuReports([await write(log)]);
    expect(metrics).toMatchObject(mean);
    expect(metrics.kernelSeconds).toBeCloseTo(4e-4, 12);
    expect(notes.map(({ message }) => message)).toEqual([
      'Left out: 2 × message of the profiler.',
      'Left out: 1 × line of other output.',
      'Left out: 2 × rule.',
    ]);
  });

  test('reads the same with CRLF, and split over several files', async () => {
    expect((await readNcuReports([await write(log, '\r\n')])).metrics).toMatchObject(mean);
    const half = two.length / 2;
    const files = [await write([detailsHeader, ...two.slice(0, half)]), await write([detailsHeader, ...two.slice(half)])];
    expect((await readNcuReports(files)).metrics).toMatchObject(mean);
  });

  test('of the raw page has one line a launch and its units in the second line', async () => {
    const columns = [
      'gpu__time_duration.sum',
      'sm__throughput.avg.pct_of_peak_sustained_elapsed',
      'dram__throughput.avg.pct_of_peak_sustained_elapsed',
      'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed',
      'launch__registers_per_thread',
      'launch__shared_mem_per_block_static',
      'launch__block_size',
      'launch__grid_size',
    ];
    const quote = (fields: readonly string[]) => fields.map((field) => `"${field}"`).join(',');
    const raw = [
      '==PROF== Connected',
      `${launchColumns},${quote(columns)}`,
      quote([...new Array(11).fill(''), 'us', '%', '%', '%', 'register/thread', 'Kbyte/block', '', '']),
      `${launch(0)},${quote(['100', '40', '10', '20', '32', '1.024', '256', '20'])}`,
      `${launch(1)},${quote(['300', '80', '30', '60', '32', '1.024', '256', '20'])}`,
    ];
    expect((await readNcuReports([await write(raw)])).metrics).toMatchObject(mean);
  });

  test('with body items, GPU inventory and launches outside the NVTX range counts what belongs', async () => {
    const header = detailsHeader.replace('"Kernel Name"', '"Kernel Name","Push/Pop_Range","Body Item Label"');
    const ranged = (line: string, range: string, label = '') => line.replace('"gemm<128, 64>"', `"gemm<128, 64>","${range}","${label}"`);
    const lines = [
      header,
      '"GPU ID","GPU Name","NUMA ID by CPU Affinity"',
      '"0","NVIDIA A100-SXM4-80GB","0"',
      ranged(metric(0, speedOfLight, 'Duration', 'ns', '5'), 'step', 'a chart'),
      ...two.map((line) => ranged(line, 'step')),
      ...detailsOf(2, ['9', 'ms'], ['1', '1', '1']).map((line) => ranged(line, 'warm-up')),
    ];
    const { metrics, notes } = await readNcuReports([await write(lines)], 'step');
    expect(metrics).toMatchObject(mean);
    expect(notes.map(({ message }) => message)).toContain('Left out: 2 × line of the GPU inventory.');
    expect(notes.map(({ message }) => message)).toContain('Left out: 11 × line outside the NVTX range.');
  });

  test('leaves out a launch that lacks a metric, and says which', async () => {
    const lines = [detailsHeader, ...two, ...detailsOf(2, ['9', 'ms'], ['n/a', '1', '1'])];
    const { metrics, notes } = await readNcuReports([await write(lines)]);
    expect(metrics).toMatchObject(mean);
    expect(notes.map(({ message }) => message)).toContain('Left out: 1 × launch without computePercent.');
  });

  test.each([
    { name: 'no report', lines: ['some,other', '1,2'] },
    { name: 'an empty file', lines: [] },
    { name: 'no launch', lines: [detailsHeader] },
    { name: 'an unknown unit', lines: [detailsHeader, ...detailsOf(0, ['1', 'fortnight'], ['1', '1', '1'])] },
    { name: 'missing sections', lines: [detailsHeader, ...two.filter((line) => !line.includes('Launch Statistics'))] },
    { name: 'an open quote', lines: [detailsHeader, ...two, '"9","7'] },
  ])('$name is a coded error', async ({ lines }) => {
    const file = await write(lines);
    expect(problemLines(await problemsOf(() => readNcuReports([file]))).replace(/^r\d+/, 'r')).toMatchSnapshot();
  });

  test('asks for NVTX columns when a range is asked for', async () => {
    const file = await write(log);
    expect(await problemsOf(() => readNcuReports([file], 'step'))).toMatchObject([{ code: 'MISSING_COLUMN' }]);
  });

  const data = process.env['INLAY_DATA'];
  test.skipIf(data === undefined)('of a real profiler is read (needs INLAY_DATA)', async () => {
    const file = join(data as string, 'ncu-samples', 'superbench_gb200_cublaslt_ncu.log');
    expect(existsSync(file)).toBe(true);
    const { metrics } = await readNcuReports([file]);
    expect(metrics).toMatchObject({
      launches: 1,
      threads: 110_592,
      computePercent: expect.closeTo(23.59, 9),
      dramPercent: expect.closeTo(0.74, 9),
    });
  });
});
