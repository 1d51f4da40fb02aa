import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleTable } from '../../src/cluster/decide/run-operator.fixture.js';
import type { SharingPlan } from '../../src/cluster/objects/sharing-plan.js';
import { skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { mortalApi } from './mortal-api.fixture.js';
import { type NodeWatcher, watchNodes } from './node-watch.fixture.js';
import { type OperatorCluster, setRates, startOperatorCluster } from './operator.fixture.js';
import { addPool, type PoolLab } from './pool-lab.fixture.js';
import { whatRuns } from './what-runs.fixture.js';

/** Each service has slices of a size of its own, so that equal plans leave no choice to the device plugin. */
const demands = {
  tags: { model: 'resnet50', rateRps: 900, latencyMs: 200, profiles: ['1g.10gb'] },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100, profiles: ['2g.20gb'] },
  captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500, profiles: ['3g.40gb'] },
};
const later = { tags: 300, search: 900, captions: 20 };
const floors = { tags: 300, search: 300, captions: 14 };

describe.skipIf(whyNoCluster)(`an operator that is killed${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let onlooker: NodeWatcher;
  let killed: PoolLab;
  let kubeconfig: string;
  /** What runs after the rollout and after the change where nobody is killed. */
  const expected: (readonly string[])[] = [];

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 0, gpus: 0 });
    kubeconfig = await lab.cluster.kubeconfig();
    const pools = ['whole', 'killed'].map((name) => addPool(lab, { name, nodes: 2, gpus: 2, table: exampleTable }));
    const [whole, other] = (await Promise.all(pools)) as [PoolLab, PoolLab];
    killed = other;
    onlooker = await watchNodes(lab.api);
    const operator = lab.start();
    await whole.demand(demands);
    await whole.ready();
    expected.push(await whatRuns(lab.api, kubeconfig, whole));
    await setRates(lab.api, whole.namespace, later);
    await whole.ready();
    expected.push(await whatRuns(lab.api, kubeconfig, whole));
    await operator.stop();
  }, 120_000);
  afterAll(() => {
    onlooker?.stop();
    killed?.watcher.stop();
    return lab?.stop();
  });

  /** Operators one after the other, each killed after its first write, until the plan is carried out. Returns how many. */
  async function relay(ended: Promise<unknown>): Promise<number> {
    let over = false;
    const end = ended.finally(() => {
      over = true;
    });
    let lives = 0;
    for (; !over; lives++) {
      const api = await lab.cluster.api();
      let die = () => {};
      const dead = new Promise<void>((resolve) => {
        die = resolve;
      });
      const started = lab.start({ api: mortalApi(api, { writes: 1, onDeath: die }).api, identity: `life-${lives}` });
      await Promise.race([dead, end.catch(() => {})]);
      started.kill();
      api.close();
    }
    await end;
    return lives;
  }

  /** As it would be without a kill: the same plan, the same state, no floor missed, no GPU in use cut. */
  async function isAsExpected(stage: number): Promise<SharingPlan> {
    const plan = await killed.ready();
    expect(await whatRuns(lab.api, kubeconfig, killed)).toEqual(expected[stage]);
    expect(killed.watcher.breaches).toEqual([]);
    expect((await onlooker.history()).breaches).toEqual([]);
    return plan;
  }

  it('after each of its writes is followed by another that ends the first rollout', async () => {
    await killed.demand(demands);
    const lives = await relay(killed.ready(90_000));
    const plan = await isAsExpected(0);
    expect(lives).toBeGreaterThan(plan.spec.summary.podStarts);
  }, 120_000);

  it('after each of its writes of a transition is followed by another, and every floor is kept at every event', async () => {
    killed.watcher.guard(floors);
    await setRates(lab.api, killed.namespace, later);
    const lives = await relay(killed.ready(150_000));
    const { spec } = await isAsExpected(1);
    expect(spec.summary.wipes).toBeGreaterThan(0);
    expect(lives).toBeGreaterThan(spec.summary.podStarts + spec.summary.podStops + 3 * spec.summary.wipes);
  }, 180_000);
});
