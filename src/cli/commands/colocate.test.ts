import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTemporaryFolder } from '../../formats/temporary-folder.fixture.js';
import { runInProcess } from '../io.fixture.js';

const folder = useTemporaryFolder();
const workloads = 'examples/colocate/workloads.csv';
const pairs = 'examples/colocate/pairs.csv';
const jobs = 'examples/colocate/jobs.yaml';
let model = '';
let trainedText = '';
const run = (...args: readonly string[]) => runInProcess(['colocate', ...args]);

beforeAll(async () => {
  model = join(folder.path, 'model.json');
  const trained = await run('train', '--workloads', workloads, '--groups', pairs, '-o', model);
  expect(trained).toMatchObject({ stderr: '', exitCode: 0 });
  trainedText = trained.stdout;
});

describe('inlay colocate', () => {
  test('train says how well the model did on groups left out', () => {
    expect(trainedText).toMatchSnapshot();
  });

  test('train writes the same model again, and to stdout without -o', async () => {
    const again = await run('train', '--workloads', workloads, '--groups', pairs);
    expect(again.stdout).toBe(await readFile(model, 'utf8'));
    expect(again.stderr).toContain('Trained on 24 groups');
  });

  test('predict prints throughput, interval, slowdown and what the members fight for', async () => {
    const { stdout, exitCode } = await run('predict', '--model', model, '--workloads', workloads, '--group', 'chat-b16,ranker-b16');
    expect(exitCode).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test('predict --json answers groups in the order of the table', async () => {
    const groups = await folder.write('groups.csv', 'id,w1,w2,w3\nx,detector-b1,chat-b1,\ny,ranker-b4,ranker-b4,ranker-b4\n');
    const { stdout } = await run('predict', '--model', model, '--workloads', workloads, '--groups', groups, '--json');
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 'x', members: [{ workload: 'detector-b1' }, { workload: 'chat-b1' }] },
      { id: 'y', members: [{ workload: 'ranker-b4' }, {}, {}] },
    ]);
  });

  test('group partitions jobs with a proof, and says when there are too few GPUs', async () => {
    const grouped = await run('group', '--model', model, '--workloads', workloads, '--jobs', jobs, '--gpus', '4');
    expect(grouped).toMatchObject({ stderr: '', exitCode: 0 });
    expect(grouped.stdout).toMatchSnapshot();
    const { stdout, exitCode } = await run('group', '--model', model, '--workloads', workloads, '--jobs', jobs, '--gpus', '1', '--json');
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'infeasible', conflicts: [{ code: 'GPUS_TOO_FEW' }] });
  });

  test('group without --gpus uses the fewest', async () => {
    const { stdout } = await run('group', '--model', model, '--workloads', workloads, '--jobs', jobs, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ objective: 'fewest-gpus', optimal: true, gap: 0 });
  });

  test('suggest names groups that were not measured', async () => {
    const { stdout, exitCode } = await run('suggest', '--model', model, '--workloads', workloads, '--jobs', jobs, '--budget', '3');
    expect(exitCode).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  test('evaluate compares predictors on splits', async () => {
    const ids = Array.from({ length: 24 }, (_, k) => `p${k + 1}`);
    const splits = await folder.write(
      'splits.json',
      JSON.stringify({ splits: { half: { 1: { train: ids.slice(0, 14), test: ids.slice(14) } } } }),
    );
    const args = ['--workloads', workloads, '--groups', pairs, '--splits', splits, '--models', 'inlay,kace,random,oracle'];
    expect((await run('evaluate', ...args)).stdout).toMatchSnapshot();
    expect((await run('evaluate', ...args.with(-1, 'kase'))).stderr).toContain('Did you mean kace?');
  });

  test('import-ncu makes a row that train reads', async () => {
    const columns =
      '"ID","Kernel Name","gpu__time_duration.sum","sm__throughput.avg.pct_of_peak_sustained_elapsed","dram__throughput.avg.pct_of_peak_sustained_elapsed","gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed","launch__registers_per_thread","launch__shared_mem_per_block_static","launch__block_size","launch__grid_size"';
    const report = await folder.write(
      'report.csv',
      `${columns}\n"","","us","%","%","%","","byte/block","",""\n"0","k","10","50","20","30","32","64","128","4"\n`,
    );
    const memory = await folder.write('memory.csv', 'memory.used [MiB]\n2048 MiB\n');
    const { stdout, stderr, exitCode } = await run(
      'import-ncu',
      report,
      '--name',
      'net-b2',
      '--batch',
      '2',
      '--task',
      'inference',
      '--memory',
      memory,
      '--throughput',
      '90',
    );
    expect({ stderr, exitCode }).toEqual({ stderr: '1 kernel launch, 0.01000 ms.\n', exitCode: 0 });
    expect(stdout).toMatchSnapshot();
    const table = await folder.write('one.csv', stdout);
    const lacking = await run('predict', '--model', model, '--workloads', table, '--group', 'net-b2,net-b2');
    expect(lacking).toMatchObject({ exitCode: 2 });
    expect(lacking.stderr).toContain('The workload net-b2 has no sm_util_pct, mem_util_pct. (NOT_MEASURED)');
  });

  test('a member that nobody knows is refused with the closest name', async () => {
    const { stderr, exitCode } = await run('predict', '--model', model, '--workloads', workloads, '--group', 'chat-b2');
    expect(exitCode).toBe(2);
    expect(stderr).toMatchSnapshot();
  });
});
