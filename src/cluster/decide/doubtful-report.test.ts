import { describe, expect, it } from 'vitest';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { builtInBackends } from '../backends/registry.js';
import type { NodeState } from '../objects/node-state.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import { decide } from './decide.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { createMemory } from './memory.js';
import { planHere, runOperator } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';

/** Time that a report may be late. */
const patienceMs = 120_000;

describe('a report that contradicts the device plugin', () => {
  it('is not planned from while it may only be late; afterwards plans do without its node, and its pods stay', async () => {
    const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 1 });
    cluster.put(aPool());
    cluster.put(tables);
    cluster.put(aWorkload('media', { tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 } }));
    await runOperator(cluster, { seed: 1 });
    const name = cluster.view().pods[0]?.spec.nodeName ?? '';
    const truth = cluster.view().nodeStates.find(({ metadata }) => metadata.name === name) as NodeState;
    const observedAt = new Date(cluster.nowMs).toISOString();
    const gpus = truth.spec.gpus.map((gpu) => ({ ...gpu, migEnabled: false, instances: [] }));
    cluster.put({ ...truth, spec: { ...truth.spec, observedAt, gpus } } as NodeState);
    cluster.setRates('media', { tags: 700 });
    const look = async (afterMs: number) => {
      const nowMs = cluster.nowMs + afterMs;
      const context = { catalogue: builtInCatalogue, backends: builtInBackends, planner: planHere, memory: createMemory(), nowMs };
      const { writes, againInMs } = await decide(cluster.view(), context);
      return { kinds: writes.map(({ kind, resource }) => `${kind} ${resource.kind}`), writes, againInMs };
    };

    const early = await look(10_000);
    expect(early.kinds).not.toContain('create SharingPlan');
    expect(early.kinds).not.toContain('evict Pod');
    expect(early.againInMs).toBe(patienceMs - 10_000 + 1);

    const late = await look(patienceMs + 1);
    expect(late.kinds).toContain('create SharingPlan');
    expect(late.kinds).not.toContain('evict Pod');
    expect(JSON.stringify(late.writes)).toContain(`NODE_DISAGREES: Node ${name} `);
    const made = late.writes.flatMap((write) => (write.kind === 'create' ? [write.object as SharingPlan] : []));
    const steps = (made[0]?.spec.transition as TransitionDocument | undefined)?.steps ?? [];
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter(({ gpu }) => gpu.startsWith(name))).toEqual([]);
  });
});
