/**
 * The operator on a large cluster: 1000 emulated nodes of 8 GPUs and 300 services on a real API server. Measured once all of it
 * is rolled out and nothing needs doing: time of one look at the cluster, memory of the operator, requests per look.
 * Targets: 2 s and 600 MB. `npm run bench cluster/scale`, smaller with NODES=100 SERVICES=30.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { nodes } from '../../src/cluster/client/resources.js';
import { gpuPools, inferenceWorkloads, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { createSeededRandom } from '../../src/demand/seeded-random.js';
import { anInferenceWorkload, type Demands, startOperatorCluster } from '../../test/cluster/operator.fixture.js';
import { report } from '../report.js';

const nodeCount = Number(process.env['NODES'] ?? 1000);
const serviceCount = Number(process.env['SERVICES'] ?? 300);
const perWorkload = 30;
const port = 18_080;
const looks = 20;
const models = [
  { model: 'resnet50', latencyMs: 200, most: 900 },
  { model: 'bert-base', latencyMs: 100, most: 300 },
  { model: 'yolo-m', latencyMs: 120, most: 200 },
  { model: 'whisper-small', latencyMs: 1500, most: 20 },
  { model: 'segment-b', latencyMs: 400, most: 30 },
];

const random = createSeededRandom(7);
const lab = await startOperatorCluster({ nodes: nodeCount, gpus: 8 });
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

try {
  console.log(`${nodeCount} nodes are there`);
  for (let w = 0; w * perWorkload < serviceCount; w++) {
    const services: Record<string, Demands[string]> = {};
    for (let s = 0; s < perWorkload && w * perWorkload + s < serviceCount; s++) {
      const { model, latencyMs, most } = models[random.below(models.length)] as (typeof models)[number];
      services[`s${s}`] = { model, latencyMs, rateRps: Math.round(most * (0.1 + random.uniform()) * 10) / 10 };
    }
    const workload = anInferenceWorkload(lab.namespace, services);
    await lab.api.create(inferenceWorkloads, { ...workload, metadata: { ...workload.metadata, name: `w${w}` } });
  }
  const kubeconfig = await lab.cluster.kubeconfig('admin');
  const args = ['--import', 'tsx', 'src/cli/main.ts', 'operator', '--kubeconfig', kubeconfig, '--port', String(port), '--no-election'];
  const operator = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let last = '';
  operator.stderr.on('data', (chunk: Buffer) => {
    last = chunk.toString().trim().split('\n').at(-1) ?? last;
  });
  const start = performance.now();
  for (let shownMs = start; ; await sleep(1000)) {
    const [plan] = (await lab.api.list(sharingPlans)).items;
    if (plan?.status?.phase === 'Ready') break;
    if (operator.exitCode !== null) throw new Error(`the operator has ended: ${last}`);
    if (performance.now() - shownMs > 20_000) {
      shownMs = performance.now();
      const { steps } = plan?.status ?? {};
      console.log(
        `${Math.round((shownMs - start) / 1000)} s: ${steps ? `${steps.done} of ${steps.total} steps` : 'planning'} ${last.slice(0, 200)}`,
      );
    }
  }
  const rolledOutS = (performance.now() - start) / 1000;
  await sleep(5000);
  const before = await readMetrics();
  for (let n = 0; n < looks; n++) {
    await lab.api.patch(gpuPools, { name: 'a100' }, { metadata: { annotations: { look: String(n) } } });
    await sleep(1500);
  }
  const after = await readMetrics();
  const turned = after.loops - before.loops;
  const secondsPerLook = (after.loopSeconds - before.loopSeconds) / turned;
  const requestsPerLook = (after.requests - before.requests) / turned;
  const memory = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${operator.pid}/status`, 'utf8'));
  const megabytes = Number(memory?.[1]) / 1024;
  operator.kill('SIGTERM');
  const [plan] = (await lab.api.list(sharingPlans)).items;
  const nodesSeen = (await lab.api.list(nodes)).items.length;
  report(
    `The operator with ${nodesSeen} nodes of 8 GPUs and ${serviceCount} services`,
    ['what', 'value'],
    [
      ['one look with nothing to do, s', secondsPerLook.toFixed(3)],
      ['memory of the operator, MB', megabytes.toFixed(0)],
      ['requests per look', requestsPerLook.toFixed(2)],
      ['first plan, s', (after.planSeconds / Math.max(1, after.plans)).toFixed(1)],
      ['first rollout, s', rolledOutS.toFixed(0)],
      ['GPUs of the plan (proven bound)', `${plan?.spec.gpus} (${plan?.spec.bound})`],
    ],
    [...(secondsPerLook > 2 ? ['one look takes more than 2 s'] : []), ...(megabytes > 600 ? ['more than 600 MB'] : [])],
  );
} finally {
  await lab.stop();
}

async function readMetrics() {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const sum = (name: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' '))), 0);
  return {
    loops: sum('inlay_loop_seconds_count'),
    loopSeconds: sum('inlay_loop_seconds_sum'),
    requests: sum('inlay_api_requests_total'),
    plans: sum('inlay_plan_seconds_count'),
    planSeconds: sum('inlay_plan_seconds_sum'),
  };
}
