import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { builtInBackends } from '../backends/registry.js';
import { decide, type GroupFacts } from '../decide/decide.js';
import { aPool, aWorkload, tables } from '../decide/demand.fixture.js';
import { createMemory } from '../decide/memory.js';
import { planHere } from '../decide/run-operator.fixture.js';
import { SimulatedCluster } from '../decide/simulated-cluster.fixture.js';
import { createStepTimes } from './time-steps.js';

/** A plan of one chain of steps, of which some are done. */
function facts(done: number, { uid = 'u', isNew = false }: { uid?: string; isNew?: boolean } = {}): GroupFacts[] {
  const steps = ['s1', 's2', 's3', 's4'].map((id, n) => ({ id, kind: n % 2 === 0 ? 'wipe-gpu' : 'start-pod' }));
  const progress = { done: new Set(steps.slice(0, done).map(({ id }) => id)), enabled: steps.slice(done, done + 1) };
  const metadata = { name: uid, uid, creationTimestamp: '1970-01-01T00:00:01Z' };
  return [
    {
      name: 'a100',
      plan: { metadata, status: isNew ? {} : { phase: 'Applying' } },
      work: { progress, transition: { steps } },
      services: [],
    },
  ] as unknown as GroupFacts[];
}

describe('createStepTimes', () => {
  it('times each step once, one that began and ended between two looks with the time between them', () => {
    const time = createStepTimes();
    expect(time(facts(0, { isNew: true }), 2000)).toEqual([]);
    expect(time(facts(1), 5000)).toEqual([{ kind: 'wipe-gpu', seconds: 3 }]);
    expect(time(facts(1), 6000)).toEqual([]);
    expect(time(facts(4), 8000)).toEqual([
      { kind: 'start-pod', seconds: 3 },
      { kind: 'wipe-gpu', seconds: 2 },
      { kind: 'start-pod', seconds: 2 },
    ]);
    expect(time(facts(4), 9000)).toEqual([]);
  });

  it('times what is done at once from when the plan was made', () => {
    expect(createStepTimes()(facts(1, { isNew: true }), 3500)).toEqual([{ kind: 'wipe-gpu', seconds: 2.5 }]);
  });

  it('does not time what was done before this process looked, nor steps of a plan that was given up', () => {
    const time = createStepTimes();
    expect(time(facts(2), 5000)).toEqual([]);
    expect(time(facts(3), 6000)).toEqual([{ kind: 'wipe-gpu', seconds: 1 }]);
    expect(time(facts(0, { uid: 'v', isNew: true }), 7000)).toEqual([]);
    expect(time([], 8000)).toEqual([]);
  });

  it('counts as many steps as plans record, however coarse the looks are', async () => {
    for (const moves of [1, 5, 1000]) {
      const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 2 });
      cluster.put(aPool());
      cluster.put(tables);
      cluster.put(aWorkload('media', { tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 } }));
      const time = createStepTimes();
      const memory = createMemory();
      let counted = 0;
      for (let isOver = false; !isOver; ) {
        cluster.nowMs += 1000;
        const context = { catalogue: builtInCatalogue, backends: builtInBackends, planner: planHere, memory, nowMs: cluster.nowMs };
        const { groups, writes, againInMs } = await decide(cluster.view(), context);
        counted += time(groups, cluster.nowMs).length;
        for (const write of writes) cluster.write(write);
        let moved = 0;
        while (moved < moves && cluster.step()) moved++;
        isOver = writes.length + moved === 0 && !Number.isFinite(againInMs);
      }
      const [plan] = cluster.view().plans;
      expect(plan?.status?.phase).toBe('Ready');
      expect(counted, `${moves} moves between looks`).toBe(plan?.status?.steps?.total);
    }
  });
});
