import type { Condition, Node } from '../../src/cluster/client/object-types.js';
import { configMaps, nodes } from '../../src/cluster/client/resources.js';
import { neighbourTable } from '../../src/cluster/decide/busy-neighbour.fixture.js';
import { faultAnnotation } from '../../src/cluster/emulate/faults.js';
import { type Cut, type Hardware, recut } from '../../src/cluster/emulate/hardware.js';
import { type EmulatedNodeSpec, hardwareAnnotation, makeNode, readHardware } from '../../src/cluster/emulate/node-objects.js';
import type { GpuPool } from '../../src/cluster/objects/gpu-pool.js';
import type { ClusterService, InferenceWorkload } from '../../src/cluster/objects/inference-workload.js';
import { gpuPools, inferenceWorkloads } from '../../src/cluster/objects/kinds.js';
import type { SharingPlan } from '../../src/cluster/objects/sharing-plan.js';
import { eventually } from './cluster.fixture.js';
import { type FloorWatcher, watchFloors } from './floor-watch.fixture.js';
import { aGpuPool, anInferenceWorkload, type Demands, type OperatorCluster, planOfPhase } from './operator.fixture.js';

export interface PoolShape {
  /** Of the pool, and first part of the names of its nodes. */
  readonly name: string;
  readonly nodes: number;
  readonly gpus: number;
  /** What the emulated nodes are beside that. */
  readonly hardware?: Partial<EmulatedNodeSpec> | readonly Partial<EmulatedNodeSpec>[];
  /** How each GPU is cut from the start, in the driver's names; else MIG is off. */
  readonly cuts?: readonly Cut[];
  readonly pool?: Partial<GpuPool['spec']>;
  readonly table?: string;
}

/** One pool with nodes, a namespace and a workload of its own, so that many cases can go on at once in one cluster. */
export interface PoolLab {
  readonly name: string;
  readonly namespace: string;
  readonly nodes: readonly string[];
  readonly watcher: FloorWatcher;
  /** Creates the workload, or gives it these services. */
  demand(services: Demands, more?: Partial<ClusterService>, spec?: Partial<InferenceWorkload['spec']>): Promise<void>;
  ready(withinMs?: number): Promise<SharingPlan>;
  inPhase(phase: string): Promise<SharingPlan>;
  condition(type: string): Promise<Condition | undefined>;
  /** Waits until a condition is true, and its message is as expected. */
  says(type: string, message?: RegExp): Promise<Condition>;
  /** Of all nodes of the pool. */
  cause(fault: string | null, which?: readonly string[]): Promise<void>;
}

/** Rows of two models on 1g, 2g and 4g; of `small` on 3g as well. */
const defaultTable = `${neighbourTable}small,A100-80GB,3g.40gb,1,1,150,10,2\n`;

/** Adds a pool to a cluster. Its floors are watched by the watcher from the moment that somebody guards them. */
export async function addPool(lab: OperatorCluster, shape: PoolShape): Promise<PoolLab> {
  const { api } = lab;
  const { name } = shape;
  const names = Array.from({ length: shape.nodes }, (_, index) => `${name}-${index}`);
  const namespace = await lab.cluster.namespace();
  await api.create(configMaps, { metadata: { name: 'tables', namespace }, data: { 'a100.csv': shape.table ?? defaultTable } });
  const specs = [shape.hardware ?? {}].flat();
  for (const [index, node] of names.entries()) {
    const made = makeNode({ model: 'A100-80GB', gpus: shape.gpus, ...specs[index % specs.length], name: node, labels: { pool: name } });
    await api.create(nodes, shape.cuts === undefined ? made : cutNode(made, shape.cuts[index % shape.cuts.length] ?? null));
  }
  await api.create(gpuPools, { ...aGpuPool({ nodeSelector: { pool: name }, ...shape.pool }), metadata: { name } });
  const watcher = await watchFloors(api, namespace);
  const read = () => api.get(inferenceWorkloads, { namespace, name: 'media' });
  const condition = async (type: string) => (await read()).status?.conditions?.find((one) => one.type === type);
  const inPhase = (phase: string, withinMs?: number) =>
    planOfPhase(api, namespace, phase, withinMs).catch(async (error) => {
      const { status } = await read();
      const own = lab.log.filter((line) => line.includes(namespace) || line.includes(`"${name}-`));
      throw new Error(`${name}: ${error}\n${JSON.stringify(status?.conditions, undefined, 1)}\n${own.slice(-30).join('\n')}`);
    });
  return {
    name,
    namespace,
    nodes: names,
    watcher,
    async demand(services, more = {}, spec = {}) {
      const made = anInferenceWorkload(namespace, services, { latency: { factor: 1 }, ...spec, pools: spec.pools ?? [name] });
      const wanted = { ...made.spec, services: made.spec.services.map((service) => ({ ...service, ...more })) };
      const isNew = await read().then(
        () => false,
        () => true,
      );
      if (isNew) await api.create(inferenceWorkloads, { ...made, spec: wanted });
      else await api.patch(inferenceWorkloads, { namespace, name: 'media' }, { spec: wanted });
    },
    ready: (withinMs) => inPhase('Ready', withinMs),
    inPhase,
    condition,
    says: (type, message = /./) =>
      eventually(
        `${name} says ${type}: ${message}`,
        async () => {
          const found = await condition(type);
          return found?.status === 'True' && message.test(found.message ?? '') && found;
        },
        60_000,
      ),
    async cause(fault, which = names) {
      for (const node of which) await api.patch(nodes, { name: node }, { metadata: { annotations: { [faultAnnotation]: fault } } });
    },
  };
}

function cutNode(node: Node, cut: Cut): Node {
  const { name, annotations } = node.metadata;
  let hardware = readHardware(node) as Hardware;
  for (const index of hardware.gpus.keys()) hardware = recut(name, hardware, index, cut).hardware;
  return { ...node, metadata: { ...node.metadata, annotations: { ...annotations, [hardwareAnnotation]: JSON.stringify(hardware) } } };
}
