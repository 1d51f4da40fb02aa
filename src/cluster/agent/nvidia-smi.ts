import { execFile } from 'node:child_process';
import { inlayError } from '../../errors.js';

/** A node with 16 GPUs prints about 500 KiB. */
const mostBytes = 64 * 1024 * 1024;
const timeoutMs = 30_000;

/** That there is nothing to list is an answer, although it exits with a code; that it may not be listed (": Insufficient Permissions") is none. */
const nothingFound = /No MIG-enabled devices found|No GPU instances found(?!.*Permission)/i;

/**
 * Runs nvidia-smi and gives what it printed. Throws DRIVER_REPORT_UNREADABLE when it is missing or fails; that no GPU has MIG
 * on is an answer, although nvidia-smi exits with a code for it.
 */
export function runNvidiaSmi(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { maxBuffer: mostBytes, timeout: timeoutMs, env: { ...process.env, LC_ALL: 'C' } }, (error, stdout, stderr) => {
      if (error === null || nothingFound.test(stdout + stderr)) {
        resolve(stdout === '' ? stderr : stdout);
        return;
      }
      const received = [error.message.split('\n')[0], stderr.trim(), stdout.trim()]
        .filter((text) => text !== '')
        .join('; ')
        .slice(0, 500);
      reject(inlayError('DRIVER_REPORT_UNREADABLE', { message: `${[command, ...args].join(' ')} failed.`, received }, { cause: error }));
    });
  });
}
