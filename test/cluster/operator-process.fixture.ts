import { spawn } from 'node:child_process';
import { expect } from 'vitest';

/** When a process is to die: so long after so many writes of its own. */
export interface Death {
  readonly writes: number;
  readonly ms: number;
}

/**
 * Runs `inlay operator` again and again, each process killed by SIGKILL when its time has come, until `end` is settled. Nothing else
 * may end one. Returns how many were killed.
 */
export async function killOperators(kubeconfig: string, end: Promise<unknown>, deathOf: (life: number) => Death): Promise<number> {
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  let kills = 0;
  for (let life = 1; !isOver; life++) {
    const { writes, ms } = deathOf(life);
    const args = ['--import', 'tsx', 'src/cli/main.ts', 'operator', '--kubeconfig', kubeconfig, '--port', '0', '--lease', '1s'];
    const child = spawn(process.execPath, [...args, '--identity', `process-${life}`], { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    const due = new Promise<void>((resolve) => {
      child.stderr.on('data', (chunk: Buffer) => {
        log += chunk.toString();
        if (log.split('"written"').length > writes) setTimeout(resolve, ms);
      });
    });
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    await Promise.race([due, ended, over.catch(() => {})]);
    kills += Number(child.kill('SIGKILL'));
    expect({ signal: await ended, log }).toMatchObject({ signal: 'SIGKILL' });
  }
  await over;
  return kills;
}
