import { createSeededRandom, type SeededRandom } from '../../demand/seeded-random.js';
import { readConfigs } from '../backends/mig-manager/config-map.js';
import type { Condition, Deployment, Node, Pod } from '../client/object-types.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import { annotations, labels, nvidia } from '../objects/names.js';
import type { NodeState } from '../objects/node-state.js';
import { a100, byWorth, isOf, isSelected, type NodeKind, offer, placeInstances, resourceOf } from './simulated-objects.fixture.js';
import { isReady, type Json, SimulatedStore } from './simulated-store.fixture.js';

/** Whether a node's next change of layout works. */
export type LayoutFault = 'works' | 'fails' | 'hangs' | 'no-instances';

/** What may be asked of the simulated cluster. */
export interface SimulationOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly gpusPerNode: number;
  /** Values of the label `pool` and products; the nodes take them in turn. Default: pool a100 of A100 80 GB. */
  readonly kinds?: readonly NodeKind[];
  /** Pods of this image run and are never ready. */
  readonly neverReady?: string;
  /** Told before each change of layout. */
  readonly faultOf?: (node: string, change: number) => LayoutFault;
}

/**
 * A cluster in memory that behaves as a real one as far as decisions can tell: controllers that each make one small move at a
 * time, in an order that chance decides.
 */
export class SimulatedCluster extends SimulatedStore {
  readonly #options: SimulationOptions;
  readonly #random: SeededRandom;
  readonly #changes = new Map<string, number>();
  /** Whether a GPU in use was ever told to change. */
  disturbed = false;

  constructor(options: SimulationOptions) {
    super();
    this.#options = options;
    this.#random = createSeededRandom(options.seed);
    const kinds = options.kinds ?? [a100];
    for (let n = 0; n < options.nodes; n++) this.#addNode(`node-${n}`, options.gpusPerNode, kinds[n % kinds.length] as NodeKind);
  }

  /** A copy that goes its own way from here, with other chances. */
  fork(seed: number): SimulatedCluster {
    const copy = new SimulatedCluster({ ...this.#options, seed, nodes: 0 });
    for (const [key, object] of this.objects) copy.objects.set(key, structuredClone(object));
    copy.version = this.version;
    copy.nowMs = this.nowMs;
    for (const [node, count] of this.#changes) copy.#changes.set(node, count);
    return copy;
  }

  setRates(name: string, rates: Readonly<Record<string, number>>): void {
    const workload = this.view().workloads.find((one) => one.metadata.name === name) as InferenceWorkload;
    const services = workload.spec.services.map((service) => ({ ...service, rateRps: rates[service.name] ?? service.rateRps }));
    this.put({ ...workload, spec: { ...workload.spec, services } } as InferenceWorkload);
  }

  /** One move of one controller, chosen by chance; false when none has anything to do. */
  step(): boolean {
    const moves = [...this.#deploymentMoves(), ...this.#podMoves(), ...this.#nodeMoves(), ...this.moreMoves()];
    const move = moves[this.#random.below(moves.length)];
    move?.();
    return move !== undefined;
  }

  /** Moves of controllers that a test adds. */
  protected moreMoves(): (() => void)[] {
    return [];
  }

  /** Removes a pod or a node as something outside would. */
  drop(kind: string, name: string, namespace?: string): void {
    this.objects.delete(this.key(kind, { name, ...(namespace !== undefined && { namespace }) }));
    if (kind !== 'Node') return;
    this.objects.delete(this.key('NodeState', { name }));
    for (const pod of this.view().pods) if (pod.spec.nodeName === name) this.#removePod(pod);
  }

  #addNode(name: string, gpus: number, { pool, product }: NodeKind): void {
    this.put({
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/hostname': name,
          pool,
          [nvidia.product]: product.replaceAll(' ', '-'),
          [nvidia.count]: String(gpus),
          [nvidia.migStrategy]: 'mixed',
          [nvidia.migState]: 'success',
        },
      },
      status: { allocatable: { [nvidia.gpuResource]: String(gpus) }, conditions: [{ type: 'Ready', status: 'True' }] },
    } as Node);
    this.put({
      kind: 'NodeState',
      metadata: { name },
      spec: {
        gpus: Array.from({ length: gpus }, (_, index) => ({
          index,
          uuid: `GPU-${name}-${index}`,
          product,
          migEnabled: false,
          instances: [],
        })),
      },
    } as NodeState);
  }

  /** One pod more or less at a time; of a changed template one new pod more than wanted, old ones go as new ones get ready. */
  #deploymentMoves(): (() => void)[] {
    const { deployments, pods } = this.view();
    return deployments.flatMap((deployment): (() => void)[] => {
      const own = pods.filter(
        (pod) => isOf(deployment, pod) && pod.metadata.deletionTimestamp === undefined && pod.status?.phase !== 'Failed',
      );
      const template = deployment.spec.template.metadata?.labels?.[annotations.content];
      const old = own.filter(({ metadata }) => metadata.labels?.[annotations.content] !== template);
      const wanted = deployment.spec.replicas ?? 1;
      const most = wanted + Number(old.length > 0);
      if (own.length < most && own.length - old.length < wanted) return [() => this.#createPod(deployment)];
      const [victim] = (old.length > 0 ? old : own).toSorted(byWorth);
      const spare = old.length > 0 ? own.filter(isReady).length > wanted || own.length > most : own.length > wanted;
      return spare && victim !== undefined ? [() => this.#endPod(victim)] : [];
    });
  }

  #createPod({ metadata: { name, namespace = '' }, spec: { template } }: Deployment): void {
    const metadata = {
      ...template.metadata,
      name: `${name}-${this.version}`,
      namespace,
      creationTimestamp: new Date(this.nowMs).toISOString(),
    };
    this.put(structuredClone({ kind: 'Pod', metadata, spec: template.spec, status: { phase: 'Pending' } }) as Pod);
  }

  #endPod(pod: Pod): void {
    this.update(pod, (draft) => {
      draft.metadata.deletionTimestamp = new Date(this.nowMs).toISOString();
    });
  }

  #podMoves(): (() => void)[] {
    const { pods, nodes } = this.view();
    return pods.flatMap((pod) => {
      if (pod.metadata.deletionTimestamp !== undefined) return [() => this.#removePod(pod)];
      if ((pod.spec.schedulingGates ?? []).length > 0 || pod.status?.phase === 'Failed') return [];
      if (pod.spec.nodeName === undefined) {
        const fitting = nodes.filter((node) => isSelected(pod, node) && node.spec?.unschedulable !== true && this.#fits(pod, node));
        if (fitting.length === 0) return [];
        return [
          () =>
            this.update(pod, (draft) => {
              draft.spec.nodeName = fitting[fitting.length > 1 ? this.#random.below(fitting.length) : 0]?.metadata.name;
            }),
        ];
      }
      if (pod.status?.phase === 'Pending') return [() => this.#admit(pod)];
      const admitted = (pod.spec.readinessGates ?? []).every(({ conditionType }) =>
        pod.status?.conditions?.some((one) => one.type === conditionType && one.status === 'True'),
      );
      const isBroken = pod.spec.containers[0]?.image === this.#options.neverReady;
      if (!admitted || isReady(pod) || isBroken) return [];
      return [
        () =>
          this.update(pod, (draft) => {
            const others = draft.status.conditions.filter(({ type }: Condition) => type !== 'Ready');
            draft.status.conditions = [...others, { type: 'Ready', status: 'True' }];
          }),
      ];
    });
  }

  #fits(pod: Pod, node: Node): boolean {
    const resource = resourceOf(pod);
    const used = this.view().pods.filter(
      (one) => one.spec.nodeName === node.metadata.name && resourceOf(one) === resource && one.status?.phase !== 'Failed',
    ).length;
    return used < Number(node.status?.allocatable?.[resource] ?? 0);
  }

  /** The device plugin gives any free instance of the node. */
  #admit(pod: Pod): void {
    const state = this.view().nodeStates.find(({ metadata }) => metadata.name === pod.spec.nodeName);
    const profile = (pod.metadata.labels?.[labels.profile] ?? '').replace(/(gb)\./, '$1+');
    const free = (state?.spec.gpus ?? []).flatMap((gpu) =>
      gpu.instances.flatMap((one) => (one.profile === profile && one.pod === undefined ? [one.uuid] : [])),
    );
    const chosen = free[this.#random.below(free.length)];
    if (state === undefined || chosen === undefined) {
      this.update(pod, (draft) => {
        draft.status = { ...draft.status, phase: 'Failed', reason: 'UnexpectedAdmissionError' };
      });
      return;
    }
    const { namespace = '', name } = pod.metadata;
    this.update(state, (draft) => {
      for (const gpu of draft.spec.gpus) for (const one of gpu.instances) if (one.uuid === chosen) one.pod = { namespace, name };
    });
    this.update(pod, (draft) => {
      draft.status = { ...draft.status, phase: 'Running', conditions: draft.status?.conditions ?? [] };
    });
  }

  #removePod(pod: Pod): void {
    const { namespace, name } = pod.metadata;
    this.objects.delete(this.key('Pod', { name, ...(namespace !== undefined && { namespace }) }));
    for (const state of this.view().nodeStates) {
      if (!state.spec.gpus.some((gpu) => gpu.instances.some((one) => one.pod?.name === name))) continue;
      this.update(state, (draft) => {
        for (const gpu of draft.spec.gpus)
          for (const one of gpu.instances) if (one.pod?.name === name && one.pod?.namespace === namespace) delete one.pod;
      });
    }
  }

  /** mig-manager in three moves: pending, cut, success; then the kubelet offers what is there. */
  #nodeMoves(): (() => void)[] {
    const { nodes, nodeStates } = this.view();
    return nodes.flatMap((node) => {
      const own = node.metadata.labels ?? {};
      const notes = node.metadata.annotations ?? {};
      const state = nodeStates.find(({ metadata }) => metadata.name === node.metadata.name);
      const wanted = own[nvidia.migConfig];
      if (state === undefined) return [];
      if (wanted !== undefined && notes['sim/applied'] !== wanted) {
        if (notes['sim/begun'] !== wanted) {
          return [
            () =>
              this.update(node, (draft) => {
                draft.metadata.labels[nvidia.migState] = 'pending';
                draft.metadata.annotations = { ...draft.metadata.annotations, 'sim/begun': wanted };
              }),
          ];
        }
        return [() => this.#cut(node, state, wanted)];
      }
      const offered = offer(state);
      if (JSON.stringify(node.status?.allocatable) === JSON.stringify(offered)) return [];
      return [
        () =>
          this.update(node, (draft) => {
            draft.status.allocatable = offered;
          }),
      ];
    });
  }

  #cut(node: Node, state: NodeState, wanted: string): void {
    const { name } = node.metadata;
    const change = this.#changes.get(name) ?? 0;
    this.#changes.set(name, change + 1);
    const fault = this.#options.faultOf?.(name, change) ?? 'works';
    const finish = (result: string) =>
      this.update(node, (draft) => {
        draft.metadata.labels[nvidia.migState] = result;
        draft.metadata.annotations = { ...draft.metadata.annotations, 'sim/applied': wanted };
      });
    const map = this.view().configMaps.find(({ metadata }) => metadata.name === 'inlay-mig-config');
    const entries = readConfigs(map)[wanted];
    if (fault === 'hangs') {
      this.update(node, (draft) => {
        draft.metadata.annotations = { ...draft.metadata.annotations, 'sim/applied': wanted };
      });
      return;
    }
    if (fault === 'fails' || entries === undefined) {
      finish('failed');
      return;
    }
    let broken = false;
    this.update(state, (draft) => {
      for (const gpu of draft.spec.gpus) {
        const entry = entries.find(({ devices }) => devices === 'all' || devices.includes(gpu.index));
        const counts = entry?.['mig-devices'] ?? {};
        const names = Object.entries(counts)
          .flatMap(([profile, count]) => Array.from({ length: count }, () => profile))
          .sort();
        const has = gpu.instances.map((one: Json) => one.profile).sort();
        if (gpu.migEnabled === entry?.['mig-enabled'] && has.join() === names.join()) continue;
        if (gpu.instances.some((one: Json) => one.pod !== undefined)) {
          broken = true;
          return;
        }
        gpu.migEnabled = entry?.['mig-enabled'] === true;
        if (fault === 'no-instances') gpu.instances = [];
        else gpu.instances = placeInstances(gpu.product, names, `MIG-${this.version}-${name}-${gpu.index}`);
      }
    });
    finish(broken ? 'failed' : 'success');
    this.disturbed ||= broken;
  }
}
