import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { canonicalJson } from '../../demand/documents/canonical.js';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import type { ConfigMap } from '../client/object-types.js';
import { configMaps } from '../client/resources.js';
import { annotations, groupVersion, managedBy } from '../objects/names.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import type { ClusterView } from '../observe/cluster-view.js';
import type { WorkloadGroup } from './group-workloads.js';
import type { Memory } from './memory.js';
import { planNamespace } from './plan-storage.js';
import type { Write } from './write.js';

/** An object may have 1 MiB; labels and the like need little of it. */
const mostBytes = 1000 * 1024;

/** Whether a person carries out the plans of a group: its pools all say so, or none. */
export function isByHand({ pools }: WorkloadGroup): boolean {
  return pools.some(({ backend }) => backend?.executor === 'person');
}

/** Name of the ConfigMap with the files of a plan. */
export const filesName = ({ metadata: { name } }: SharingPlan): string => `${name}-files`;

/** The write that puts the files of a plan beside it; it goes away with the plan. Nothing while they are there as they should be. */
export function handOver(
  plan: SharingPlan,
  transition: TransitionDocument,
  group: WorkloadGroup,
  { view, catalogue, memory }: { readonly view: ClusterView; readonly catalogue: GpuCatalogue; readonly memory: Memory },
): Write[] {
  const workloads = group.workloads.map(({ object }) => object);
  const made = [
    ...workloads.map(({ metadata: { uid, generation } }) => [uid, generation]),
    ...group.pools.map(({ pool: { metadata }, names }) => [metadata.uid, metadata.generation, ...names]),
  ];
  const object = memory.keep(`files ${plan.metadata.uid} ${canonicalJson(made)}`, () => {
    const writers = new Set(group.pools.flatMap(({ backend }) => backend?.writeFiles ?? []));
    const facts = { plan, transition, workloads, pools: group.pools, catalogue };
    return writeFilesMap(plan, Object.assign({}, ...[...writers].map((write) => write(facts))));
  });
  const { name, namespace = '' } = object.metadata;
  const current = view.configMaps.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  if (current !== undefined && contentOf(current) === object.metadata.annotations?.[annotations.content]) return [];
  return [
    {
      kind: 'apply',
      resource: configMaps,
      where: { namespace, name },
      object,
      event: 'FilesWritten',
      why: 'a person carries the plan out',
    },
  ];
}

/** Files as they are, the largest compressed where they are too large together; what does not fit even then is named. */
export function writeFilesMap(plan: SharingPlan, files: Readonly<Record<string, string>>): ConfigMap {
  const { name, uid = '' } = plan.metadata;
  const data = new Map(Object.entries(files));
  const packed = new Map<string, string>();
  const left: string[] = [];
  const size = (text: string) => Buffer.byteLength(JSON.stringify(text));
  const total = () => [...data, ...packed].reduce((sum, [key, text]) => sum + key.length + size(text), 0);
  const leaveOut = (file: string) => {
    packed.delete(`${file}.gz`);
    const bytes = Buffer.byteLength(files[file] ?? '');
    left.push(`${file} is left out: its ${bytes} bytes do not fit into a ConfigMap. kubectl get splan ${name} -o yaml has the whole plan.`);
  };
  const bySize = [...data].sort(([, a], [, b]) => size(b) - size(a)).map(([file]) => file);
  for (const file of bySize) {
    if (total() <= mostBytes) break;
    data.delete(file);
    const text = gzipSync(files[file] ?? '').toString('base64');
    if (size(text) > mostBytes) leaveOut(file);
    else packed.set(`${file}.gz`, text);
  }
  for (const file of bySize) if (total() > mostBytes && packed.has(`${file}.gz`)) leaveOut(file);
  const unpack = [...packed.keys()].map(
    (file) =>
      `kubectl get configmap -n ${planNamespace} ${name}-files -o jsonpath='{.binaryData.${file.replaceAll('.', '\\.')}}' | base64 -d | gunzip > ${file.slice(0, -3)}`,
  );
  if (left.length + unpack.length > 0) data.set('read-me.txt', `${[...left, ...unpack].join('\n')}\n`);
  const content = {
    data: Object.fromEntries(data),
    ...(packed.size > 0 && { binaryData: Object.fromEntries(packed) }),
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: filesName(plan),
      namespace: planNamespace,
      labels: managedBy,
      annotations: { [annotations.content]: contentOf(content) },
      ownerReferences: [{ apiVersion: groupVersion, kind: 'SharingPlan', name, uid, controller: true }],
    },
    ...content,
  };
}

function contentOf({ data, binaryData }: Pick<ConfigMap, 'data' | 'binaryData'>): string {
  return createHash('sha256')
    .update(canonicalJson({ data: data ?? {}, binaryData: binaryData ?? {} }))
    .digest('hex')
    .slice(0, 12);
}
