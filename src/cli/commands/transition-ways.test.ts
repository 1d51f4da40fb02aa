import { describe, expect, it } from 'vitest';
import { runInProcess } from '../io.fixture.js';
import { smallState, useTransitionFiles } from './transition.fixture.js';

const files = useTransitionFiles();
const [gpu] = smallState.gpus;
if (gpu === undefined) throw new Error('the state of the tests has no GPU');
const [pod] = gpu.instances;
if (pod === undefined) throw new Error('the GPU of the tests has no pod');
const writeState = (changes: object = {}) => files.write('state.json', { ...smallState, ...changes });

async function errorsOf(args: readonly string[]) {
  const { stdout, exitCode } = await runInProcess([...args, '--json']);
  const errors: readonly { code: string; path?: string; file?: string; line?: number }[] = JSON.parse(stdout).errors;
  return { exitCode, errors: errors.map(({ code, path }) => (path === undefined ? code : `${code} ${path}`)), first: errors[0] };
}

describe('other ways of inlay transition', () => {
  it('goes the published way, which verifies too', async () => {
    const [state, workload, out] = [await writeState(), await files.writeWorkload(300), files.pathOf('transition.json')];
    const { exitCode } = await runInProcess(['transition', state, workload, '--method', 'published', '-o', out, '--quiet']);
    expect(exitCode).toBe(0);
    expect((await runInProcess(['verify-transition', state, out, workload])).stdout).toContain('keeps every promise');
  });

  it('makes room with as many moves as allowed, and shows for what', async () => {
    const crowded = { gpus: [{ ...gpu, instances: [pod, { ...pod, start: 2 }] }] };
    const [state, workload, out] = [await writeState(crowded), await files.writeWorkload(), files.pathOf('transition.json')];
    const { stdout } = await runInProcess(['transition', state, workload, '--defragment', '--max-moves', '1', '-o', out, '--quiet']);
    expect(stdout).toMatchInlineSnapshot(`
      "now to small: 1 → 1 GPU in 31 s (expected), backend instance, floor raw
      pods: 1 kept, 1 start: 1 moved, 0 restarted in place, 0 temporary
      GPUs: at most 1 at a time (2 extra allowed), 1 touched, 1 instance created, 1 deleted

        start s  end s  id    step             GPU  what              after
              0      1  s001  create-instance  g0   1g.6gb@1
              0      5  s002  stop-pod         g0   1g.6gb@2 api 4×1
              1     31  s003  start-pod        g0   1g.6gb@1 api 4×1  s001
              5    5.7  s004  delete-instance  g0   1g.6gb@2          s002

        service  old rps  new rps  floor rps  lowest ready rps
        api           80       80         80               100

        pool  room for  before  after
        a30   1g.6gb         2      2
        a30   2g.12gb        0      1
      "
    `);
    expect((await runInProcess(['verify-transition', state, out, workload])).exitCode).toBe(0);
  });

  it('makes no room where other pods would have to start first', async () => {
    const [state, workload] = [await writeState(), await files.writeWorkload(170)];
    const { exitCode, errors } = await errorsOf(['transition', state, workload, '--defragment']);
    expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: ['STATE_OF_OTHER_DEMAND gpus'] });
    const odd = await writeState({ gpus: [{ ...gpu, instances: [pod, { ...pod, start: 2, batch: 16 }] }] });
    expect((await errorsOf(['transition', odd, await files.writeWorkload(), '--defragment'])).errors).toEqual([
      'STATE_OF_OTHER_DEMAND gpus[0].instances[1]',
    ]);
  });

  it.each([
    [['--max-moves', '1']],
    [['--defragment', '--pareto']],
    [['--defragment', '--target-gpus', '+1']],
    [['--defragment', '--method', 'published']],
    [['--method', 'published', '--pareto']],
    [['--method', 'published', '--backend', 'node']],
    [['--pareto', '--svg', 'picture.svg']],
  ])('refuses %j, which contradicts itself', async (options) => {
    const { exitCode, errors } = await errorsOf(['transition', await writeState(), await files.writeWorkload(300), ...options]);
    expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: ['USAGE'] });
  });

  it.each([
    [
      'a profile where it cannot be',
      { gpus: [{ ...gpu, instances: [{ ...pod, profile: '2g.12gb', start: 1 }] }] },
      'STATE_IMPOSSIBLE gpus[0].instances',
    ],
    [
      'instances over each other',
      { gpus: [{ ...gpu, instances: [pod, { profile: '2g.12gb', start: 0, service: null }] }] },
      'STATE_IMPOSSIBLE gpus[0].instances',
    ],
    ['a service that it does not list', { services: [] }, 'UNKNOWN_SERVICE gpus[0].instances[0].service'],
    [
      'a profile of another model',
      { gpus: [{ ...gpu, instances: [{ ...pod, profile: '1g.10gb' }] }] },
      'UNKNOWN_PROFILE gpus[0].instances[0].profile',
    ],
    ['a GPU of another model than its pool', { gpus: [{ ...gpu, type: 'A100-80GB', instances: [] }] }, 'STATE_OF_OTHER_POOL gpus[0].type'],
    ['a GPU of a pool that the workload lacks', { gpus: [{ ...gpu, pool: 'other' }] }, 'STATE_OF_OTHER_POOL gpus[0].pool'],
    ['one uuid twice', { gpus: [gpu, { ...gpu, id: 'g9', index: 1 }] }, 'DUPLICATE_NAME gpus[1].uuid'],
    ['one id twice', { gpus: [gpu, { ...gpu, uuid: 'GPU-1', index: 1 }] }, 'DUPLICATE_NAME gpus[1].id'],
    ['two GPUs in one place of a node', { gpus: [gpu, { ...gpu, id: 'g9', uuid: 'GPU-1' }] }, 'DUPLICATE_NAME gpus[1].index'],
  ])('refuses a state with %s, with the place', async (_, changes, expected) => {
    const { exitCode, errors } = await errorsOf(['transition', await writeState(changes), await files.writeWorkload()]);
    expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: [expected] });
  });
});

describe('inlay plan --current', () => {
  it('plans onto what runs, says what changes, and leaves alone what others hold', async () => {
    const held = {
      ...gpu,
      id: 'g5',
      index: 5,
      uuid: 'GPU-5',
      reserved: true,
      instances: [{ profile: '4g.24gb', start: 0, service: null }],
    };
    const partly = {
      ...gpu,
      id: 'g6',
      index: 6,
      uuid: 'GPU-6',
      instances: [{ profile: '2g.12gb', start: 0, service: null, reserved: true }],
    };
    const [state, workload, out] = [
      await writeState({ gpus: [gpu, held, partly] }),
      await files.writeWorkload(300),
      files.pathOf('plan.json'),
    ];
    const { stdout, exitCode } = await runInProcess(['plan', workload, '--current', state, '-o', out, '--quiet']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "small: 1 GPU (1 × A30-24GB), 3 instances
      Proven: no plan has fewer GPUs (bound 1, so at least 1 GPU).

        aim                target  proven limit
        pod starts              2             2  proven: no less is possible
        instances created       1             1  proven: no less is possible
        GPUs touched            1             1  proven: no less is possible

        GPUs  type      pool  instances: profile@start service batch×processes
           1  A30-24GB  a30   1g.6gb@0,2,3 api 4×1

        service  rate rps  planned rps  measured rps  predicted ms  limit ms  limited by  instances
        api           300          300           300             –       400  none        3 × 1g.6gb
      "
    `);
    const { stdout: report } = await runInProcess(['verify', workload, out, '--current', state]);
    expect(report).toContain('The plan keeps every promise.');
    const { stdout: diff } = await runInProcess(['diff', state, out]);
    expect(diff).toContain('Pods: 1 kept');
  });
});
