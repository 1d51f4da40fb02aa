import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const entry = 'dist/cli/main.js';
/** Loaded before the command: tells its peak memory in KiB when it ends. */
const memoryProbe = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS+'\\n'))";

/** Runs the built `inlay` and tells how long it took, milliseconds. */
export function timeBuiltCommand(...args: readonly string[]): number {
  return run([], args).ms;
}

/** Runs the built `inlay` and tells its largest resident memory, MiB. */
export function peakOfBuiltCommand(...args: readonly string[]): number {
  const { stderr } = run(['--import', `data:text/javascript,${encodeURIComponent(memoryProbe)}`], args);
  return Math.max(...[...stderr.matchAll(/^peak (\d+)$/gm)].map((match) => Number(match[1]) / 1024));
}

function run(nodeArgs: readonly string[], args: readonly string[]): { readonly ms: number; readonly stderr: string } {
  if (!existsSync(entry)) {
    console.error('This benchmark runs the built package: npm run build comes first.');
    process.exit(2);
  }
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [...nodeArgs, entry, ...args], { encoding: 'utf8' });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`inlay ${args.join(' ')} ended with ${status}\n${stderr}`);
  return { ms, stderr };
}
