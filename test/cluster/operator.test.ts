import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../src/cli/io.fixture.js';
import { pods } from '../../src/cluster/client/resources.js';
import { inferenceWorkloads, planApprovals } from '../../src/cluster/objects/kinds.js';
import { createSeededRandom } from '../../src/demand/seeded-random.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { type NodeWatcher, watchNodes } from './node-watch.fixture.js';
import { type OperatorCluster, setRates, startOperatorCluster } from './operator.fixture.js';
import { killOperators } from './operator-process.fixture.js';
import { addPool, type PoolLab } from './pool-lab.fixture.js';
import { whatRuns } from './what-runs.fixture.js';

/** Each service has slices of a size of its own, so that equal plans leave no choice to the device plugin. */
const demands = {
  tags: { model: 'resnet50', rateRps: 6000, latencyMs: 200, profiles: ['1g.10gb'] },
  blur: { model: 'yolo-m', rateRps: 1500, latencyMs: 120, profiles: ['7g.80gb'] },
  search: { model: 'bert-base', rateRps: 2500, latencyMs: 100, profiles: ['2g.20gb'] },
  captions: { model: 'whisper-small', rateRps: 60, latencyMs: 1500, profiles: ['3g.40gb'] },
  'cut-out': { model: 'segment-b', rateRps: 150, latencyMs: 400, profiles: ['4g.40gb'] },
};
const later = { tags: 3000, blur: 3000, search: 1500, captions: 90, 'cut-out': 80 };
const floors = Object.fromEntries(
  Object.entries(demands).map(([name, { rateRps }]) => [name, Math.min(rateRps, later[name as keyof typeof later])]),
);

describe.skipIf(whyNoCluster)(`the operator on 4 nodes of 8 A100${skippedBecause}`, () => {
  let lab: OperatorCluster;
  let onlooker: NodeWatcher;
  let kubeconfig: string;
  let whole: PoolLab;
  let killed: PoolLab;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 0, gpus: 0 });
    kubeconfig = await lab.cluster.kubeconfig();
    const table = readFileSync('examples/media/a100.csv', 'utf8');
    whole = await addPool(lab, { name: 'whole', nodes: 4, gpus: 8, table });
    killed = await addPool(lab, { name: 'killed', nodes: 4, gpus: 8, table });
    onlooker = await watchNodes(lab.api);
  }, 120_000);
  afterAll(() => {
    onlooker?.stop();
    for (const pool of [whole, killed]) pool?.watcher.stop();
    return lab?.stop();
  });

  it('rolls out a first plan for each of two pools', async () => {
    const { api } = lab;
    const operator = lab.start();
    await Promise.all([whole.demand(demands), killed.demand(demands)]);
    const [plan] = await Promise.all([whole.ready(), killed.ready()]);
    expect(plan.spec.gpus).toBeGreaterThanOrEqual(plan.spec.bound);
    const { namespace } = whole;
    const { items } = await api.list(pods, { namespace });
    expect(items.filter(({ spec }) => spec.nodeName === undefined)).toEqual([]);
    const status = await eventually('the workload is ready', async () => {
      const { status: found } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
      return found?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') && found;
    });
    expect(status.ready).toBe('5/5');
    expect(status.sharingPlan).toBe(plan.metadata.name);
    expect(await whatRuns(api, kubeconfig, killed)).toEqual(await whatRuns(api, kubeconfig, whole));
    await operator.stop();
  }, 120_000);

  it('follows a change of demand while an onlooker sees every floor kept at every event', async () => {
    whole.watcher.guard(floors);
    const operator = lab.start();
    await setRates(lab.api, whole.namespace, later);
    const plan = await whole.ready(90_000);
    expect(whole.watcher.breaches).toEqual([]);
    expect(whole.watcher.events()).toBeGreaterThan(plan.spec.summary.podStarts);
    expect(plan.spec.summary.wipes).toBeGreaterThan(0);
    expect(plan.spec.dips).toBeUndefined();
    expect((await onlooker.history()).breaches).toEqual([]);
    await operator.stop();
  }, 120_000);

  it('follows it to the same end when its processes are killed again and again, with every floor kept', async () => {
    killed.watcher.guard(floors);
    await setRates(lab.api, killed.namespace, later);
    const random = createSeededRandom(7);
    // After a write, or at any moment after one.
    const kills = await killOperators(kubeconfig, killed.ready(120_000), () => ({
      writes: 1 + random.below(6),
      ms: random.below(2) * random.below(400),
    }));
    expect(kills).toBeGreaterThan(3);
    expect(await whatRuns(lab.api, kubeconfig, killed)).toEqual(await whatRuns(lab.api, kubeconfig, whole));
    expect(killed.watcher.breaches).toEqual([]);
    expect((await onlooker.history()).breaches).toEqual([]);
  }, 180_000);

  it('changes nothing in mode Plan until `inlay approve` says yes to the plan', async () => {
    const { api } = lab;
    const { namespace } = whole;
    lab.start();
    await api.patch(inferenceWorkloads, { namespace, name: 'media' }, { spec: { mode: 'Plan' } });
    await setRates(api, namespace, { tags: 6000, search: 2500 });
    const plan = await whole.inPhase('Proposed');
    const before = (await api.list(pods, { namespace })).items.map(({ metadata }) => metadata.uid).sort();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await api.list(pods, { namespace })).items.map(({ metadata }) => metadata.uid).sort()).toEqual(before);

    const approve = (...args: readonly string[]) => runInProcess(['approve', plan.metadata.name, '--kubeconfig', kubeconfig, ...args]);
    const wrong = await approve('--plan', `sha256:${'0'.repeat(64)}`);
    expect(wrong).toMatchObject({ exitCode: 2 });
    expect(wrong.stderr).toContain('is not the plan that you read');
    const nameless = await runInProcess(['approve', '', '--kubeconfig', kubeconfig]);
    expect(nameless).toMatchObject({ exitCode: 2 });
    expect(nameless.stderr).toContain('It is the name of a SharingPlan.');
    expect(await approve('--plan', plan.spec.planId)).toMatchObject({ exitCode: 0, stderr: '' });
    const approvals = (await api.list(planApprovals)).items.filter(({ spec }) => spec.sharingPlan === plan.metadata.name);
    expect(approvals.map(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid))).toEqual([[plan.metadata.uid]]);
    expect((await whole.ready(90_000)).metadata.name).toBe(plan.metadata.name);
    const late = await approve();
    expect(late.stderr).toContain('does not wait for an approval');
  }, 150_000);
});
