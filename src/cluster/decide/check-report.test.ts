import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { builtInBackends } from '../backends/registry.js';
import type { NodeState, NodeStateSpec } from '../objects/node-state.js';
import { decide } from './decide.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { createMemory } from './memory.js';
import { planHere, runOperator } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';

type ReportedGpu = NodeStateSpec['gpus'][number];

const instance = (profile: string, start: number) => ({ profile, start, uuid: `MIG-${profile}-${start}` });
const gpu = (index: number, more: Partial<ReportedGpu> = {}): ReportedGpu => ({
  index,
  uuid: `GPU-${index}`,
  product: 'NVIDIA A100-SXM4-80GB',
  migEnabled: false,
  instances: [],
  ...more,
});
const cut = (...instances: ReportedGpu['instances']): readonly ReportedGpu[] => [gpu(0, { migEnabled: true, instances }), gpu(1)];

/** Two nodes of which the first reports this, and offers what it reports. */
async function reporting(gpus: readonly ReportedGpu[]): Promise<SimulatedCluster> {
  const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 2 });
  cluster.put(aPool());
  cluster.put(tables);
  cluster.put(aWorkload('media', { tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 } }));
  const [first] = cluster.view().nodeStates;
  cluster.put({ ...first, spec: { gpus } } as NodeState);
  return cluster;
}

describe('a report that cannot be', () => {
  it.each([
    ['two GPUs of one index', [gpu(0), gpu(0, { uuid: 'GPU-other' })], 'two GPUs of index 0'],
    ['two GPUs of one uuid', [gpu(0), gpu(1, { uuid: 'GPU-0' })], 'two GPUs of uuid GPU-0'],
    ['instances on top of each other', cut(instance('4g.40gb', 0), instance('2g.20gb', 2)), 'GPU 0'],
    ['an instance where none can begin', cut(instance('4g.40gb', 3)), '4g.40gb cannot start at memory slice 3'],
    ['more instances than fit', cut(...Array.from({ length: 9 }, (_, n) => instance('1g.10gb', n))), 'GPU 0'],
  ])('of %s: plans do without the node and say so', async (_what, gpus, message) => {
    const cluster = await reporting(gpus);
    cluster.nowMs += 1e6;
    await runOperator(cluster, { seed: 1 });
    const { workloads, pods } = cluster.view();
    const conditions = new Map(workloads[0]?.status?.conditions?.map((one) => [one.type, one]));
    expect(conditions.get('Degraded')?.message).toContain('STATE_IMPOSSIBLE: Node node-0 reports');
    expect(conditions.get('Degraded')?.message).toContain(message);
    expect(conditions.get('Ready')?.status).toBe('True');
    expect(new Set(pods.map(({ spec }) => spec.nodeName))).toEqual(new Set(['node-1']));
  });

  it('never stops the decision, whatever it says', async () => {
    const anInstance = fc.record({
      profile: fc.constantFrom('1g.10gb', '7g.80gb', '3g.40gb', '1g.10gb+me', 'full', 'nonsense', ''),
      start: fc.integer({ min: 0, max: 7 }),
      uuid: fc.constantFrom('a', 'b'),
      pod: fc.option(fc.record({ namespace: fc.constantFrom('team', ''), name: fc.constantFrom('x', '') }), { nil: undefined }),
    });
    const aGpu = fc.record({
      index: fc.constantFrom(0, 1, 1023),
      uuid: fc.constantFrom('a', ''),
      product: fc.constantFrom('NVIDIA A100-SXM4-80GB', 'Tesla K80', ''),
      migEnabled: fc.boolean(),
      instances: fc.array(anInstance, { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(aGpu, { maxLength: 4 }), async (gpus) => {
        const cluster = await reporting(gpus as readonly ReportedGpu[]);
        const context = { catalogue: builtInCatalogue, backends: builtInBackends, planner: planHere, memory: createMemory() };
        await decide(cluster.view(), { ...context, nowMs: cluster.nowMs + 1e6 });
      }),
      { seed: 1, numRuns: 60 },
    );
  });
});
