import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runNvidiaSmi } from './nvidia-smi.js';

describe('runNvidiaSmi', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inlay-smi-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A command that prints a text on one of its outputs and exits with a code. */
  const printing = (text: string, code: number, output: 1 | 2 = 1): string => {
    const path = join(folder, `smi-${code}-${output}-${text.length}`);
    writeFileSync(path, `#!/bin/sh\necho "${text}" >&${output}\nexit ${code}\n`, { mode: 0o755 });
    return path;
  };

  it.each(['No MIG-enabled devices found.', 'No GPU instances found: Not Found'])('takes %j for an answer', async (text) => {
    expect(await runNvidiaSmi(printing(text, 6), ['mig', '-lgi'])).toBe(`${text}\n`);
    expect(await runNvidiaSmi(printing(text, 6, 2), ['mig', '-lgi'])).toBe(`${text}\n`);
  });

  it.each(['No GPU instances found: Insufficient Permissions', 'Unable to list GPU instances: Insufficient Permissions', 'what?'])(
    'does not take %j for an empty GPU',
    async (text) => {
      await expect(runNvidiaSmi(printing(text, 4), ['mig', '-lgi'])).rejects.toMatchObject({
        code: 'DRIVER_REPORT_UNREADABLE',
        problems: [{ received: expect.stringContaining(text) }],
      });
    },
  );
});
