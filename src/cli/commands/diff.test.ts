import { describe, expect, it } from 'vitest';
import { runInProcess } from '../io.fixture.js';
import { smallState, smallTransition, useTransitionFiles } from './transition.fixture.js';

const files = useTransitionFiles();

describe('inlay diff', () => {
  it('tells node by node what a transition changes', async () => {
    const state = await files.write('state.json', smallState);
    const transition = await files.write('transition.json', smallTransition);
    const { stdout, exitCode } = await runInProcess(['diff', state, transition]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "new GPUs
        g1  new: 1g.6gb@0
          + api 1g.6gb@0 4×1 moved here from n0 g0 1g.6gb@0
      n0
        g0  freed: 1g.6gb@0 1g.6gb@2
          - api 1g.6gb@0 4×1 moved to g1 1g.6gb@0

      Pods: 0 kept, 0 restarted in place, 1 moved, 0 started, 0 stopped.
      GPUs: 0 unchanged, 0 changed, 1 added, 1 freed.
      "
    `);
  });

  it('lays a plan that only numbers its GPUs over the GPUs that it resembles', async () => {
    const workload = await files.writeWorkload(170);
    const plan = files.pathOf('plan.json');
    await runInProcess(['plan', workload, '-o', plan]);
    const state = await files.write('state.json', smallState);
    const { stdout } = await runInProcess(['diff', state, plan]);
    expect(stdout).toMatchInlineSnapshot(`
      "n0
        g0  1g.6gb@0 1g.6gb@2 → 1g.6gb@2 1g.6gb@3
          + api 1g.6gb@2 4×1 moved here from 1g.6gb@0
          + api 1g.6gb@3 4×1 started
          - api 1g.6gb@0 4×1 moved to 1g.6gb@2

      Pods: 0 kept, 0 restarted in place, 1 moved, 1 started, 0 stopped.
      GPUs: 0 unchanged, 1 changed, 0 added, 0 freed.
      "
    `);
  });

  it('gives the difference as one JSON document', async () => {
    const state = await files.write('state.json', smallState);
    const transition = await files.write('transition.json', smallTransition);
    const { stdout } = await runInProcess(['diff', state, transition, '--json']);
    expect(JSON.parse(stdout).pods).toMatchObject([{ kind: 'moved', pod: { gpu: 'g1' }, before: { gpu: 'g0', node: 'n0' } }]);
  });
});
