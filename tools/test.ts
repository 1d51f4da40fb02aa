/**
 * `npm test`: brings what the tests need, then checks, builds and runs every test.
 * Its last line counts the tests; a check or build that fails counts as a failed test.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installBrowser } from './install-browser.js';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[];
}

function run(command: string, ...args: readonly string[]): boolean {
  console.log(`\n> ${[command, ...args].join(' ')}`);
  return spawnSync(command, args, { stdio: 'inherit' }).status === 0;
}

function runTests(): Counts {
  const folder = mkdtempSync(join(tmpdir(), 'inlay-test-'));
  const file = join(folder, 'report.json');
  try {
    run('npx', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`);
    return countTests(JSON.parse(readFileSync(file, 'utf8')) as Report);
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function countTests(report: Report): Counts {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

const steps = [installBrowser(), run('npm', 'run', '--silent', 'check'), run('npm', 'run', '--silent', 'build')];
const counts = runTests();
const failed = counts.failed + steps.filter((passed) => !passed).length;
console.log(`\n${counts.passed} passed, ${failed} failed, ${counts.skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
