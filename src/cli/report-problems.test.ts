import { describe, expect, test } from 'vitest';
import { InlayError, inlayError, problem } from '../errors.js';
import { recordIo } from './io.fixture.js';
import { reportFailure, reportInfeasible, reportNotes } from './report-problems.js';

const badRate = problem('INVALID_VALUE', {
  message: 'rateRps is out of range.',
  file: 'workload.yaml',
  line: 12,
  column: 9,
  path: 'spec.services[0].rateRps',
  expected: 'a number from 1e-9 to 1e9, or 0',
  received: '-3',
});

describe('a failure on a terminal', () => {
  test('says where, what, expected, received and what to do', () => {
    const { io, finish } = recordIo();
    reportFailure(new InlayError([badRate]), io);
    expect(finish()).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: [
        'workload.yaml:12:9: error: rateRps is out of range. (INVALID_VALUE)',
        '  expected a number from 1e-9 to 1e9, or 0, received -3',
        '  Use a value as expected.',
        '',
      ].join('\n'),
    });
  });

  test('shows 20 problems and counts the rest', () => {
    const { io, finish } = recordIo();
    reportFailure(new InlayError(Array.from({ length: 25 }, () => badRate)), io);
    const { stderr } = finish();
    expect(stderr.match(/INVALID_VALUE/g)).toHaveLength(20);
    expect(stderr).toMatch(/… and 5 more \(all of them with --json\)\n$/);
  });

  test('that nobody foresaw is called a bug, without a stack trace', () => {
    const { io, finish } = recordIo();
    reportFailure(new TypeError('x is not a function'), io);
    const { stderr, exitCode } = finish();
    expect(exitCode).toBe(1);
    expect(stderr).toMatchInlineSnapshot(`
      "error: Unexpected: x is not a function (INTERNAL)
        This is a bug. Please report it with the command, the input and the output of the same command under INLAY_DEBUG=1.
      "
    `);
  });

  test('shows its stack trace under INLAY_DEBUG=1', () => {
    const { io, finish } = recordIo({ env: { INLAY_DEBUG: '1' } });
    reportFailure(new TypeError('x is not a function'), io);
    expect(finish().stderr).toMatch(/\n +at /);
  });

  test('cannot forge lines or move the cursor with names from a file', () => {
    const { io, finish } = recordIo();
    reportFailure(inlayError('UNKNOWN_SERVICE', { message: 'No service \u001b[2Jx\nerror: forged' }), io);
    expect(finish().stderr.split('\n')[0]).toBe('error: No service \\u001b[2Jx\\u000aerror: forged (UNKNOWN_SERVICE)');
  });
});

describe('a failure under --json', () => {
  test('is one document on stdout with every problem', () => {
    const { io, finish } = recordIo();
    reportFailure(new InlayError(Array.from({ length: 25 }, () => badRate)), io, { json: true });
    const { stdout, stderr, exitCode } = finish();
    expect(stderr).toBe('');
    expect(exitCode).toBe(2);
    const { errors } = JSON.parse(stdout);
    expect(errors).toHaveLength(25);
    expect(errors[0]).toEqual(badRate);
  });
});

describe('an infeasible answer', () => {
  const answer = {
    kind: 'infeasible',
    conflicts: [
      {
        code: 'POOL_TOO_SMALL',
        pool: 'a100',
        message: 'The pool has 10 GPUs; 14 are the proven minimum.',
        needed: 14,
        available: 10,
        hint: 'Add 4.',
      },
    ],
  } as const;

  test('names the conflict and ends with 3', () => {
    const { io, finish } = recordIo();
    reportInfeasible(answer, io);
    const { stderr, exitCode } = finish();
    expect(exitCode).toBe(3);
    expect(stderr).toMatchInlineSnapshot(`
      "Infeasible: this cannot be done.
      conflict: The pool has 10 GPUs; 14 are the proven minimum. (POOL_TOO_SMALL)
        Add 4.
      "
    `);
  });

  test('is passed on whole under --json', () => {
    const { io, finish } = recordIo();
    reportInfeasible(answer, io, { json: true });
    expect(JSON.parse(finish().stdout)).toEqual(answer);
  });
});

test('notes go to stderr, and nowhere under --quiet', () => {
  const note = problem('RATE_ZERO', { message: 'Service a has rate 0.', file: 'w.yaml', line: 3, column: 1 });
  const loud = recordIo();
  reportNotes([note], loud.io);
  expect(loud.finish()).toEqual({ stdout: '', stderr: 'w.yaml:3:1: note: Service a has rate 0. (RATE_ZERO)\n', exitCode: 0 });
  const quiet = recordIo();
  reportNotes([note], quiet.io, { quiet: true });
  expect(quiet.finish().stderr).toBe('');
});
