import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../io.fixture.js';

// Synthetic numbers.
const sweep = 'Concurrency,Inferences/Second,p50 latency,p99 latency\n4,512.4,7702,8731\n1,130.2,7600,7710\n';
const setting = ['--model', 'm', '--gpu', 'A100-80GB', '--profile', '1g.10gb', '--batch', '8', '--processes', '1'];
const table = (file: string) =>
  `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,source\r\nm,A100-80GB,1g.10gb,8,1,512.4,8.731,${file}:2 concurrency 4; p99\r\n`;

describe('inlay import', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inlay-import-'));
    file = join(folder, 'sweep.csv');
    await writeFile(file, sweep);
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('prints the table, and notes to stderr unless it is to be quiet', async () => {
    const { stdout, stderr, exitCode } = await runInProcess(['import', 'perf-analyzer', file, ...setting]);
    expect({ stdout, exitCode }).toEqual({ stdout: table(file), exitCode: 0 });
    expect(stderr).toContain('(POINTS_LEFT_OUT)');
    expect((await runInProcess(['import', 'perf-analyzer', file, ...setting, '--quiet'])).stderr).toBe('');
  });

  it('writes the table to the file that is named', async () => {
    const out = join(folder, 'table.csv');
    const { stdout, exitCode } = await runInProcess(['import', 'perf-analyzer', file, ...setting, '--quiet', '-o', out]);
    expect({ stdout, exitCode }).toEqual({ stdout: `${out}: 1 row from 1 file\n`, exitCode: 0 });
    expect(await readFile(out, 'utf8')).toBe(table(file));
  });

  it('prints one JSON document on request, with its notes', async () => {
    const { stdout, stderr } = await runInProcess(['import', 'perf-analyzer', file, ...setting, '--json', '--percentile', '50']);
    expect(JSON.parse(stdout)).toMatchObject({
      rows: [{ model: 'm', gpu: 'A100-80GB', profile: '1g.10gb', batch: 8, processes: 1, throughputRps: 512.4, latencyMs: 7.702 }],
      notes: [{ code: 'POINTS_LEFT_OUT' }, { code: 'MEMORY_UNKNOWN' }],
    });
    expect(stderr).toBe('');
  });

  it('asks for what is missing and ends with exit code 2', async () => {
    const { stdout, stderr, exitCode } = await runInProcess(['import', 'perf-analyzer', file, ...setting.slice(0, 4)]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr.replaceAll(folder, '…')).toMatchInlineSnapshot(`
      "…/sweep.csv:2:1: error: …/sweep.csv does not say the batch size. (MISSING_SETTING)
        expected --batch N, received nothing
        Pass --batch N, or put batch into a side file.
      …/sweep.csv:2:1: error: …/sweep.csv does not say the number of processes. (MISSING_SETTING)
        expected --processes N, received nothing
        Pass --processes N, or put processes into a side file.
      …/sweep.csv:2:1: error: …/sweep.csv does not say the MIG profile. (MISSING_SETTING)
        expected --profile PROFILE, received nothing
        Pass --profile PROFILE, or put mig_profile into a side file.
      "
    `);
  });

  it('lists what DCGM saw', async () => {
    const metrics = join(folder, 'metrics.txt');
    const labels = 'UUID="GPU-a",modelName="NVIDIA H100 NVL",GPU_I_PROFILE="1g.12gb",GPU_I_ID="5",hostname="n1",pod=""';
    await writeFile(metrics, `DCGM_FI_DEV_FB_USED{${labels}} 2048\nDCGM_FI_PROF_DRAM_ACTIVE{${labels}} 0.41\n`);
    const { stdout, stderr, exitCode } = await runInProcess(['import', 'dcgm', metrics]);
    expect(stdout.split('\r\n')).toEqual([
      'gpu,mig_profile,uuid,instance_id,hostname,namespace,pod,container,memory_gib,sm_active,sm_occupancy,dram_active,tensor_active',
      'H100-94GB,1g.12gb,GPU-a,5,n1,,,,2,,,0.41,',
      '',
    ]);
    expect({ exitCode, told: stderr.includes('No pod is named for GPU-a instance 5 (1g.12gb).') }).toEqual({ exitCode: 0, told: true });
    expect(JSON.parse((await runInProcess(['import', 'dcgm', metrics, '--json'])).stdout)).toMatchObject({
      instances: [{ dramActive: 0.41 }],
    });
  });

  it.each([
    [['perf-analyzer']],
    [['perf-analyzer', 'x.csv', '--batch', '0']],
    [['perf-analyzer', 'x.csv', '--processes', '49']],
    [['perf-analyzer', 'x.csv', '--percentile', 'typical']],
    [['perf-analyzer', 'x.csv', '--memory-gib', '-1']],
    [['perf-analyzer', 'x.csv', '--saturation']],
    [['excel', 'x.csv']],
  ])('calls wrong arguments what they are: %j', async (args) => {
    const { stdout, stderr, exitCode } = await runInProcess(['import', ...args]);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('(USAGE)');
  });
});
