import { builtInCatalogue } from '../../gpu/catalogue.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { KubeObject } from '../client/object-types.js';
import { resourceOf } from '../client/resources.js';
import { isIdle, type Pods } from '../decide/locate-pods.js';
import type { ObservedGpu, ObservedInstance } from '../decide/read-node.js';
import { SimulatedCluster } from '../decide/simulated-cluster.fixture.js';
import type { Json } from '../decide/simulated-store.fixture.js';
import type { Write } from '../decide/write.js';
import type { NodeState } from '../objects/node-state.js';
import type { Allocation, Backend, LayoutStep, PlanNode } from './backend.js';
import { devicePlugin } from './device-plugin.js';
import { isCutAndOffered, listOpenSteps } from './layout-steps.js';

interface Place {
  readonly gpu: number;
  readonly profile: string;
  readonly start: number;
}

interface SliceOrder extends KubeObject {
  readonly spec: { readonly instances: readonly Place[] };
}

const sliceOrders = resourceOf<SliceOrder>('sliceorders.v1.test.inlay.dev', 'SliceOrder', 'cluster');
const claimTemplates = resourceOf('claimtemplates.v1.test.inlay.dev', 'ClaimTemplate', 'namespaced');

/** As the device plugin, and with a claim that needs an object of its own, as DRA does. */
const claims: Allocation = {
  ...devicePlugin,
  name: 'claims',
  requestOf(type) {
    const { name, namespace, profile } = type;
    const object = { kind: claimTemplates.kind, metadata: { name, namespace }, spec: { profile } };
    return {
      ...devicePlugin.requestOf(type),
      resourceClaims: [{ name: 'slice', resourceClaimTemplateName: name }],
      objects: [{ resource: claimTemplates, object }],
    };
  },
};

/** Creates and deletes single instances beside pods that run: an agent on each node does what a SliceOrder says. */
export const sliceAgent: Backend = {
  name: 'slice-agent',
  costModel: 'instance',
  executor: 'operator',
  allocation: claims,
  kinds: [sliceOrders, claimTemplates],
  configMapsOf: () => [],
  readLayouts: () => undefined,
  isChanging: () => false,
  isDone: isCutAndOffered,
  begin: ({ view }) => ({
    work({ nodes, progress, pods, isOpen }) {
      const writes: Write[] = [];
      const running = new Map<string, string>();
      const closedSlices = new Set<string>();
      for (const [name, planNode] of nodes) {
        const steps = listOpenSteps(planNode, progress);
        for (const step of steps) {
          running.set(step.id, 'the agent');
          for (const profile of profilesThatGo(step, planNode)) closedSlices.add(`${name} ${profile}`);
        }
        if (steps.length === 0 || !isOpen(planNode.pool)) continue;
        const spec = { instances: planNode.node.gpus.flatMap((gpu) => orderOf(gpu, steps, planNode, pods)) };
        const order = (view.more.get(sliceOrders.kind) ?? []).find(({ metadata }) => metadata.name === name) as SliceOrder | undefined;
        if (JSON.stringify(order?.spec) === JSON.stringify(spec)) continue;
        const object = { kind: sliceOrders.kind, metadata: { name }, spec };
        writes.push({ kind: 'apply', resource: sliceOrders, where: { name }, object, why: 'its GPUs are to be cut anew' });
      }
      const none = { drain: new Set<string>(), closed: new Set<string>(), unclosed: new Set<string>(), failures: [] };
      return { ...none, writes, running, closedSlices, againInMs: Number.POSITIVE_INFINITY, commit() {} };
    },
    shared: () => [],
  }),
};

function profilesThatGo(step: LayoutStep, { node }: PlanNode): readonly string[] {
  if (step.kind === 'create-instance') return [];
  if (step.kind === 'delete-instance') return [step.profile];
  return node.gpus.find(({ id }) => id === step.gpu)?.instances.map(({ profile }) => profile) ?? [];
}

/** What a GPU shall hold: what it holds, without what is to go and idle, with what is to come. */
function orderOf(gpu: ObservedGpu, steps: readonly LayoutStep[], { node }: PlanNode, pods: Pods): readonly Place[] {
  const own = steps.filter((step) => step.gpu === gpu.id);
  const wipe = own.find((step) => step.kind === 'wipe-gpu');
  const place = ({ profile, start }: { readonly profile: string; readonly start: number }) => ({ gpu: gpu.index, profile, start });
  if (wipe !== undefined) return isIdle(gpu.id, node, pods) ? wipe.layout.map(place) : gpu.instances.map(place);
  // A pod that was only just sent to the node may get any instance of its size.
  const isAwaited = ({ profile }: ObservedInstance) =>
    pods.placed.some((pod) => pod.node === node.name && pod.profile === profile && !pod.seen);
  const goes = (one: ObservedInstance) =>
    one.pod === undefined &&
    !isAwaited(one) &&
    own.some((step) => step.kind === 'delete-instance' && step.profile === one.profile && step.start === one.start);
  const kept = gpu.instances.filter((one) => !goes(one)).map(place);
  return [...kept, ...own.flatMap((step) => (step.kind === 'create-instance' ? [place(step)] : []))];
}

/** A cluster whose nodes have such an agent, MIG on; one instance comes or goes at a time. */
export class SlicedCluster extends SimulatedCluster {
  /** Instances made or removed on a GPU while a pod ran beside them. */
  besides = 0;

  protected override moreMoves(): (() => void)[] {
    const { nodeStates, more } = this.view();
    return nodeStates.flatMap((state) => {
      const order = more.get(sliceOrders.kind)?.find(({ metadata }) => metadata.name === state.metadata.name) as SliceOrder | undefined;
      return order === undefined ? [] : this.#movesOf(state, order.spec.instances);
    });
  }

  #movesOf(state: NodeState, wanted: readonly Place[]): (() => void)[] {
    return state.spec.gpus.flatMap(({ index, product, instances }) => {
      const own = wanted.filter(({ gpu }) => gpu === index);
      const isSame = (one: Pick<Place, 'profile' | 'start'>, other: Pick<Place, 'profile' | 'start'>) =>
        one.profile === other.profile && one.start === other.start;
      const surplus = instances.filter((one) => !own.some((place) => isSame(one, place)));
      // The driver refuses to take an instance from a program that uses it.
      if (surplus.some(({ pod }) => pod !== undefined)) this.disturbed = true;
      const missing = own.filter((place) => !instances.some((one) => isSame(one, place)));
      const room = missing.filter((place) => instances.every((one) => !overlap(product, place, one)));
      const change = (mend: (gpu: Json) => void) => () => {
        if (instances.some(({ pod }) => pod !== undefined)) this.besides++;
        this.update(state, (draft) => mend(draft.spec.gpus.find((gpu: Json) => gpu.index === index)));
      };
      return [
        ...surplus.flatMap((one) =>
          one.pod === undefined
            ? [
                change((gpu) => {
                  gpu.instances = gpu.instances.filter(({ uuid }: Json) => uuid !== one.uuid);
                }),
              ]
            : [],
        ),
        ...room.map(({ profile, start }) =>
          change((gpu) => {
            gpu.migEnabled = true;
            gpu.instances.push({ profile, start, uuid: `MIG-${this.version}-${state.metadata.name}-${index}-${start}` });
          }),
        ),
      ];
    });
  }
}

function overlap(product: string, one: Pick<Place, 'profile' | 'start'>, other: Pick<Place, 'profile' | 'start'>): boolean {
  const end = ({ profile, start }: Pick<Place, 'profile' | 'start'>): number => {
    const model = findGpuModel(builtInCatalogue, product);
    const found = model.kind === 'found' ? findProfile(model.model, profile) : undefined;
    return start + (found?.kind === 'found' ? found.profile.memorySlices : 0);
  };
  return one.start < end(other) && other.start < end(one);
}
