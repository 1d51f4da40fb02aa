import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PlanDocument } from '../../demand/documents/plan.js';
import { unfoldPlan } from '../../demand/documents/unfold-plan.js';
import { useTemporaryFolder } from '../../formats/temporary-folder.fixture.js';
import type { PhaseOutcome } from '../../simulate/schedule/scheduled-service.js';
import { runInProcess } from '../io.fixture.js';

/** Synthetic: made up for this test. */
const table = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms
net,A30-24GB,1g.6gb,1,1,60,17
net,A30-24GB,1g.6gb,8,1,110,73
net,A30-24GB,2g.12gb,8,1,210,38
`;
const workloadOf = (services: string) => `apiVersion: inlay.dev/v1alpha1
kind: Workload
metadata: {name: small}
spec:
  performance: [table.csv]
  pools: [{name: a30, gpu: A30-24GB}]
  services: ${services}
`;
const api = '{name: api, model: net, rateRps: 300, latencyMs: 400}';
const tight = '{name: tight, model: net, rateRps: 100, latencyMs: 120}';

describe('inlay simulate', () => {
  const folder = useTemporaryFolder();
  let workload: string;
  let plan: string;
  const simulate = (...args: readonly string[]) => runInProcess(['simulate', workload, plan, ...args]);
  beforeAll(async () => {
    await folder.write('table.csv', table);
    workload = await folder.write('workload.yaml', workloadOf(`[${api}, ${tight}]`));
    plan = join(folder.path, 'plan.json');
    await runInProcess(['plan', workload, '-o', plan]);
  });

  it('says that every service meets its percentile, the nearest to its limit first', async () => {
    const { stdout, exitCode } = await simulate('--requests', '60000');
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "small: 2 services, 120 k requests simulated

        service  limit ms  within %  p50 ms   p90   p95      p99 ms  max   load  batch   busy  requests
        tight         120       100    57.4  72.7  74.6  76.1 ±0.12  100  0.476  3.821   99 %      60 k
        api           400       100    70.9   115   130     166 ±13  254  0.909  4.274  100 %      60 k

      Every service has 99 % of its requests within its limit. 100 % of all requests are in time.
      "
    `);
  });

  it('ends with 1 and names the services that miss', async () => {
    const { stdout, exitCode } = await simulate('--requests', '60000', '--arrivals', 'gamma:5');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/\d of 2 services miss(es)? 99 %/);
  });

  it('gives the same result on any number of threads', async () => {
    const one = await simulate('--requests', '30000', '--json', '--threads', '1');
    expect(await simulate('--requests', '30000', '--json', '--threads', '2')).toEqual(one);
    const { kind, shareInTime, services } = JSON.parse(one.stdout);
    expect({ kind, shareInTime }).toEqual({ kind: 'meets', shareInTime: expect.closeTo(1, 2) });
    expect(services).toHaveLength(2);
    expect(services[0]).toMatchObject({
      kind: 'measured',
      requests: 30_000,
      p99Ms: { value: expect.any(Number), halfWidth: expect.any(Number) },
    });
  });

  it('prints no numbers for a run that is too short, and calls that a miss', async () => {
    const { stdout, exitCode } = await simulate('--requests', '1000');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('not settled');
    expect(stdout).toContain('2 of 2 services miss 99 % (2 of them did not settle).');
  });

  it('does not simulate loads that cannot settle', async () => {
    const full = await folder.write('full.yaml', workloadOf(`[${api.replace('300', '5000')}, ${tight}]`));
    const { stdout, exitCode } = await runInProcess(['simulate', full, plan, '--requests', '30000']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('overloaded: cannot settle');
  });

  it('plays traces of counts and of time stamps', async () => {
    const counts = await folder.write(
      'counts.csv',
      `second,requests\n${Array.from({ length: 40 }, (_, i) => `${i},${3 + (i % 3)}`).join('\n')}\n`,
    );
    const stamps = await folder.write('stamps.txt', Array.from({ length: 500 }, (_, i) => i * 0.3).join('\n'));
    for (const arrivals of [`rates:${counts}`, `stamps:${stamps}`]) {
      const { exitCode, stdout } = await simulate('--arrivals', arrivals);
      expect(stdout).toContain('2 services');
      expect(exitCode).toBe(0);
    }
    expect((await simulate('--arrivals', `stamps:${counts}`)).stderr).toMatch(/holds counts[\s\S]*Use rates:/);
  });

  it('draws the latencies', async () => {
    const svg = join(folder.path, 'latencies.svg');
    await simulate('--requests', '30000', '--svg', svg);
    expect(await readFile(svg, 'utf8')).toMatch(/^<svg [\s\S]*small: simulated latencies[\s\S]*limit 120 ms[\s\S]*<\/svg>\n$/);
  });

  it('simulates only the services that are named, whose results do not depend on the others', async () => {
    const { stdout } = await simulate('--requests', '30000', '--services', 'tight', '--json');
    const { services } = JSON.parse(stdout);
    expect(services).toMatchObject([{ name: 'tight' }]);
    const all = JSON.parse((await simulate('--requests', '30000', '--json')).stdout).services;
    expect(all.filter(({ name }: { readonly name: string }) => name === 'tight')).toEqual(services);
    expect((await simulate('--services', 'tigth')).stderr).toContain('UNKNOWN_SERVICE');
  });

  it('ends with 130 after Ctrl-C', async () => {
    const { exitCode, stdout } = await runInProcess(['simulate', workload, plan], { watchInterrupt: () => AbortSignal.abort('interrupt') });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
  });

  it.each([
    { name: 'a negative delay', args: ['--batch-delay', '-5'] },
    { name: 'a negative spread', args: ['--arrivals', 'gamma:-1'] },
    { name: 'arrivals of no known kind', args: ['--arrivals', 'uniform'] },
    { name: 'no requests', args: ['--requests', '0'] },
    { name: 'no time', args: ['--duration', '0s'] },
    { name: 'two lengths', args: ['--requests', '10', '--duration', '1s'] },
    { name: 'a precision of nothing', args: ['--precision', '0%'] },
    { name: 'a schedule beside a plan', args: ['--schedule', 'x.yaml'] },
    { name: 'a schedule with arrivals of its own', args: ['--schedule', 'x.yaml', '--arrivals', 'poisson'] },
    { name: 'a schedule with a length of its own', args: ['--schedule', 'x.yaml', '--requests', '10'] },
    { name: 'a schedule that is to be drawn', args: ['--schedule', 'x.yaml', '--svg', 'x.svg'] },
    { name: 'no services', args: ['--services', ','] },
  ])('refuses $name', async ({ args }) => {
    const { stdout, stderr, exitCode } = await simulate(...args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain('(USAGE)');
  });

  it('wants both files, and a plan of this workload', async () => {
    expect((await runInProcess(['simulate', workload])).stderr).toContain('Two files are needed');
    await folder.write('other.csv', table.replaceAll(',8,1,', ',4,1,'));
    const other = await folder.write('other.yaml', workloadOf(`[${api}]`).replace('table.csv', 'other.csv'));
    const { stderr, exitCode } = await runInProcess(['simulate', other, plan]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('PLAN_MISMATCH');
  });
});

describe('inlay simulate --schedule', () => {
  const folder = useTemporaryFolder();
  const scheduleOf = (periods: string) => `apiVersion: inlay.dev/v1alpha1
kind: Schedule
metadata: {name: day}
spec:
  endS: 600
  periods: ${periods}
`;
  beforeAll(async () => {
    await folder.write('table.csv', table);
    for (const [name, rate] of Object.entries({ day: 300, night: 60 })) {
      const workload = await folder.write(`${name}.yaml`, workloadOf(`[${api.replace('300', String(rate))}]`));
      await runInProcess(['plan', workload, '-o', join(folder.path, `${name}.json`)]);
    }
  });

  it('plays plans and rates over time', async () => {
    const file = await folder.write(
      'schedule.yaml',
      scheduleOf('[{startS: 0, workload: day.yaml, plan: day.json}, {startS: 300, workload: night.yaml, plan: night.json}]'),
    );
    const { stdout, exitCode } = await runInProcess(['simulate', '--schedule', file]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "day: 1 service, 2 phases

        from s  to s    requests  late  lost  services that miss
             0   300       89913     0     0
           300   600       18163     0     0

      Every service meets its percentile in every phase. 0 requests are late, 0 lost.
      "
    `);
  });

  it('shows what it costs to keep the night plan through the day', async () => {
    const file = await folder.write(
      'late.yaml',
      scheduleOf('[{startS: 0, workload: night.yaml, plan: night.json}, {startS: 300, workload: day.yaml}]'),
    );
    const { stdout, exitCode } = await runInProcess(['simulate', '--schedule', file]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('1 of 1 service misses its percentile in some phase.');
    expect((await runInProcess(['simulate', '--schedule', file, '--services', 'apo'])).stderr).toMatch(
      /UNKNOWN_SERVICE[\s\S]*Did you mean api/,
    );
  });

  it('plays a transition that was planned: nothing is late or lost when it is in time, requests are late when it is not', async () => {
    const night = JSON.parse(await readFile(join(folder.path, 'night.json'), 'utf8')) as PlanDocument;
    const state = {
      apiVersion: night.apiVersion,
      kind: 'State',
      metadata: { name: 'now' },
      services: [{ name: 'api', model: 'net', rateRps: 60, latencyMs: 400 }],
      gpus: unfoldPlan(night).gpus.map(({ id, pool, type, instances }) => ({
        ...{ id, pool, type },
        instances: instances.map(({ profile, start, service, batch, processes, capacityRps }) => ({
          ...{ profile, start, service, batch, processes, capacityRps },
        })),
      })),
    };
    const now = await folder.write('now.json', JSON.stringify(state));
    const move = join(folder.path, 'move.json');
    expect((await runInProcess(['transition', now, join(folder.path, 'day.yaml'), '-o', move])).exitCode).toBe(0);
    const play = async (transition: string, movesAtS: number) => {
      const night = '{startS: 0, workload: night.yaml, state: now.json}';
      const file = await folder.write(
        'moving.yaml',
        scheduleOf(`[${night}, {startS: 300, workload: day.yaml, transition: ${transition}, movesAtS: ${movesAtS}}]`),
      );
      const { stdout, exitCode } = await runInProcess(['simulate', '--schedule', file, '--json']);
      const [{ phases }] = JSON.parse(stdout).services as [{ readonly phases: readonly PhaseOutcome[] }];
      const sum = (key: 'requests' | 'late' | 'lost') => phases.reduce((total, phase) => total + phase[key], 0);
      return {
        exitCode,
        moves: phases.some(({ kind }) => kind === 'move'),
        requests: sum('requests'),
        late: sum('late'),
        lost: sum('lost'),
      };
    };
    const inTime = await play('move.json', 200);
    expect(inTime).toMatchObject({ exitCode: 0, moves: true, lost: 0 });
    expect(inTime.late / inTime.requests).toBeLessThan(0.01);
    const tooLate = await play('move.json', 300);
    expect(tooLate).toMatchObject({ exitCode: 1, requests: inTime.requests, lost: 0 });
    expect(tooLate.late).toBeGreaterThan(1000);
  });

  it('reports what is wrong with the periods, all at once', async () => {
    const file = await folder.write(
      'broken.yaml',
      scheduleOf(
        '[{startS: 5, workload: day.yaml}, {startS: 3, workload: day.yaml, plan: a, state: b}, {startS: 900, workload: day.yaml, plan: a}]',
      ),
    );
    const { stdout } = await runInProcess(['simulate', '--schedule', file, '--json']);
    expect(JSON.parse(stdout).errors.map(({ path, line }: Record<string, unknown>) => `${line} ${path}`)).toMatchInlineSnapshot(`
      [
        "6 spec.periods[0].startS",
        "6 spec.periods[0].startS",
        "6 spec.periods[1].startS",
        "6 spec.periods[1].state",
        "6 spec.periods[2].startS",
      ]
    `);
  });
});
