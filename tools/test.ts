/**
 * `npm test`: brings what the tests need, then checks, builds and runs every test.
 * Its last line counts the tests; a check or build that fails counts as a failed test.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildKubelab } from './build-kubelab.js';
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

/** Runs one of vitest's projects and counts its tests. */
function runTests(project: string, ...options: readonly string[]): Counts {
  const folder = mkdtempSync(join(tmpdir(), 'inlay-test-'));
  const file = join(folder, 'report.json');
  try {
    run('npx', 'vitest', 'run', '--project', project, ...options, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`);
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

const steps = [installBrowser(), buildKubelab(), run('npm', 'run', '--silent', 'check'), run('npm', 'run', '--silent', 'build')];
// Whole commands and clusters one file at a time: beside others they would wait for a core and miss their deadlines.
const runs = [runTests('unit', '--maxWorkers=100%'), runTests('whole'), runTests('cluster')];
const sumOf = (kind: keyof Counts): number => runs.reduce((sum, counts) => sum + counts[kind], 0);
const failed = sumOf('failed') + steps.filter((passed) => !passed).length;
console.log(`\n${sumOf('passed')} passed, ${failed} failed, ${sumOf('skipped')} skipped`);
process.exitCode = failed === 0 ? 0 : 1;
