import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodes, pods } from '../../src/cluster/client/resources.js';
import { faultAnnotation } from '../../src/cluster/emulate/faults.js';
import { gpuPools, nodeStates, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { annotations, labels } from '../../src/cluster/objects/names.js';
import { eventually as eventuallyWithin, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { type NodeWatcher, watchNodes } from './node-watch.fixture.js';
import { type OperatorCluster, startOperatorCluster } from './operator.fixture.js';
import { addPool, type PoolLab } from './pool-lab.fixture.js';

/** With so many cases at once each step of one may take long. */
const eventually = <T>(sentence: string, ask: () => Promise<T | undefined | false>) => eventuallyWithin(sentence, ask, 90_000);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Served by one 2g, or by two 1g; `large` by six 2g on two GPUs, or by ten 1g on two. */
const small = { small: { model: 'small', rateRps: 90, latencyMs: 100 } };
const large = { small: { model: 'small', rateRps: 560, latencyMs: 100 } };

const names = [
  'fail',
  'midway',
  'stuck',
  'empty',
  'reboot',
  'slow',
  'plugin',
  'hopeless',
  'missing',
  'stale',
  'lies',
  'liar',
  'away',
  'unready',
  'crashing',
  'terminating',
] as const;

// All cases go on at once in one cluster, so each takes as long as the whole.
describe.skipIf(whyNoCluster)(`the operator and every fault of a node${skippedBecause}`, { timeout: 150_000 }, () => {
  let lab: OperatorCluster;
  let watcher: NodeWatcher;
  const pools = new Map<string, PoolLab>();

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 0, gpus: 0 });
    await Promise.all(
      names.map(async (name) => {
        const migManager = { namespace: 'gpu-operator', configMap: 'inlay-mig-config', settleSeconds: 0, retries: 1, backoffSeconds: 0 };
        const timeoutSeconds = name === 'stuck' || name === 'empty' || name === 'stale' ? 2 : 30;
        pools.set(
          name,
          await addPool(lab, {
            name,
            nodes: 2,
            gpus: name === 'midway' ? 2 : 1,
            pool: { migManager: { ...migManager, timeoutSeconds } },
          }),
        );
      }),
    );
    lab.start();
    watcher = await watchNodes(lab.api);
    await Promise.all([...pools.values()].map((pool) => pool.demand(pool.name === 'midway' ? large : small, { profiles: ['2g.20gb'] })));
    await Promise.all(
      [...pools.values()].map(async (pool) => {
        await pool.ready();
        pool.watcher.guard({ small: pool.name === 'midway' ? 560 : 90 });
      }),
    );
  }, 180_000);
  afterAll(async () => {
    watcher?.stop();
    for (const pool of pools.values()) pool.watcher.stop();
    await lab?.stop();
  });

  const poolOf = (name: (typeof names)[number]) => pools.get(name) as PoolLab;
  const podsOf = async ({ namespace }: PoolLab) => (await lab.api.list(pods, { namespace })).items;
  const nodesOf = async ({ name }: PoolLab) => (await lab.api.list(nodes, { labelSelector: `pool=${name}` })).items;
  const demandOf = ({ name }: PoolLab) => (name === 'midway' ? large : small);
  const moveTo = (pool: PoolLab, profile: string, more = {}) => pool.demand(demandOf(pool), { profiles: [profile], ...more });
  const heal = (pool: PoolLab) => pool.cause(null);

  /** What happened to the nodes of a pool; nothing too early, no floor missed, and nobody's cordon left behind. */
  async function judged(pool: PoolLab): Promise<readonly (readonly string[])[]> {
    const history = await watcher.history();
    expect(history.breaches.filter((sentence) => sentence.startsWith(`${pool.name}-`))).toEqual([]);
    expect(pool.watcher.breaches).toEqual([]);
    expect((await nodesOf(pool)).filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
    return pool.nodes.map((node) => history.timeline(node));
  }

  /** The lines of the one node that had the fault, from its first line of the kind on. */
  function linesAfter(timelines: readonly (readonly string[])[], first: string): string {
    const found = timelines.find((lines) => lines.includes(first)) ?? [];
    return found.slice(found.indexOf(first)).join(', ');
  }

  const told = /told inlay-[0-9a-f]{12}/.source;
  const again = /told inlay-[0-9a-f]{12}-r1/.source;

  describe.concurrent('of mig-manager:', () => {
    it.concurrent('a failure is tried again', async () => {
      const pool = poolOf('fail');
      await pool.cause('mig-fail:1');
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      expect(linesAfter(await judged(pool), 'failed')).toMatch(new RegExp(`^failed, ${again}, .*success, .*opened$`));
      await pool.says('Ready');
    });

    it.concurrent('a failure after half of the GPUs is tried again, and nothing goes to the half that is cut before', async () => {
      const pool = poolOf('midway');
      await pool.cause('mig-fail-midway:1');
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      const line = linesAfter(await judged(pool), 'failed');
      expect(line).toMatch(/^failed, offers nvidia.com\/gpu:1 nvidia.com\/mig-1g.10gb:\d, told/);
      expect(line).toMatch(new RegExp(`${again}, .*success, .*opened$`));
    });

    it.concurrent('one that hangs is given up after its time and asked again', async () => {
      const pool = poolOf('stuck');
      await pool.cause('mig-stuck:1');
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      const lines = (await judged(pool)).map((line) => line.join(', '));
      expect(lines.filter((line) => new RegExp(`${told}, pending, offers , ${again}.*success, .*opened$`).test(line))).toHaveLength(1);
    });

    it.concurrent('a success without instances is not believed', async () => {
      const pool = poolOf('empty');
      await pool.cause('mig-empty:1');
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      const lines = (await judged(pool)).map((line) => line.join(', '));
      expect(
        lines.filter((line) => new RegExp(`success, ${again}, .*success, offers [^,]*mig-1g.10gb:\\d, opened$`).test(line)),
      ).toHaveLength(1);
    });

    it.concurrent('a reboot is waited for', async () => {
      const pool = poolOf('reboot');
      await pool.cause('mig-reboot:1');
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      const line = linesAfter(await judged(pool), 'rebooting');
      expect(line).toMatch(/^rebooting, .*success, offers [^,]*, opened$/);
      expect(line).not.toContain('told');
    });

    it.concurrent('slowness is waited for', async () => {
      const pool = poolOf('slow');
      await pool.cause('mig-slow:1');
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      const lines = (await judged(pool)).map((line) => line.join(', '));
      expect(lines.join()).not.toContain('-r1');
      expect((await nodesOf(pool)).filter(({ metadata }) => metadata.annotations?.[faultAnnotation] === undefined)).toHaveLength(1);
    });

    it.concurrent('a success long before the device plugin offers anything opens no node', async () => {
      const pool = poolOf('plugin');
      await pool.cause('plugin-slow:1');
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      const lines = (await judged(pool)).map((line) => line.join(', '));
      expect(lines.filter((line) => /offers , success, offers nvidia.com\/mig-1g.10gb:\d, opened$/.test(line))).toHaveLength(1);
      expect((await nodesOf(pool)).filter(({ metadata }) => metadata.annotations?.[faultAnnotation] === undefined)).toHaveLength(1);
    });

    it.concurrent('failing for good is rolled back, and a person is told what to do', async () => {
      const pool = poolOf('hopeless');
      await pool.cause('mig-fail');
      const before = (await podsOf(pool)).map(({ metadata }) => metadata.uid);
      await moveTo(pool, '1g.10gb');
      const { reason, message } = await pool.says('Stuck');
      expect(reason).toBe('LAYOUT_CHANGE_FAILED');
      expect(message).toMatch(/kubectl annotate node hopeless-\d inlay.dev\/failed-config-/);
      await eventually('the node is open again', async () => (await nodesOf(pool)).every(({ spec }) => spec?.unschedulable !== true));
      const running = (await podsOf(pool)).filter(({ status }) => status?.phase === 'Running').map(({ metadata }) => metadata.uid);
      expect(running).toEqual(before);
      await heal(pool);
      await allow(pool);
      await pool.ready();
      await judged(pool);
      expect((await pool.condition('Stuck'))?.status).toBe('False');
    });
  });

  async function allow(pool: PoolLab): Promise<void> {
    for (const { metadata } of await nodesOf(pool))
      await lab.api.patch(nodes, metadata, { metadata: { annotations: { [annotations.failedConfig]: null } } });
  }

  describe.concurrent('of the agent:', () => {
    it.concurrent('without a report the node changes as a whole, and the status says so', async () => {
      const pool = poolOf('missing');
      await pool.cause('agent-missing');
      await pool.says('Degraded', /Without an agent a node changes as a whole: missing-0, missing-1/);
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      await judged(pool);
      await heal(pool);
      await eventually('nothing is wrong', async () => (await pool.condition('Degraded'))?.status === 'False');
    });

    it.concurrent('one that reports nothing new: the change is not believed, rolled back and left to a person', async () => {
      const pool = poolOf('stale');
      await pool.cause('agent-stale');
      await moveTo(pool, '1g.10gb');
      const { message } = await pool.says('Stuck');
      expect(message).toMatch(/kubectl annotate node stale-\d inlay.dev\/failed-config-/);
      await heal(pool);
      await allow(pool);
      await pool.ready();
      await judged(pool);
    });

    it.concurrent('one that contradicts the device plugin: the node is reported and not trusted', async () => {
      const pool = poolOf('lies');
      const [own] = await podsOf(pool);
      const node = own?.spec.nodeName ?? '';
      await pool.cause('agent-lies', [node]);
      await eventually('it lies', async () => (await lab.api.get(nodeStates, { name: node })).spec.gpus[0]?.migEnabled === false);
      // As if it had said so for long: at first it may only be late.
      const observedAt = new Date(Date.now() - 600_000).toISOString();
      await lab.api.patch(nodeStates, { name: node }, { spec: { observedAt } });
      await pool.says('Degraded', new RegExp(`NODE_DISAGREES: Node ${node} offers other GPU resources`));
      await moveTo(pool, '1g.10gb');
      await pool.ready();
      const served = (await podsOf(pool)).filter(({ metadata }) => metadata.labels?.[labels.profile] === '1g.10gb');
      expect(served.map(({ spec }) => spec.nodeName)).not.toContain(node);
      const lines = await judged(pool);
      expect(lines[pool.nodes.indexOf(node)]?.filter((line) => line.startsWith('told'))).toHaveLength(1);
      await heal(pool);
      await eventually('nothing is wrong', async () => (await pool.condition('Degraded'))?.status === 'False');
    });

    it.concurrent('one that has only just begun to lie costs no service its floor, and its node is left alone', async () => {
      const pool = poolOf('liar');
      const [own] = await podsOf(pool);
      const node = own?.spec.nodeName ?? '';
      await pool.cause('agent-lies', [node]);
      await eventually('it lies', async () => (await lab.api.get(nodeStates, { name: node })).spec.gpus[0]?.migEnabled === false);
      await moveTo(pool, '1g.10gb');
      await pause(3000);
      expect(pool.watcher.breaches).toEqual([]);
      await heal(pool);
      await pool.ready();
      const lines = await judged(pool);
      expect(lines[pool.nodes.indexOf(node)]?.filter((line) => line.startsWith('told'))).toHaveLength(1);
    });

    it.concurrent('a node that is away for long is done without', async () => {
      const pool = poolOf('away');
      const [own] = await podsOf(pool);
      const node = own?.spec.nodeName ?? '';
      await pool.cause('not-ready', [node]);
      const away = await eventually('it is away', async () => {
        const { status } = await lab.api.get(nodes, { name: node });
        return status?.conditions?.find(({ type, status: value }) => type === 'Ready' && value === 'Unknown');
      });
      const since = { ...away, lastTransitionTime: new Date(Date.now() - 600_000).toISOString() };
      await lab.api.patch(nodes, { name: node }, { status: { conditions: [since] } }, { subresource: 'status' });
      await eventually('it is served elsewhere', async () =>
        (await podsOf(pool)).some(({ spec, status }) => {
          const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
          return spec.nodeName !== undefined && spec.nodeName !== node && isReady;
        }),
      );
      expect((await lab.api.get(gpuPools, { name: pool.name })).status).toMatchObject({ gpus: 2, gpusReserved: 1 });
      await heal(pool);
      await eventually('it is back', async () => {
        const { status } = await lab.api.get(gpuPools, { name: pool.name });
        return (status as { gpusReserved?: number })?.gpusReserved === 0;
      });
      await pool.ready();
      await judged(pool);
    });
  });

  describe.concurrent('of pods:', () => {
    const template = (notes: Record<string, string>) => ({
      template: {
        metadata: { annotations: notes },
        spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'server', image: 'server:1' }] },
      },
    });
    const stays = async (pool: PoolLab, uids: readonly (string | undefined)[]) =>
      (await podsOf(pool)).filter(({ metadata }) => uids.includes(metadata.uid) && metadata.deletionTimestamp === undefined).length;

    it.concurrent('those that never become ready replace nothing, and go when their template is mended', async () => {
      const pool = poolOf('unready');
      const before = (await podsOf(pool)).map(({ metadata }) => metadata.uid);
      await moveTo(pool, '1g.10gb', template({ [faultAnnotation]: 'never-ready' }));
      await eventually('two new pods run and are not ready', async () => {
        const fresh = (await podsOf(pool)).filter(({ metadata }) => metadata.labels?.[labels.profile] === '1g.10gb');
        return fresh.filter(({ status }) => status?.phase === 'Running').length === 2;
      });
      await pause(1500);
      expect(await stays(pool, before)).toBe(1);
      await pool.says('Progressing', /\d of \d steps are done/);
      const { items } = await lab.api.list(sharingPlans);
      const own = items.filter(({ spec }) => spec.group === pool.name).toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
      expect(own?.status?.steps?.running.join()).toContain('start-pod');
      // No new plan comes of a template.
      await moveTo(pool, '1g.10gb', template({ mended: 'yes' }));
      await eventually('the steps are done', async () => {
        const progressing = await pool.condition('Progressing');
        return progressing?.status === 'False' && progressing.observedGeneration === 3;
      });
      await pool.says('Ready');
      await judged(pool);
    });

    it.concurrent('those of a new template that crash take away no more than the floor allows while a plan stands', async () => {
      const pool = poolOf('crashing');
      // Of two pods one is enough then, so that the other may be renewed.
      for (const rateRps of [190, 90]) {
        await pool.demand({ small: { ...small.small, rateRps } }, { profiles: ['2g.20gb'] });
        await pool.ready();
      }
      const before = (await podsOf(pool)).map(({ metadata }) => metadata.uid);
      expect(before).toHaveLength(2);
      await moveTo(pool, '2g.20gb', template({ [faultAnnotation]: 'crash-loop' }));
      await eventually('the new pod crashes', async () =>
        (await podsOf(pool)).some(({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 1),
      );
      await pause(1000);
      expect(await stays(pool, before)).toBe(1);
      await moveTo(pool, '2g.20gb', template({ mended: 'yes' }));
      await eventually('only pods of the mended template are left', async () => {
        const all = await podsOf(pool);
        return (
          all.every(({ metadata }) => metadata.annotations?.['mended'] === 'yes') && (await pool.condition('Ready'))?.status === 'True'
        );
      });
      await judged(pool);
    });

    it.concurrent('one that never ends keeps its GPU from being cut, until somebody ends it', async () => {
      const pool = poolOf('terminating');
      const [own] = await podsOf(pool);
      const { metadata, spec } = own ?? { metadata: { name: '' }, spec: { nodeName: '' } };
      await lab.api.patch(pods, metadata, { metadata: { annotations: { [faultAnnotation]: 'stuck-terminating' } } });
      await moveTo(pool, '1g.10gb');
      await eventually('it is told to go', async () => (await lab.api.get(pods, metadata)).metadata.deletionTimestamp !== undefined);
      await moveTo(pool, '3g.40gb');
      await eventually('its GPU is waited for', async () => {
        const { items } = await lab.api.list(sharingPlans);
        return items.some(
          ({ spec: { group }, status }) =>
            group === pool.name && status?.steps?.running.some((line) => /the pods on the GPUs to go/.test(line)),
        );
      });
      await pause(500);
      await lab.api.remove(pods, metadata, { gracePeriodSeconds: 0 });
      await pool.ready();
      const lines = await judged(pool);
      const there = lines[pool.nodes.indexOf(spec.nodeName ?? '')]?.join(', ');
      expect(there).toMatch(new RegExp(`cordoned, small leaves, small is gone, ${told}|small leaves, cordoned, small is gone, ${told}`));
    });
  });
});
