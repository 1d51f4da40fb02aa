import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTemporaryFolder } from '../../formats/temporary-folder.fixture.js';
import { runInProcess } from '../io.fixture.js';

/** Synthetic: made up for this test. */
const table = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms
net,A30-24GB,1g.6gb,1,1,60,17
net,A30-24GB,1g.6gb,8,1,110,73
net,A30-24GB,2g.12gb,8,1,210,38
`;
const workloadOf = (latency: string) => `apiVersion: inlay.dev/v1alpha1
kind: Workload
metadata: {name: small}
spec:
  performance: [table.csv]
  latency: ${latency}
  pools: [{name: a30, gpu: A30-24GB}]
  services: [{name: api, model: net, rateRps: 300, latencyMs: 400}, {name: ask, model: net, rateRps: 90, latencyMs: 200}]
`;

describe('inlay plan --check', () => {
  const folder = useTemporaryFolder();
  let workload: string;
  const plan = 'plan.json';
  beforeAll(async () => {
    await folder.write('table.csv', table);
    await folder.write(
      'trace.csv',
      `second,requests\n${Array.from({ length: 40 }, (_, i) => `${30 * i},${i % 10 === 9 ? 50 : 20}`).join('\n')}\n`,
    );
    workload = await folder.write('workload.yaml', workloadOf('{percentile: 99}'));
  });

  it('prints what the simulation says, and writes a plan that verifies and simulates', async () => {
    const file = join(folder.path, plan);
    const { stdout, exitCode } = await runInProcess(['plan', workload, '--check', '-o', file]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /\nSimulated: Every service has 99 % of its requests within its limit\. .*\n1 round, verified with another seed/,
    );
    expect(JSON.parse(await readFile(file, 'utf8')).check).toMatchObject({ rule: 'tight', depth: 'full', seed: 1 });
    expect((await runInProcess(['verify', workload, file])).exitCode).toBe(0);
  });

  it('leaves out the second run when told to be quick', async () => {
    const { stdout } = await runInProcess(['plan', workload, '--check', 'quick', '--json', '--seed', '7']);
    expect(JSON.parse(stdout).check).toMatchObject({ depth: 'quick', seed: 7 });
  });

  it('plans for the busy windows of a trace, and plays it', async () => {
    const moving = await folder.write('moving.yaml', workloadOf('{percentile: 99, trace: trace.csv, window: 30s, quantile: 0.99}'));
    const { stdout, exitCode } = await runInProcess(['plan', moving, '--check', 'quick', '--json']);
    expect(exitCode).toBe(0);
    const { services } = JSON.parse(stdout);
    expect(services[0].rateRps).toBeCloseTo((300 * 50) / 23, 6);
  });

  it('tells what is wrong with a trace at the place that names it', async () => {
    const broken = await folder.write('broken.yaml', workloadOf('{percentile: 99, trace: none.csv}'));
    const { stderr, exitCode } = await runInProcess(['plan', broken]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/broken\.yaml:6:\d+: error: .*none\.csv does not exist/);
    const lonely = await folder.write('lonely.yaml', workloadOf('{percentile: 99, window: 30s}'));
    expect((await runInProcess(['plan', lonely])).stderr).toContain('MISSING_KEY');
  });

  it('is refused for strategies that cannot share out spare capacity', async () => {
    expect((await runInProcess(['plan', workload, '--check', '--strategy', 'whole'])).stderr).toContain('(USAGE)');
  });

  it('ends with 130 after Ctrl-C', async () => {
    const { exitCode } = await runInProcess(['plan', workload, '--check'], { watchInterrupt: () => AbortSignal.abort('interrupt') });
    expect(exitCode).toBe(130);
  });
});
