import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InlayError } from '../../errors.js';
import { problemLines, problemsOf } from '../problem-lines.fixture.js';
import { useTemporaryFolder } from '../temporary-folder.fixture.js';
import { readMeasuredGroups, readNamedGroups } from './read-groups.js';
import { readJobs } from './read-jobs.js';
import { readSplits } from './read-splits.js';
import { readWorkloads } from './read-workloads.js';

const folder = useTemporaryFolder();

// Synthetic numbers throughout.
const header =
  'workload,model,task,batch_size,exclusive_throughput,sm_util_pct,mem_util_pct,gpu_memory_gib,threads,compute_sm_throughput_pct,dram_throughput_pct,memory_throughput_pct,registers,static_shared_memory_bytes';
const workloads = `${header}
a,m,inf,2,100,50,20,3,1000,40,20,30,50000,100
b,m,training,4,80,60,20,3,1000,40,20,30,50000,100
c,,inference,8,60,,20,3,1000,40,20,30,50000,100
`;
const groups = `id,w1,w2,w3,t1,t2,t3
p1,a,b,,70,60,
p2,a,b,c,50,40,30
`;
let count = 0;
const write = (text: string, ending = 'csv') => folder.write(`t${count++}.${ending}`, text);
const faults = async (call: () => Promise<unknown>) => problemLines(await problemsOf(call)).replaceAll(/^t\d+/gm, 't');
const names = ['a', 'b', 'c'];

describe('a table of workloads', () => {
  test('is read by column names; families are model and task; what is empty was not measured', async () => {
    const [a, b, c] = await readWorkloads(await write(workloads));
    expect(a).toMatchObject({ name: 'a', family: 'm inference', task: 'inference', batchSize: 2, exclusiveRate: 100 });
    expect(b).toMatchObject({ family: 'm training', task: 'training' });
    expect(c).toMatchObject({ family: 'c', smUtilPercent: Number.NaN });
  });

  test('with faults is refused, all of them with their place', async () => {
    const bad = workloads.replace('a,m,inf,2,100', 'a,m,serve,0,-5').replace('b,m,training,4,80,60', 'a,m,training,4,1e99,160');
    expect(await faults(async () => readWorkloads(await write(bad)))).toMatchInlineSnapshot(`
      "t.csv:2:5 INVALID_VALUE expected inference or training received "serve"
      t.csv:2:11 INVALID_VALUE expected a number from 1 to 1e15, or nothing if it was not measured received "0"
      t.csv:2:13 INVALID_VALUE expected a number from 1e-9 to 1e15, or nothing if it was not measured received "-5"
      t.csv:3:1 DUPLICATE_NAME expected one row a workload
      t.csv:3:16 INVALID_VALUE expected a number from 1e-9 to 1e15, or nothing if it was not measured received "1e99"
      t.csv:3:21 INVALID_VALUE expected a number from 0 to 100, or nothing if it was not measured received "160""
    `);
  });

  test('without a column, or with one twice, is refused', async () => {
    const bad = workloads.replace('threads', 'treads').replace('registers', 'task');
    expect(await faults(async () => readWorkloads(await write(bad)))).toMatchInlineSnapshot(`
      "t.csv:1:1 MISSING_COLUMN expected workload,task,batch_size,exclusive_throughput,threads,compute_sm_throughput_pct,dram_throughput_pct,memory_throughput_pct,registers,static_shared_memory_bytes,sm_util_pct,mem_util_pct,gpu_memory_gib received workload,model,task,batch_size,exclusive_throughput,sm_util_pct,mem_util_pct,gpu_memory_gib,treads,compute_sm_throughput_pct,dram_throughput_pct,memory_throughput_pct,task,static_shared_memory_bytes
      t.csv:1:1 MISSING_COLUMN expected workload,task,batch_size,exclusive_throughput,threads,compute_sm_throughput_pct,dram_throughput_pct,memory_throughput_pct,registers,static_shared_memory_bytes,sm_util_pct,mem_util_pct,gpu_memory_gib received workload,model,task,batch_size,exclusive_throughput,sm_util_pct,mem_util_pct,gpu_memory_gib,treads,compute_sm_throughput_pct,dram_throughput_pct,memory_throughput_pct,task,static_shared_memory_bytes
      t.csv:1:168 DUPLICATE_COLUMN expected each column once"
    `);
  });
});

describe('tables of groups', () => {
  test('hold groups of several sizes', async () => {
    expect(await readMeasuredGroups([await write(groups)], names)).toEqual([
      { id: 'p1', members: ['a', 'b'], rates: [70, 60] },
      { id: 'p2', members: ['a', 'b', 'c'], rates: [50, 40, 30] },
    ]);
  });

  test('may be without measurements when they are to be predicted', async () => {
    expect(await readNamedGroups(await write('id,w1,w2\nx,a,a\ny,b,\n'), names)).toEqual([
      { id: 'x', members: ['a', 'a'] },
      { id: 'y', members: ['b'] },
    ]);
  });

  test('with unknown members, rates that are none, or one id for two groups are refused', async () => {
    const bad = groups.replace('p1,a,b,,70,60', 'p2,a,z,,0,').replace('40,30', 'x,30');
    expect(await faults(async () => readMeasuredGroups([await write(bad)], names))).toMatchInlineSnapshot(`
      "t.csv:2:6 UNKNOWN_WORKLOAD received z
      t.csv:2:9 INVALID_VALUE expected a number from 1e-9 to 1e15, in samples per second received "0"
      t.csv:2:11 INVALID_VALUE expected a number from 1e-9 to 1e15, in samples per second received nothing
      t.csv:3:1 CONFLICTING_GROUPS expected a + z received a + b + c
      t.csv:3:13 INVALID_VALUE expected a number from 1e-9 to 1e15, in samples per second received "x""
    `);
    const lonely = 'id,w1,w2,t1,t2\nx,a,,1,\n';
    expect(await faults(async () => readMeasuredGroups([await write(lonely)], names))).toMatchInlineSnapshot(
      `"t.csv:2:5 INVALID_VALUE expected at least 2 members received 1"`,
    );
  });

  test('with a gap, a rate of nobody, too many members or no id are refused', async () => {
    const bad = 'id,w1,w2,w3,t1,t2,t3\nx,a,,c,5,6,7\ny,a,b,,5,6,7\n,a,b,,5,6,\n';
    expect(await faults(async () => readMeasuredGroups([await write(bad)], names))).toMatchInlineSnapshot(`
      "t.csv:2:5 INVALID_VALUE expected at least 2 members received 1
      t.csv:2:6 INVALID_VALUE expected nothing, as w2 is empty received "c"
      t.csv:2:10 INVALID_VALUE expected nothing, as w2 is empty received "6"
      t.csv:2:12 INVALID_VALUE expected nothing, as w2 is empty received "7"
      t.csv:3:12 INVALID_VALUE expected nothing, as w3 is empty received "7"
      t.csv:4:1 INVALID_VALUE expected an id"
    `);
    const places = Array.from({ length: 49 }, (_, k) => `w${k + 1}`);
    const crowd = `id,${places.join()}\nx${',a'.repeat(49)}\n`;
    expect(await faults(async () => readNamedGroups(await write(crowd), names))).toMatchInlineSnapshot(
      `"t.csv:2:99 INVALID_VALUE expected at most 48 members received "a""`,
    );
  });

  test('damaged anywhere give a coded error or are still right', async () => {
    const parts = ['', ',', '"', '\n', 'NaN', '-1', '1e400', ';', '\u0000', 'a', '0x10'];
    await fc.assert(
      fc.asyncProperty(fc.nat(workloads.length), fc.nat(12), fc.constantFrom(...parts), fc.boolean(), async (at, cut, put, first) => {
        const damage = (text: string) => text.slice(0, at) + put + text.slice(at + cut);
        const file = await write(first ? damage(workloads) : damage(groups));
        try {
          if (first) await readWorkloads(file);
          else await readMeasuredGroups([file], names);
        } catch (error) {
          expect(error).toBeInstanceOf(InlayError);
          expect((error as InlayError).problems.every((problem) => problem.message !== '')).toBe(true);
        }
      }),
      { seed: 8, numRuns: 150 },
    );
  });
});

describe('splits', () => {
  test('are looked up among the groups', async () => {
    const known = await readMeasuredGroups([await write(groups)], names);
    const file = await write('{"splits": {"n": {"1": {"train": ["p1"], "test": ["p2"]}}}}', 'json');
    expect(await readSplits(file, known)).toMatchObject([
      { name: 'n', splits: [{ train: [{ id: 'p1' }], trainUsed: [{ id: 'p1' }], test: [{ id: 'p2' }] }] },
    ]);
    const bad = await write('{"splits": {"n": {"1": {"train": ["p9"], "test": ["p2"]}}}}', 'json');
    expect(await faults(() => readSplits(bad, known))).toBe(
      't.json:1:35 splits.n["1"].train[0] INVALID_VALUE expected an id of --groups received p9',
    );
    expect(await faults(async () => readSplits(await write('{"splits": 3}', 'json'), known))).toContain('INVALID_VALUE');
  });
});

describe('jobs', () => {
  const jobs = 'apiVersion: inlay.dev/v1alpha1\nkind: Jobs\ngpu: {memoryGiB: 16}\njobs:\n  - {name: one, workload: a}\n';
  test('name workloads of the table', async () => {
    const known = await readWorkloads(await write(workloads));
    expect(await readJobs(await write(jobs, 'yaml'), known)).toMatchObject({ jobs: [{ name: 'one', workload: 'a' }] });
    const bad = `${jobs}  - {name: one, workload: z}\n`;
    expect(await faults(async () => readJobs(await write(bad, 'yaml'), known))).toMatchInlineSnapshot(`
      "t.yaml:6:12 jobs[1].name DUPLICATE_NAME
      t.yaml:6:27 jobs[1].workload UNKNOWN_WORKLOAD received z"
    `);
  });
});
