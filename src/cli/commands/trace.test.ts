import { describe, expect, it } from 'vitest';
import { useTemporaryFolder } from '../../formats/temporary-folder.fixture.js';
import { runInProcess } from '../io.fixture.js';

describe('inlay trace info', () => {
  const folder = useTemporaryFolder();

  it('tells how uneven a trace is and what to plan for', async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `${(i + 0.3 * Math.sin(i * i)).toFixed(2)}\n${(i + 0.5).toFixed(2)}`).slice(0, 260);
    const file = await folder.write(
      'trace.csv',
      `t_s\n${lines
        .join('\n')
        .split('\n')
        .map(Number)
        .sort((a, b) => a - b)
        .join('\n')}\n`.replace('-', ''),
    );
    const { stdout, exitCode } = await runInProcess(['trace', 'info', file]);
    expect(exitCode).toBe(0);
    expect(stdout.replaceAll(folder.path, '…')).toMatchInlineSnapshot(`
      "…/trace.csv: 520 requests in 259.5 s, 2.004 a second on average
      deviation ÷ mean of the gaps: 0.4251 (a Poisson process has 1)
      the same within windows of 30 s: 0.4269

        window  variance ÷ mean of the counts  peak ÷ mean
           1 s                          0.251          1.5
          10 s                          0.024         1.05
          60 s                       0.004167        1.008

      Plan a service with such traffic at 1.017 × its mean rate:
      99 % of the requests fall into windows of 30 s in which the rate is no higher. In a workload:

        latency: {percentile: 99, burstiness: 1, trace: "…/trace.csv", window: 30s, quantile: 0.99}
      "
    `);
    const { stdout: json } = await runInProcess(['trace', 'info', file, '--json']);
    expect(JSON.parse(json)).toMatchObject({ requests: 520, settings: { windowS: 30, quantile: 0.99 } });
  });

  it('says when a trace is too short to plan by', async () => {
    const file = await folder.write('short.csv', 't_s\n0\n1\n2\n');
    expect((await runInProcess(['trace', 'info', file])).stdout).toContain('too short to plan by');
  });

  it('refuses what it does not know, with a hint', async () => {
    const file = await folder.write('what.csv', 'a,b\n1,2\n');
    const { stderr, exitCode } = await runInProcess(['trace', 'info', file]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/TRACE_UNKNOWN[\s\S]*t_s/);
  });
});
