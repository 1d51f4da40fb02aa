import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployments, pods } from '../../src/cluster/client/resources.js';
import { gpuPools, inferenceWorkloads, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { annotations, labels } from '../../src/cluster/objects/names.js';
import { builtInCatalogue } from '../../src/gpu/catalogue.js';
import { eventually, ownsCluster, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, startOperatorCluster } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};

// The proxy before the API server knows what was asked, which the operator's own count must be.
describe.skipIf(whyNoCluster || !ownsCluster)(`inlay operator on its port${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let proxy: FaultyProxy;
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
    proxy = await startFaultyProxy(lab.cluster.controlPlane?.server ?? '');
  }, 120_000);
  afterAll(async () => {
    child?.kill('SIGKILL');
    await proxy?.stop();
    await lab?.stop();
  });

  it('is alive, becomes ready, tells a Prometheus what the cluster says, keeps secrets, and ends when it is told to', async () => {
    const { api, namespace } = lab;
    const port = await freePort();
    const kubeconfig = await lab.cluster.kubeconfig('admin', proxy.server);
    const args = ['operator', '--kubeconfig', kubeconfig, '--port', String(port)];
    child = spawn('node', ['--import', 'tsx', 'src/cli/main.ts', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, INLAY_LOG_LEVEL: 'trace' },
    });
    let log = '';
    for (const output of [child.stdout, child.stderr]) {
      output?.on('data', (piece) => {
        log += piece;
      });
    }
    const ended = once(child, 'exit');
    const startedMs = performance.now();
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    await eventually('it is ready', async () => (await ask('/readyz').catch(() => undefined))?.status === 200);
    expect((await ask('/healthz')).status).toBe(200);

    proxy.answer({ method: 'PATCH', path: /deployments/ }, 500, { times: 2 });
    await api.create(inferenceWorkloads, anInferenceWorkload(namespace, demands));
    const plan = await planOfPhase(api, namespace, 'Ready');
    proxy.answer({ method: 'GET', path: /pods\?.*watch=true/ }, 500, { times: 1 });
    proxy.dropWatches();
    const read = async () => readSamples((await ask('/metrics')).text);
    const failedOf = (found: ReadonlyMap<string, number>) =>
      [...found].reduce((all, [key, value]) => all + (/^inlay_api_requests_total.*status="500"/.test(key) ? value : 0), 0);
    await eventually('the requests that failed are told', async () => failedOf(await read()) === 3);
    const samples = await eventually('all steps are told', async () => {
      const found = await read();
      return found.get('inlay_plan_steps_left{group="a100"}') === 0 && found;
    });
    const seconds = (performance.now() - startedMs) / 1000;
    const sum = (name: string, having = '') =>
      [...samples].reduce((all, [key, value]) => all + (key.startsWith(name) && key.includes(having) ? value : 0), 0);

    // Plans: how long each took, bound, gap.
    const { gpus, bound } = plan.spec;
    const { items: plans } = await api.list(sharingPlans);
    expect(samples.get('inlay_plan_seconds_count{group="a100"}')).toBe(plans.length);
    expect(sum('inlay_plan_seconds_sum')).toBeGreaterThan(0);
    expect(sum('inlay_plan_seconds_sum')).toBeLessThan(seconds);
    expect(samples.get('inlay_plan_gpus{group="a100"}')).toBe(gpus);
    expect(samples.get('inlay_plan_bound_gpus{group="a100"}')).toBe(bound);
    expect(samples.get('inlay_plan_gap_ratio{group="a100"}')).toBeCloseTo((gpus - bound) / gpus, 9);
    // Pools: GPUs used and free slices, from the pods.
    const own = (await api.list(pods, { namespace })).items;
    const model = builtInCatalogue.models.find(({ name }) => name === 'A100-80GB');
    const slicesOf = (profile = '') => model?.profiles.find(({ name }) => name.replace('+', '.') === profile)?.memorySlices ?? Number.NaN;
    const held = own.reduce((all, { metadata }) => all + slicesOf(metadata.labels?.[labels.profile]), 0);
    expect(samples.get('inlay_pool_gpus{pool="a100",use="all"}')).toBe(4);
    expect(samples.get('inlay_pool_gpus{pool="a100",use="used"}')).toBe(
      new Set(own.map((pod) => pod.metadata.annotations?.[annotations.gpu])).size,
    );
    expect(samples.get('inlay_pool_gpus{pool="a100",use="reserved"}')).toBe(0);
    expect(samples.get('inlay_pool_free_slices{pool="a100"}')).toBe(4 * 8 - held);
    expect((await api.get(gpuPools, { name: 'a100' })).status?.freeSlices).toBe(4 * 8 - held);
    // Services: ready capacity against demand, from the Deployments.
    const served = (await api.list(deployments, { namespace })).items;
    for (const [name, { rateRps }] of Object.entries(demands)) {
      const mine = served.filter(({ metadata }) => metadata.labels?.[labels.service] === name);
      const capacity = mine.reduce(
        (all, { metadata, spec }) => all + (spec.replicas ?? 0) * Number(metadata.annotations?.[annotations.capacityRps]),
        0,
      );
      expect(samples.get(`inlay_service_demand_rps{service="${namespace}.media.${name}"}`)).toBe(rateRps);
      expect(samples.get(`inlay_service_ready_rps{service="${namespace}.media.${name}"}`)).toBeCloseTo(capacity, 6);
    }
    // Steps: each once, none longer than all of it took.
    expect(sum('inlay_step_seconds_count')).toBeGreaterThan(0);
    expect(sum('inlay_step_seconds_count')).toBe(plans.reduce((all, { status }) => all + (status?.doneSteps?.length ?? 0), 0));
    expect(sum('inlay_step_seconds_sum')).toBeLessThan(seconds * sum('inlay_step_seconds_count'));
    expect(samples.get('inlay_plan_stuck{group="a100"}')).toBe(0);
    expect(samples.get('inlay_leader')).toBe(1);
    // Errors of the API server, and requests: those that the proxy passed on.
    expect(failedOf(samples)).toBe(3);
    expect(samples.get('inlay_errors_total{where="watch"}')).toBeGreaterThan(0);
    expect(samples.get('inlay_writes_total{kind="apply",outcome="refused"}')).toBe(2);
    expect(sum('inlay_api_requests_total', 'verb="POST"')).toBe(proxy.passed.filter((line) => line.startsWith('POST ')).length);

    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
    const lines = log.trimEnd().split('\n');
    for (const line of lines) expect(JSON.parse(line), line).toMatchObject({ level: expect.any(String), time: expect.any(String) });
    expect(lines.filter((line) => line.includes('a write was refused'))).not.toEqual([]);
    expect(log).not.toContain(tokenOf(kubeconfig));
    expect(log).not.toMatch(/bearer|authorization/i);
  }, 120_000);
});

const tokenOf = (kubeconfig: string): string => JSON.parse(readFileSync(kubeconfig, 'utf8')).users[0].user.token;

/** Samples of the text format, by name and labels as written. */
function readSamples(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
