import { expect } from 'vitest';
import type { Node } from '../client/object-types.js';
import { annotations } from '../objects/names.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { runOperator } from './run-operator.fixture.js';
import { SimulatedCluster, type SimulationOptions } from './simulated-cluster.fixture.js';
import type { Write } from './write.js';

export const before = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
};
export const after = { tags: 200, search: 700 };
export const floor = { 'team.media.tags': 200, 'team.media.search': 300 };

export async function rolledOut(options: Partial<SimulationOptions> = {}): Promise<SimulatedCluster> {
  const cluster = new SimulatedCluster({ seed: 1, nodes: 2, gpusPerNode: 2, ...options });
  cluster.put(aPool());
  cluster.put(tables);
  cluster.put(aWorkload('media', before));
  expect((await runOperator(cluster, { seed: 1 })).settled).toBe(true);
  return cluster;
}

/** Copies of a cluster after every write of a change of demand that is more than a report, or every so many of them. */
export async function atEveryWrite(start: SimulatedCluster, every = 1): Promise<readonly (readonly [number, SimulatedCluster])[]> {
  const cluster = start.fork(5);
  cluster.setRates('media', after);
  const copies: (readonly [number, SimulatedCluster])[] = [];
  let writes = 0;
  const onWrite = (write: Write) => {
    writes++;
    if (write.kind !== 'patch' || write.subresource !== 'status') copies.push([writes, cluster.fork(writes)]);
  };
  expect((await runOperator(cluster, { seed: 5, onWrite })).settled).toBe(true);
  return copies.filter((_, index) => index % every === 0);
}

export const newest = (cluster: SimulatedCluster) => cluster.view().plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];

export const conditionOf = (cluster: SimulatedCluster, workload: string, type: string) =>
  cluster
    .view()
    .workloads.find(({ metadata }) => metadata.name === workload)
    ?.status?.conditions?.find((condition) => condition.type === type);

/** Runs until nothing is left to do; what was written to anything but statuses. */
export async function run(
  cluster: SimulatedCluster,
  seed: number,
  onChange?: (what: string) => void,
  blind = false,
): Promise<readonly Write[]> {
  const writes: Write[] = [];
  const life = await runOperator(cluster, { seed, blind, ...(onChange && { onChange }), onWrite: (write) => void writes.push(write) });
  expect(life.settled).toBe(true);
  return writes.filter((write) => !(write.kind === 'patch' && write.subresource === 'status'));
}

export const takesAway = (writes: readonly Write[]) =>
  writes.filter(({ kind }) => kind === 'evict' || kind === 'remove').map(({ why }) => why);

/** Cordons and marks of the operator, node by node. */
export const leftOnNodes = (cluster: SimulatedCluster) =>
  cluster
    .view()
    .nodes.flatMap(({ metadata: { name, annotations: notes = {} }, spec }: Node) => [
      ...(spec?.unschedulable === true ? [`${name} is cordoned`] : []),
      ...[annotations.attempt, annotations.formerConfig, annotations.cordonedBy]
        .filter((key) => notes[key] !== undefined)
        .map((key) => `${name} ${key}`),
    ]);

/** Whether mig-manager is in the middle of something. */
export const isCutting = (cluster: SimulatedCluster) =>
  cluster.view().nodes.some(({ metadata }) => metadata.labels?.['nvidia.com/mig.config.state'] === 'pending');
