import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inferenceWorkloads } from '../../src/cluster/objects/kinds.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, startOperatorCluster } from './operator.fixture.js';

describe.skipIf(whyNoCluster)(`inlay operator on its port${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
  }, 120_000);
  afterAll(async () => {
    child?.kill('SIGKILL');
    await lab?.stop();
  });

  it('is alive, becomes ready, tells a Prometheus what the cluster says, and ends when it is told to', async () => {
    const { api, namespace } = lab;
    const port = await freePort();
    const kubeconfig = await lab.cluster.kubeconfig();
    const args = ['operator', '--kubeconfig', kubeconfig, '--port', String(port)];
    child = spawn('node', ['--import', 'tsx', 'src/cli/main.ts', ...args], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, text: await answer.text() };
    };
    await eventually('it is ready', async () => (await ask('/readyz').catch(() => undefined))?.status === 200);
    expect((await ask('/healthz')).status).toBe(200);

    await api.create(inferenceWorkloads, anInferenceWorkload(namespace, { tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 } }));
    const plan = await planOfPhase(api, namespace, 'Ready');
    const metrics = await eventually('all steps are told', async () => {
      const { text } = await ask('/metrics');
      return text.includes('inlay_plan_steps_left{group="a100"} 0\n') && text;
    });
    const lines = metrics.split('\n');
    expect(lines).toContain(`inlay_plan_gpus{group="a100"} ${plan.spec.gpus}`);
    expect(lines).toContain(`inlay_plan_bound_gpus{group="a100"} ${plan.spec.bound}`);
    expect(lines).toContain('inlay_pool_gpus{pool="a100",use="all"} 4');
    expect(lines).toContain(`inlay_service_demand_rps{service="${namespace}.media.tags"} 600`);
    expect(lines).toContain('inlay_leader 1');
    const names = new Set(lines.map((line) => line.split(/[ {]/)[0]));
    for (const name of ['plan_seconds_count', 'loop_seconds_count', 'step_seconds_count', 'writes_total', 'api_requests_total']) {
      expect(names, name).toContain(`inlay_${name}`);
    }
    child.kill('SIGTERM');
    expect((await ended)[0]).toBe(0);
  }, 120_000);
});

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
