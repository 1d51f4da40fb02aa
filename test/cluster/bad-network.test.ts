import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/cluster/client/connect.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { nodes } from '../../src/cluster/client/resources.js';
import { inferenceWorkloads } from '../../src/cluster/objects/kinds.js';
import { skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.fixture.js';
import { type FloorWatcher, watchFloors } from './floor-watch.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};
const floors = { tags: 300, search: 300 };
const rates = [
  { tags: 300, search: 900 },
  { tags: 1200, search: 350 },
  { tags: 400, search: 600 },
  { tags: 900, search: 800 },
  { tags: 350, search: 1100 },
];

describe.skipIf(whyNoCluster)(`the operator on a bad network${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let proxy: FaultyProxy;
  let api: KubernetesApi;
  let watcher: FloorWatcher;
  let turn = 0;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 4, gpus: 2 });
    const server = lab.cluster.controlPlane?.server;
    if (server === undefined) return;
    proxy = await startFaultyProxy(server);
    api = await connect({ kubeconfig: await lab.cluster.kubeconfig('admin', proxy.server) });
    lab.start({ api });
    await lab.api.create(inferenceWorkloads, anInferenceWorkload(lab.namespace, demands));
    await planOfPhase(lab.api, lab.namespace, 'Ready');
    watcher = await watchFloors(await lab.cluster.api(), lab.namespace);
    watcher.guard(floors);
  }, 120_000);
  afterAll(async () => {
    watcher?.stop();
    await lab?.stop();
    api?.close();
    await proxy?.stop();
  });

  /** Faults that are ordered and not met would pile up, and the operator waits longer from one refusal to the next. */
  const mostFaults = 3;

  /** Changes the demand, lets something happen again and again meanwhile, and waits for the plan. */
  async function changeWhile(trouble: (round: number) => unknown): Promise<void> {
    let round = 0;
    trouble(round++);
    await setRates(lab.api, lab.namespace, rates[turn++ % rates.length] ?? {});
    const timer = setInterval(() => trouble(round++), 200);
    try {
      await planOfPhase(lab.api, lab.namespace, 'Ready', 90_000);
    } catch (error) {
      throw new Error(`${error}\n${lab.log.slice(-30).join('\n')}`);
    } finally {
      clearInterval(timer);
    }
    expect(watcher.breaches).toEqual([]);
    expect((await lab.api.list(nodes)).items.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
  }

  it.each<[string, (round: number) => unknown]>([
    ['watches that drop all the time', () => proxy.dropWatches()],
    ['watches that expire (410)', (round) => round % 4 === 0 && proxy.expireWatches()],
    ['conflicts (409)', (round) => round < mostFaults && proxy.answer({ method: 'PATCH' }, 409, { times: 1 })],
    [
      'evictions that are not allowed now (429)',
      (round) => round < mostFaults && proxy.answer({ method: 'POST', path: /eviction/ }, 429, { times: 1 }),
    ],
    ['throttling (429)', (round) => round < mostFaults && proxy.answer({ method: 'PATCH' }, 429, { times: 1, retryAfterSeconds: 0 })],
    ['faults of the server (500)', (round) => round < mostFaults && proxy.answer({}, 500, { times: 1 })],
    [
      'writes that happen although their answer is lost',
      (round) => round < mostFaults && proxy.answer({ method: 'PATCH' }, 503, { times: 1, afterwards: true }),
    ],
    [
      'evictions that happen although their answer is lost',
      (round) => round < mostFaults && proxy.answer({ method: 'POST', path: /eviction/ }, 503, { times: 1, afterwards: true }),
    ],
    ['a network that is cut for seconds', (round) => (round % 10 === 2 ? proxy.cut() : round % 10 === 7 && proxy.resume())],
  ])(
    'gets through %s',
    async (_what, trouble) => {
      if (proxy === undefined) return;
      const before = proxy.faults();
      // A change may be over before anything went wrong, such as one that evicts nothing.
      for (let n = 0; n < rates.length && proxy.faults() === before; n++) await changeWhile(trouble);
      expect(proxy.faults()).toBeGreaterThan(before);
      proxy.resume();
    },
    150_000,
  );
});
