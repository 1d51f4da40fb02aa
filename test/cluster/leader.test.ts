import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leases } from '../../src/cluster/client/resources.js';
import { inferenceWorkloads, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { watchFloors } from './floor-watch.fixture.js';
import { mortalApi } from './mortal-api.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};

describe.skipIf(whyNoCluster)(`two operators at once${skippedBecause}`, () => {
  let lab: OperatorCluster;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
  }, 120_000);
  afterAll(() => lab?.stop());

  const election = { namespace: 'inlay-system', leaseMs: 1500 };
  const holder = async () =>
    (await lab.api.get(leases, { namespace: 'inlay-system', name: 'inlay-operator' }).catch(() => undefined))?.spec?.holderIdentity;

  it('one works, the other takes over when it ends or dies, and no plan is made twice', async () => {
    const { api, namespace } = lab;
    const process = mortalApi(await lab.cluster.api());
    const first = lab.start({ api: process.api, election, identity: 'first' });
    await eventually('the first leads', async () => (await holder()) === 'first');
    const second = lab.start({ election, identity: 'second' });
    await api.create(inferenceWorkloads, anInferenceWorkload(namespace, demands));
    await planOfPhase(api, namespace, 'Ready');
    expect(await holder()).toBe('first');
    expect((await api.list(sharingPlans)).items).toHaveLength(1);

    const watcher = await watchFloors(await lab.cluster.api(), namespace);
    watcher.guard({ tags: 300, search: 300 });
    await setRates(api, namespace, { tags: 300, search: 700 });
    await eventually('the change has begun', async () => (await api.list(sharingPlans)).items.length === 2);
    // Killed, not ended: the lease has to run out.
    process.die();
    first.kill();
    expect(await holder()).toBe('first');
    await planOfPhase(api, namespace, 'Ready');
    await eventually('the second leads', async () => (await holder()) === 'second');
    expect(watcher.breaches).toEqual([]);
    watcher.stop();

    const third = lab.start({ election, identity: 'third' });
    await second.stop();
    await eventually('the third leads', async () => (await holder()) === 'third');
    await third.stop();
  }, 120_000);

  it('both without a lease make no harm either: writes are safe to repeat', async () => {
    const { api, namespace } = lab;
    const watcher = await watchFloors(await lab.cluster.api(), namespace);
    watcher.guard({ tags: 300, search: 300 });
    const both = [lab.start({ identity: 'a' }), lab.start({ identity: 'b' })];
    await setRates(api, namespace, { tags: 800, search: 300 });
    await planOfPhase(api, namespace, 'Ready');
    for (const one of both) await one.stop();
    watcher.stop();
    expect(watcher.breaches).toEqual([]);
  }, 120_000);
});
