import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../io.fixture.js';
import { smallState, useTransitionFiles } from './transition.fixture.js';

const files = useTransitionFiles();
const writeState = () => files.write('state.json', smallState);

describe('inlay transition', () => {
  it('writes a transition and a picture that keep their promises, and says what changes', async () => {
    const [state, workload] = [await writeState(), await files.writeWorkload(170)];
    const [out, svg] = [files.pathOf('transition.json'), files.pathOf('transition.svg')];
    const { stdout, exitCode } = await runInProcess(['transition', state, workload, '-o', out, '--svg', svg, '--quiet']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "now to small: 1 → 1 GPU in 30 s (expected), backend instance, floor raw
      pods: 1 kept, 1 start: 0 moved, 0 restarted in place, 0 temporary
      GPUs: at most 1 at a time (2 extra allowed), 1 touched, 0 instances created, 0 deleted

        aim                target  proven limit
        GPUs                    1             1  proven: no less is possible
        pod starts              1             1  proven: no less is possible
        instances created       0             0  proven: no less is possible
        GPUs touched            1             1  proven: no less is possible
        seconds                30            30  proven: no less is possible, temporary pods elsewhere apart

        start s  end s  id    step       GPU  what              after
              0     30  s001  start-pod  g0   1g.6gb@2 api 4×1

        service  old rps  new rps  floor rps  lowest ready rps
        api           80      170         80               100
      "
    `);
    expect(await readFile(svg, 'utf8')).toContain('<svg');
    expect((await runInProcess(['verify-transition', state, out, workload])).exitCode).toBe(0);
  });

  it('changes nothing where what runs is right already', async () => {
    const { stdout } = await runInProcess(['transition', await writeState(), await files.writeWorkload(80), '--quiet']);
    expect(stdout).toBe('now to small: nothing changes; what runs already is the target.\n');
  });

  it.each(['gpu-wipe', 'node'])('plans for the backend %s', async (backend) => {
    const [state, workload, out] = [await writeState(), await files.writeWorkload(300), files.pathOf('transition.json')];
    await runInProcess(['transition', state, workload, '--backend', backend, '-o', out]);
    const { stdout } = await runInProcess(['verify-transition', state, out, workload]);
    expect(stdout).toContain('The transition keeps every promise.');
  });

  it('takes a plan with its workload', async () => {
    const [state, workload, plan] = [await writeState(), await files.writeWorkload(170), files.pathOf('plan.json')];
    await runInProcess(['plan', workload, '-o', plan]);
    const { stdout, exitCode } = await runInProcess(['transition', state, plan, '--workload', workload, '--json', '--quiet']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'Transition', target: { services: [{ name: 'api', rateRps: 170 }] } });
  });

  it('refuses a plan for another workload, with the place', async () => {
    const [state, plan] = [await writeState(), files.pathOf('plan.json')];
    await runInProcess(['plan', await files.writeWorkload(170), '-o', plan]);
    const { stdout, exitCode } = await runInProcess(['transition', state, plan, '--workload', await files.writeWorkload(90), '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout).errors).toMatchObject([
      { code: 'PLAN_MISMATCH', path: 'services[0].rateRps', expected: '90 rps', received: '170 rps', file: plan },
    ]);
  });

  it('says which files go together', async () => {
    const [state, workload, plan] = [await writeState(), await files.writeWorkload(170), files.pathOf('plan.json')];
    await runInProcess(['plan', workload, '-o', plan]);
    expect((await runInProcess(['transition', state, plan])).stderr).toContain('its workload is needed as well');
    expect((await runInProcess(['transition', state, workload, '--workload', workload])).stderr).toContain('--workload goes with a plan');
  });

  it('uses the durations given', async () => {
    const durations = await files.write('durations.json', {
      apiVersion: 'inlay.dev/v1alpha1',
      kind: 'Durations',
      spec: { 'start-pod': 90 },
    });
    const { stdout } = await runInProcess([
      'transition',
      await writeState(),
      await files.writeWorkload(170),
      '--durations',
      durations,
      '--json',
      '--quiet',
    ]);
    const { durations: used, makespanS } = JSON.parse(stdout);
    expect(used).toMatchObject({ 'start-pod': 90, 'stop-pod': 5 });
    expect(makespanS).toBeGreaterThanOrEqual(90);
  });

  it('shows what more GPUs would save', async () => {
    const { stdout } = await runInProcess(['transition', await writeState(), await files.writeWorkload(300), '--pareto', '--quiet']);
    expect(stdout).toMatchInlineSnapshot(`
      "  GPUs at most  pod starts  proven limit  saved
                   1           2             2    0 %
                   2           2             2    0 %
                   3           2             2    0 %
      "
    `);
  });

  it('refuses a GPU of another model than its pool, with the place', async () => {
    const gpus = smallState.gpus.map((gpu) => ({ ...gpu, type: 'A100-40GB', instances: [] }));
    const state = await files.write('state.json', { ...smallState, gpus });
    const { stdout, exitCode } = await runInProcess(['transition', state, await files.writeWorkload(), '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout).errors).toMatchObject([{ code: 'STATE_OF_OTHER_POOL', path: 'gpus[0].type' }]);
  });

  it('answers 3 where the pool is too small', async () => {
    const { stdout, exitCode } = await runInProcess(['transition', await writeState(), await files.writeWorkload(5000), '--json']);
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'infeasible', conflicts: [{ code: 'POOL_TOO_SMALL' }] });
  });
});
