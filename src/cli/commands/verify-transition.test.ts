import { describe, expect, it } from 'vitest';
import { runInProcess } from '../io.fixture.js';
import { smallState, smallTransition, useTransitionFiles } from './transition.fixture.js';

const files = useTransitionFiles();

async function verify(state: object, transition: object, rateRps = 80, ...more: readonly string[]) {
  const [workload, stateFile, transitionFile] = [
    await files.writeWorkload(rateRps),
    await files.write('state.json', state),
    await files.write('transition.json', transition),
  ];
  return runInProcess(['verify-transition', stateFile, transitionFile, workload, ...more]);
}

const withGpu = (changes: object) => ({ ...smallState, gpus: [{ ...smallState.gpus[0], ...changes }] });
const errorsOf = async (state: object) => {
  const { stdout, exitCode } = await verify(state, smallTransition, 80, '--json');
  expect(exitCode).toBe(2);
  return JSON.parse(stdout).errors.map(
    ({ code, path, line }: { code: string; path: string; line: number }) => `${code} ${path} line ${line}`,
  );
};

describe('inlay verify-transition', () => {
  it('lists the promises that a transition keeps and ends with 0', async () => {
    const { stdout, stderr, exitCode } = await verify(smallState, smallTransition, 80, '--quiet');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toMatchInlineSnapshot(`
      "✓ identity: the id is the hash of the transition
      ✓ demand: the target is for this workload and delivers every rate
      ✓ gpus: GPUs are known, of their pool’s model, and the same in state and target
      ✓ steps: steps wait for their predecessors and take as long as they should
      ✓ placements: every GPU is cut legally at every moment, and nothing in use is deleted
      ✓ pods: pods start on free instances by measured rows, and only pods that are ready stop
      ✓ reserved: nothing that others hold is touched
      ✓ backend: every step is one that the backend can take, when it can take it
      ✓ floor: no service falls below its floor at any moment of the schedule
      ✓ target: the steps end in the target
      ✓ peak: never more GPUs in use than stated and allowed
      ✓ counts: what is kept, started, moved and changed adds up
      ✓ bounds: limits, gaps and what is achieved fit together
      ✓ order: the dependencies alone keep every placement legal, however long steps take
      ✓ floor under delay: the dependencies alone keep every service above its floor, however long steps take

      The transition keeps every promise.
      "
    `);
  });

  it('shows what broke, where and when, and ends with 1', async () => {
    const hasty = {
      ...smallTransition,
      steps: smallTransition.steps.map((step) => (step.id === 't' ? { ...step, after: [], startS: 30, endS: 35 } : step)),
    };
    const { stdout, exitCode } = await verify(smallState, hasty);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      '✗ floor: no service falls below its floor at any moment of the schedule\n    api: falls below its floor at 30 s, when t starts.',
    );
    expect(stdout).toContain('expected at least 80 rps, received 0 rps');
    expect(stdout).toContain('✗ floor under delay');
    expect(stdout).toContain('The transition breaks 2 of 15 promises.');
  });

  it('says that a target is for another workload', async () => {
    const { stdout, exitCode } = await verify(smallState, smallTransition, 90, '--json');
    expect(exitCode).toBe(1);
    const { checks } = JSON.parse(stdout);
    expect(checks.find(({ name }: { name: string }) => name === 'demand').violations).toEqual([
      {
        where: 'api',
        message: 'api: the target is for another workload.',
        expected: 'net, 90 rps, 400 ms',
        received: 'net, 80 rps, 400 ms',
      },
    ]);
  });

  it('tells a pod on an instance that is not there, and a GPU of another model than the pool', async () => {
    const steps = smallTransition.steps.map((step) => (step.id === 's' ? { ...step, start: 1 } : step));
    const target = { ...smallTransition.target, gpus: [{ ...smallTransition.target.gpus[0], type: 'A100-40GB' }] };
    const { stdout } = await verify(smallState, { ...smallTransition, steps, target });
    expect(stdout).toContain('s (start-pod g1 1g.6gb@1, 1 s): there is no such instance.\n      expected an instance, received 1g.6gb@0');
    expect(stdout).toContain('g1: pool a30 is of another GPU model.\n      expected A30-24GB, received A100-40GB');
  });

  it('refuses states that cannot be, with the place', async () => {
    const [pod] = smallState.gpus[0]?.instances ?? [];
    expect(await errorsOf(withGpu({ instances: [pod, { profile: '2g.12gb', start: 0, service: null }] }))).toEqual([
      'STATE_IMPOSSIBLE gpus[0].instances line 23',
    ]);
    expect(await errorsOf(withGpu({ instances: [{ ...pod, service: 'stranger' }] }))).toEqual([
      'UNKNOWN_SERVICE gpus[0].instances[0].service line 27',
    ]);
    const twice = { ...smallState, gpus: [smallState.gpus[0], { ...smallState.gpus[0], id: 'g9', index: 1 }] };
    expect(await errorsOf(twice)).toEqual(['DUPLICATE_NAME gpus[1].uuid line 45']);
  });

  it('refuses a file that is no transition', async () => {
    const { stderr, exitCode } = await verify(smallState, smallState);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('WRONG_KIND');
  });
});
