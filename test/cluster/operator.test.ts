import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../src/cli/io.fixture.js';
import { nodes, pods } from '../../src/cluster/client/resources.js';
import { inferenceWorkloads } from '../../src/cluster/objects/kinds.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster, watchFloors } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 6000, latencyMs: 200 },
  blur: { model: 'yolo-m', rateRps: 1500, latencyMs: 120 },
  search: { model: 'bert-base', rateRps: 2500, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: 60, latencyMs: 1500 },
  'cut-out': { model: 'segment-b', rateRps: 150, latencyMs: 400 },
};
const later = { tags: 4000, blur: 2200, search: 1500, captions: 90, 'cut-out': 100 };

describe.skipIf(whyNoCluster)(`the operator on 4 nodes of 8 A100${skippedBecause}`, () => {
  let lab: OperatorCluster;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 4, gpus: 8 });
  }, 120_000);
  afterAll(() => lab?.stop());

  it('rolls out a first plan', async () => {
    const { api, namespace } = lab;
    lab.start();
    await api.create(inferenceWorkloads, anInferenceWorkload(namespace, demands));
    const plan = await planOfPhase(api, namespace, 'Ready').catch((error) => {
      throw new Error(`${error}\n${lab.log.slice(-40).join('\n')}`);
    });
    expect(plan.spec.gpus).toBeGreaterThanOrEqual(plan.spec.bound);
    const { items } = await api.list(pods, { namespace });
    expect(items.filter(({ spec }) => spec.nodeName === undefined)).toEqual([]);
    const status = await eventually('the workload is ready', async () => {
      const { status: found } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
      return found?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') && found;
    });
    expect(status.ready).toBe('5/5');
    expect(status.sharingPlan).toBe(plan.metadata.name);
    expect((await api.list(nodes)).items.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
  }, 120_000);

  it('follows a change of demand while an onlooker sees every floor kept at every event', async () => {
    const { api, namespace } = lab;
    const watcher = await watchFloors(await lab.cluster.api(), namespace);
    watcher.guard(
      Object.fromEntries(
        Object.entries(demands).map(([name, { rateRps }]) => [name, Math.min(rateRps, later[name as keyof typeof later])]),
      ),
    );
    await setRates(api, namespace, later);
    const plan = await planOfPhase(api, namespace, 'Ready', 90_000).catch((error) => {
      throw new Error(`${error}\n${lab.log.slice(-40).join('\n')}`);
    });
    watcher.stop();
    expect(watcher.breaches).toEqual([]);
    expect(watcher.events()).toBeGreaterThan(plan.spec.summary.podStarts);
    expect(plan.spec.dips).toBeUndefined();
  }, 120_000);

  it('changes nothing in mode Plan until `inlay approve` says yes to the plan', async () => {
    const { api, namespace } = lab;
    await api.patch(inferenceWorkloads, { namespace, name: 'media' }, { spec: { mode: 'Plan' } });
    await setRates(api, namespace, { tags: 6000, search: 2500 });
    const plan = await planOfPhase(api, namespace, 'Proposed');
    const before = (await api.list(pods, { namespace })).items.map(({ metadata }) => metadata.uid).sort();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await api.list(pods, { namespace })).items.map(({ metadata }) => metadata.uid).sort()).toEqual(before);

    const kubeconfig = await lab.cluster.kubeconfig();
    const approve = (...args: readonly string[]) => runInProcess(['approve', plan.metadata.name, '--kubeconfig', kubeconfig, ...args]);
    const wrong = await approve('--plan', `sha256:${'0'.repeat(64)}`);
    expect(wrong).toMatchObject({ exitCode: 2 });
    expect(wrong.stderr).toContain('is not the plan that you read');
    expect(await approve('--plan', plan.spec.planId)).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await planOfPhase(api, namespace, 'Ready', 90_000)).metadata.name).toBe(plan.metadata.name);
    const late = await approve();
    expect(late.stderr).toContain('does not wait for an approval');
  }, 150_000);
});
