import { expect, test } from 'vitest';
import { runInProcess } from '../../src/cli/io.fixture.js';
import { strategyNames } from '../../src/cli/strategy-options.js';
import { strategies } from '../../src/plan/plan.js';

test('every strategy plans the example, every plan verifies, and the table is the same each time', async () => {
  const args = ['compare', 'examples/media/workload.yaml', '--no-seconds', '--rounds', '3'];
  const { stdout, stderr, exitCode } = await runInProcess(args);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatchSnapshot();
});

test('the command line offers every strategy of the planner, in its order', () => {
  expect(strategyNames).toEqual(Object.keys(strategies));
});
