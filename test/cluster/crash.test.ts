import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { nodes, pods } from '../../src/cluster/client/resources.js';
import { inferenceWorkloads } from '../../src/cluster/objects/kinds.js';
import { labels } from '../../src/cluster/objects/names.js';
import type { SharingPlan } from '../../src/cluster/objects/sharing-plan.js';
import type { TransitionDocument } from '../../src/demand/documents/transition.js';
import { skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster, watchFloors } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 },
};
const later = { tags: 200, search: 700, captions: 20 };
const floors = { tags: 200, search: 300, captions: 14 };

/** An API that ends its process after so many writes: nothing of it gets through any more. */
function mortal(api: KubernetesApi, writes: number, die: () => void): KubernetesApi {
  let left = writes;
  const never = () => new Promise<never>(() => {});
  const once =
    <A extends readonly unknown[], R>(send: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (left <= 0) return never();
      left--;
      const answer = await send(...args).catch((error: unknown) => error);
      if (left <= 0) {
        die();
        return never();
      }
      if (answer instanceof Error) throw answer;
      return answer as R;
    };
  return {
    ...api,
    create: once(api.create),
    apply: once(api.apply),
    patch: once(api.patch),
    evict: once(api.evict),
    remove: once(api.remove),
  } as KubernetesApi;
}

describe.skipIf(whyNoCluster)(`an operator that is killed${skippedBecause}`, () => {
  let lab: OperatorCluster;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
  }, 120_000);
  afterAll(() => lab?.stop());

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
      const started = lab.start({ api: mortal(api, 1, die), identity: `life-${lives}` });
      await Promise.race([dead, end.catch(() => {})]);
      started.kill();
      api.close();
    }
    await end;
    return lives;
  }

  const contents = async () => {
    const { items } = await lab.api.list(pods, { namespace: lab.namespace });
    const keys = [labels.service, labels.profile, labels.batch, labels.processes];
    return items.map(({ metadata }) => keys.map((key) => metadata.labels?.[key]).join(' ')).sort();
  };

  /** What the plan says shall run, in the same words. */
  const targetOf = ({ spec }: SharingPlan) => {
    const { target } = spec.transition as TransitionDocument;
    return target.gpus
      .flatMap((gpu) => gpu.instances)
      .flatMap(({ service, profile, batch, processes }) =>
        service === null ? [] : [[service.split('.').at(-1), profile, batch, processes].join(' ')],
      )
      .sort();
  };

  it('after each of its writes is followed by another that ends the first rollout', async () => {
    await lab.api.create(inferenceWorkloads, anInferenceWorkload(lab.namespace, demands));
    const lives = await relay(planOfPhase(lab.api, lab.namespace, 'Ready', 90_000));
    const plan = await planOfPhase(lab.api, lab.namespace, 'Ready');
    expect(lives).toBeGreaterThan(plan.spec.summary.podStarts);
    expect((await lab.api.list(nodes)).items.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
    expect(await contents()).toHaveLength(plan.spec.summary.podStarts);
  }, 120_000);

  it('after each of its writes of a transition is followed by another, and every floor is kept at every event', async () => {
    const watcher = await watchFloors(await lab.cluster.api(), lab.namespace);
    watcher.guard(floors);
    await setRates(lab.api, lab.namespace, later);
    const lives = await relay(planOfPhase(lab.api, lab.namespace, 'Ready', 150_000));
    const plan = await planOfPhase(lab.api, lab.namespace, 'Ready');
    watcher.stop();
    expect(watcher.breaches).toEqual([]);
    expect(lives).toBeGreaterThan(plan.spec.summary.podStarts + plan.spec.summary.podStops);
    expect(await contents()).toEqual(targetOf(plan));
    expect((await lab.api.list(nodes)).items.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
  }, 180_000);

  it('by SIGKILL at any time, as a process of its own, is followed by the next one that takes the lease', async () => {
    const watcher = await watchFloors(await lab.cluster.api(), lab.namespace);
    watcher.guard(floors);
    const kubeconfig = await lab.cluster.kubeconfig('admin');
    await setRates(lab.api, lab.namespace, { tags: 700, search: 320, captions: 40 });
    const done = planOfPhase(lab.api, lab.namespace, 'Ready', 120_000);
    let over = false;
    const end = done.finally(() => {
      over = true;
    });
    let kills = 0;
    for (let life = 1; !over; life++) {
      const args = ['--import', 'tsx', 'src/cli/main.ts', 'operator', '--kubeconfig', kubeconfig, '--port', '0', '--lease', '1s'];
      const child = spawn(process.execPath, [...args, '--identity', `process-${life}`], { stdio: ['ignore', 'ignore', 'pipe'] });
      let log = '';
      const due = new Promise<void>((resolve) => {
        child.stderr.on('data', (chunk: Buffer) => {
          log += chunk.toString();
          // Each life is one write longer than the one before it.
          if (log.split('"written"').length > life) resolve();
        });
      });
      const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)));
      await Promise.race([due, ended, end.catch(() => {})]);
      kills += Number(child.kill('SIGKILL'));
      // Nothing but the kill may end it.
      expect({ signal: await ended, log }).toMatchObject({ signal: 'SIGKILL' });
    }
    await end;
    watcher.stop();
    expect(kills).toBeGreaterThan(2);
    expect(watcher.breaches).toEqual([]);
    expect((await lab.api.list(nodes)).items.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
  }, 180_000);
});
