import type { Condition } from '../client/object-types.js';
import { labels } from '../objects/names.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { readOwnPod } from './own-pods.js';
import type { ReadWorkload } from './read-workloads.js';

/** An object that the API server does not let the operator write as it should be. */
export interface Refusal {
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** InferenceWorkload that the object belongs to; absent for those that belong to none, and for pods. */
  readonly workload?: string;
  /** As the server says it. */
  readonly message: string;
}

/** Time that the scheduler has before a pod that it finds no node for is told about, ms: devices come back late after a change. */
const patienceMs = 60_000;
const most = 5;

/**
 * Why pods of a workload do not come to be, in sentences: objects that the API server refuses, Deployments that may not make pods
 * (quota, service account, priority class), and pods that fit on no node although they have a slot.
 */
export function listTroubles(
  { deployments, pods }: Pick<ClusterView, 'deployments' | 'pods'>,
  { namespace, name }: Pick<ReadWorkload, 'namespace' | 'name'>,
  refusals: readonly Refusal[],
  nowMs: number,
): readonly string[] {
  const isOwn = ({ metadata }: (typeof pods)[number] | (typeof deployments)[number]) =>
    metadata.namespace === namespace && metadata.labels?.[labels.workload] === name;
  const [ownPods, ownDeployments] = [pods.filter(isOwn), deployments.filter(isOwn)];
  const podNames = new Set(ownPods.map(({ metadata }) => metadata.name));
  const concerns = (one: Refusal): boolean => {
    if (one.kind === 'Pod') return one.namespace === namespace && podNames.has(one.name);
    // What belongs to nobody is needed by all: plans, configurations, nodes.
    return one.workload === undefined || (one.namespace === namespace && one.workload === name);
  };
  const refused = refusals.filter(concerns).map((one) => `The API server refuses ${one.kind} ${one.name}: ${one.message}`);
  const failed = ownDeployments.flatMap(({ metadata, status }) => {
    const message = find(status?.conditions, 'ReplicaFailure', 'True')?.message;
    return message === undefined ? [] : [`Deployment ${metadata.name} can make no pods: ${message}`];
  });
  const homeless = ownPods.flatMap((pod) => {
    const condition = find(pod.status?.conditions, 'PodScheduled', 'False');
    if (condition?.reason !== 'Unschedulable' || readOwnPod(pod)?.node === undefined || pod.metadata.deletionTimestamp !== undefined)
      return [];
    if (nowMs - (Date.parse(condition.lastTransitionTime ?? '') || 0) < patienceMs) return [];
    return [`Pod ${pod.metadata.name} fits on no node: ${condition.message ?? ''}`];
  });
  const all = [...refused, ...failed, ...homeless].map((text) => text.replace(/\.?$/, '.'));
  return all.length > most ? [...all.slice(0, most), `And ${all.length - most} more.`] : all;
}

function find(conditions: readonly Condition[] | undefined, type: string, status: Condition['status']): Condition | undefined {
  return conditions?.find((one) => one.type === type && one.status === status);
}
