import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { builtInBackends } from '../backends/registry.js';
import { decide } from '../decide/decide.js';
import { aPool, aWorkload, tables } from '../decide/demand.fixture.js';
import { createMemory } from '../decide/memory.js';
import { planHere, runOperator } from '../decide/run-operator.fixture.js';
import { SimulatedCluster } from '../decide/simulated-cluster.fixture.js';
import { createMetrics } from './metrics.js';
import { type HealthSource, serveHealth } from './serve-health.js';

describe('serveHealth', () => {
  const open: { close(): void }[] = [];
  afterEach(() => {
    for (const server of open.splice(0)) server.close();
  });

  /** Serves on a free port and returns who asks it. */
  async function serve(source: Partial<HealthSource> = {}) {
    const server = await serveHealth(0, { isAlive: () => true, isReady: () => true, metrics: async () => '', ...source });
    open.push(server);
    const { port } = server.address() as AddressInfo;
    return async (path: string, method = 'GET') => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return { status: answer.status, text: await answer.text(), type: answer.headers.get('content-type') };
    };
  }

  it('says on /healthz whether the process works and on /readyz whether it follows the cluster, each for itself', async () => {
    const state = { alive: true, ready: false };
    const ask = await serve({ isAlive: () => state.alive, isReady: () => state.ready });
    const both = async () => [(await ask('/healthz')).status, (await ask('/readyz?verbose')).status];
    expect(await both()).toEqual([200, 503]);
    state.ready = true;
    expect(await both()).toEqual([200, 200]);
    state.alive = false;
    expect(await both()).toEqual([500, 200]);
    expect((await ask('/healthz')).text).toBe('the loop stands still\n');
  });

  it('answers what it does not have with 404, what it does not do with 405, and HEAD without a body', async () => {
    const ask = await serve();
    expect((await ask('/')).status).toBe(404);
    expect((await ask('/healthz', 'POST')).status).toBe(405);
    expect(await ask('/healthz', 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it('says that metrics cannot be had instead of going down', async () => {
    const ask = await serve({ metrics: async () => Promise.reject(new Error('no')) });
    expect(await ask('/metrics')).toMatchObject({ status: 500, text: 'Error: no\n' });
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('tells a Prometheus of the cluster as it is', async () => {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 2 });
    cluster.put(aPool());
    cluster.put(tables);
    cluster.put(aWorkload('media', { tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 } }));
    await runOperator(cluster, { seed: 1 });
    const decision = await decide(cluster.view(), {
      catalogue: builtInCatalogue,
      backends: builtInBackends,
      planner: planHere,
      memory: createMemory(),
      nowMs: cluster.nowMs,
    });
    const metrics = createMetrics();
    metrics.show(decision, cluster.nowMs);
    metrics.observePlanning('a100', 0.2);
    metrics.observeLoop(0.03);
    metrics.countWrite('apply', 'refused');
    metrics.countRequest('GET', 410);
    metrics.countError('watch');
    metrics.setLeading(true);
    const ask = await serve({ metrics: metrics.render });
    const { status, text, type } = await ask('/metrics');
    expect({ status, type }).toEqual({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    const samples = readSamples(text);

    const [plan] = cluster.view().plans;
    expect(samples.get('inlay_plan_gpus{group="a100"}')).toBe(plan?.spec.gpus);
    expect(samples.get('inlay_plan_bound_gpus{group="a100"}')).toBe(plan?.spec.bound);
    expect(samples.get('inlay_plan_gap_ratio{group="a100"}')).toBe(
      ((plan?.spec.gpus ?? 0) - (plan?.spec.bound ?? 0)) / (plan?.spec.gpus ?? 1),
    );
    expect(samples.get('inlay_plan_steps_left{group="a100"}')).toBe(0);
    expect(samples.get('inlay_plan_stuck{group="a100"}')).toBe(0);
    expect(samples.get('inlay_service_demand_rps{service="team.media.tags"}')).toBe(600);
    expect(samples.get('inlay_service_ready_rps{service="team.media.tags"}')).toBeGreaterThanOrEqual(600);
    expect(samples.get('inlay_pool_gpus{pool="a100",use="all"}')).toBe(4);
    expect(samples.get('inlay_pool_gpus{pool="a100",use="used"}')).toBe(plan?.spec.gpus);
    expect(samples.get('inlay_pool_free_slices{pool="a100"}')).toBe(cluster.view().pools[0]?.status?.freeSlices);
    expect(samples.get('inlay_leader')).toBe(1);
    expect(samples.get('inlay_writes_total{kind="apply",outcome="refused"}')).toBe(1);
    expect(samples.get('inlay_api_requests_total{verb="GET",status="410"}')).toBe(1);
    expect(samples.get('inlay_errors_total{where="watch"}')).toBe(1);
    expect(samples.get('inlay_plan_seconds_sum{group="a100"}')).toBe(0.2);
    expect(samples.get('inlay_plan_seconds_bucket{le="0.1",group="a100"}')).toBe(0);
    expect(samples.get('inlay_plan_seconds_bucket{le="0.5",group="a100"}')).toBe(1);
    expect(samples.get('inlay_loop_seconds_count')).toBe(1);
    expect([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)).toContain('inlay_step_seconds');
  });
});

/** Samples of the text format, by name and labels as written. */
function readSamples(text: string): ReadonlyMap<string, number> {
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))] as const),
  );
}
