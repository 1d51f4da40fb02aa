import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../src/cli/io.fixture.js';
import { nodes, pods } from '../../src/cluster/client/resources.js';
import type { EmulatedNodeSpec } from '../../src/cluster/emulate/node-objects.js';
import { planApprovals, sharingPlans } from '../../src/cluster/objects/kinds.js';
import { nvidia } from '../../src/cluster/objects/names.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { type NodeWatcher, watchNodes } from './node-watch.fixture.js';
import { type OperatorCluster, startOperatorCluster } from './operator.fixture.js';
import { addPool, type PoolLab } from './pool-lab.fixture.js';

const small = (rateRps: number) => ({ small: { model: 'small', rateRps, latencyMs: 100 } });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Two boards of one product: the second one's driver has another name for the 3g. */
const boards: readonly Partial<EmulatedNodeSpec>[] = [{ model: 'GB200-189GB' }, { model: 'GB200-189GB', names: { '3g.95gb': '3g.93gb' } }];
const boardCuts = [{ '3g.95gb': 2 }, { '3g.93gb': 2 }];
const boardTable = `model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,memory_gib
small,GB200-189GB,3g.95gb,1,1,100,10,2
small,GB200-189GB,1g.23gb,1,1,40,10,2
`;

describe.skipIf(whyNoCluster)(`cases from practice${skippedBecause}`, { timeout: 120_000 }, () => {
  let lab: OperatorCluster;
  let watcher: NodeWatcher;
  const written: string[] = [];

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 0, gpus: 0 });
    const api = await lab.cluster.api('admin', ({ method, path }) => void (method !== 'GET' && written.push(`${method} ${path}`)));
    lab.start({ api });
    watcher = await watchNodes(lab.api);
  }, 120_000);
  afterAll(async () => {
    watcher?.stop();
    await lab?.stop();
  });

  /** What the operator wrote to the nodes of a pool or into its namespace, other than what it says in statuses. */
  const writesFor = ({ name, namespace }: PoolLab) =>
    written.filter(
      (line) => (line.includes(`/nodes/${name}-`) || line.includes(`/namespaces/${namespace}/`)) && !/\/status$|\/events$/.test(line),
    );

  describe.concurrent('that are refused before anything is touched:', () => {
    it.concurrent('the MIG strategy single, for slices of two sizes', async () => {
      const pool = await addPool(lab, { name: 'single', nodes: 2, gpus: 1, hardware: { strategy: 'single' } });
      const big = { big: { model: 'big', rateRps: 90, latencyMs: 100 } };
      await pool.demand({ ...small(90), ...big });
      const { message } = await pool.says('Degraded', /MIG_STRATEGY/);
      expect(message).toMatch(
        /Node single-0 runs the device plugin with the MIG strategy single, .* Expected mixed, received single|strategy single/,
      );
      await pool.says('Infeasible');
      await pause(500);
      expect(writesFor(pool)).toEqual([]);
      for (const name of pool.nodes) expect((await lab.api.get(nodes, { name })).metadata.labels?.[nvidia.migConfig]).toBeUndefined();
    });

    it.concurrent.each([['--tensor-parallel-size', '2'], ['--tensor-parallel-size=2']])('a server told %s', async (...args) => {
      const pool = await addPool(lab, { name: `parallel-${args.length}`, nodes: 1, gpus: 1 });
      const containers = [{ name: 'server', image: 'vllm/vllm-openai:latest', args: ['--model', 'm', ...args] }];
      await pool.demand(small(90), { template: { spec: { containers } } });
      const { reason, message } = await pool.says('Invalid');
      expect(reason).toBe('TEMPLATE_REFUSED');
      expect(message).toMatch(/^TEMPLATE_REFUSED: The pod template of small splits the model over several GPUs.*tensor parallel size 1/);
      await pause(500);
      expect(writesFor(pool)).toEqual([]);
    });
  });

  it.concurrent('two GB200 whose drivers name a profile differently are no one pool, and as two pools both serve', async () => {
    const gpu = { gpu: 'GB200-189GB' };
    const pool = await addPool(lab, { name: 'gb200', nodes: 2, gpus: 1, table: boardTable, hardware: boards, cuts: boardCuts, pool: gpu });
    await pool.demand(small(190));
    const { reason, message } = await pool.says('Invalid');
    expect(reason).toBe('PROFILE_SETS_DIFFER');
    expect(message).toMatch(/The nodes of pool gb200 name one profile differently: 3g.95gb, and on gb200-1 3g.93gb/);
    expect(writesFor(pool)).toEqual([]);

    // The second node becomes a pool of its own, for a team of its own.
    const other = await addPool(lab, { name: 'gb200-b', nodes: 0, gpus: 1, table: boardTable, pool: gpu });
    await lab.api.patch(nodes, { name: 'gb200-1' }, { metadata: { labels: { pool: 'gb200-b' } } });
    await other.demand(small(190));
    await Promise.all([pool.ready(), other.ready()]);
    const asked = async ({ namespace }: PoolLab) =>
      (await lab.api.list(pods, { namespace })).items.map(({ spec }) => [
        spec.nodeName,
        Object.keys(spec.containers[0]?.resources?.limits ?? {})[0],
      ]);
    expect(await asked(pool)).toEqual(Array.from({ length: 2 }, () => ['gb200-0', 'nvidia.com/mig-3g.95gb']));
    expect(await asked(other)).toEqual(Array.from({ length: 2 }, () => ['gb200-1', 'nvidia.com/mig-3g.93gb']));
    // A cut by the driver's own name: from two 3g to 1g.
    await other.demand(small(190), { profiles: ['1g.23gb'] });
    await other.inPhase('Proposed');
  });

  it.concurrent('an approval counts for one plan in one state: when the state changes it has expired', async () => {
    const pool = await addPool(lab, { name: 'approval', nodes: 3, gpus: 1 });
    const { namespace, watcher: floors } = pool;
    const kubeconfig = await lab.cluster.kubeconfig();
    const approve = (...args: readonly string[]) => runInProcess(['approve', ...args, '--kubeconfig', kubeconfig]);
    const running = async () => (await lab.api.list(pods, { namespace })).items.map(({ metadata }) => metadata.uid).sort();
    await pool.demand(small(90), { profiles: ['2g.20gb'] }, { mode: 'Plan' });
    const first = await pool.inPhase('Proposed');
    expect(await running()).toEqual([]);
    expect(await approve(first.metadata.name, '--plan', first.spec.planId)).toMatchObject({ exitCode: 0 });
    await pool.ready();
    floors.guard({ small: 90 });
    const before = await running();

    await pool.demand(small(90), { profiles: ['1g.10gb'] }, { mode: 'Plan' });
    const second = await pool.inPhase('Proposed');
    const idle = pool.nodes.filter((node) => before.length > 0 && node !== undefined);
    const used = (await lab.api.list(pods, { namespace })).items.map(({ spec }) => spec.nodeName);
    const target = idle.find((node) => !used.includes(node)) ?? '';
    await lab.api.patch(nodes, { name: target }, { spec: { unschedulable: true } });
    const third = await eventually('the plan is made anew', async () => {
      const { items } = await lab.api.list(sharingPlans);
      return items.find(
        ({ spec, status }) => spec.group === pool.name && spec.sequence > second.spec.sequence && status?.phase === 'Proposed',
      );
    });
    const { planId, stateHash } = second.spec;
    // What a person agreed to before the change, now said of the plan that took its place; and of the plan itself.
    for (const sharingPlan of [third.metadata.name, second.metadata.name])
      await lab.api.create(planApprovals, { metadata: { name: `late-${sharingPlan}` }, spec: { sharingPlan, planId, stateHash } });
    const expired = await eventually('the approval has expired', async () => {
      const found = await pool.condition('Approved');
      return found?.reason === 'ApprovalExpired' && found;
    });
    expect(expired.message).toContain(`Approve with: inlay approve ${third.metadata.name}`);
    expect((await approve(second.metadata.name)).stderr).toContain('does not wait for an approval: its phase is Superseded');
    await pause(500);
    expect(await running()).toEqual(before);

    expect(await approve(third.metadata.name)).toMatchObject({ exitCode: 0 });
    await eventually(
      'the third plan is carried out',
      async () => (await lab.api.get(sharingPlans, third.metadata)).status?.phase === 'Ready',
    );
    expect(await running()).not.toEqual(before);
    expect(floors.breaches).toEqual([]);
    expect((await watcher.history()).breaches.filter((line) => line.startsWith('approval-'))).toEqual([]);
  });
});
