import { expect, test } from 'vitest';
import { runInProcess } from '../../src/cli/io.fixture.js';
import { version } from '../../src/version.js';

test('help goes to stdout and lists the commands', async () => {
  const { stdout, stderr, exitCode } = await runInProcess(['--help']);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatchSnapshot();
});

test('every command has a help text with an example', async () => {
  const { stdout } = await runInProcess(['--help']);
  const names = [...stdout.matchAll(/^ {2}([a-z-]+) .*/gm)].map((match) => match[1] as string).filter((name) => name !== 'help');
  expect(names).toContain('plan');
  for (const name of names) {
    const help = await runInProcess([name, '--help']);
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toMatch(/Examples:\n {2}\$ inlay |Commands:\n/);
  }
});

test('the version is that of the package', async () => {
  expect(await runInProcess(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', exitCode: 0 });
});

test.each([
  { name: 'an unknown command', args: ['plam', 'x.yaml'] },
  { name: 'no command', args: [] },
  { name: 'a missing argument', args: ['plan'] },
  { name: 'an excess argument', args: ['plan', 'a.yaml', 'b.yaml'] },
  { name: 'an unknown option', args: ['plan', 'a.yaml', '--objectiv', 'cost'] },
  { name: 'a value that is no choice', args: ['plan', 'a.yaml', '--objective', 'speed'] },
  { name: 'a value that cannot be parsed', args: ['plan', 'a.yaml', '--time-limit', 'soon'] },
  { name: 'an option without its value', args: ['plan', 'a.yaml', '--out'] },
  { name: 'a group without a command', args: ['layout'] },
])('$name is a usage error', async ({ args }) => {
  const { stdout, stderr, exitCode } = await runInProcess(args);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toMatchSnapshot();
});

test('a usage error is data under --json', async () => {
  const { stdout, stderr, exitCode } = await runInProcess(['plan', '--json']);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 2 });
  expect(JSON.parse(stdout)).toEqual({
    errors: [{ code: 'USAGE', message: "Missing required argument 'workload'", hint: 'See `inlay plan --help`.' }],
  });
});
