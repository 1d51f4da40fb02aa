import { gunzipSync, gzipSync } from 'node:zlib';
import { type TransitionDocument, transitionSchema } from '../../demand/documents/transition.js';
import type { ConfigMap } from '../client/object-types.js';
import { managedBy } from '../objects/names.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import type { Memory } from './memory.js';

/** Above this a transition goes into ConfigMaps: etcd takes 1.5 MiB a request, and every watcher is sent the whole object. */
const largestInlineBytes = 256 * 1024;
/** Content of one ConfigMap; base64 makes a third more of it, and 1 MiB is the most. */
const chunkBytes = 512 * 1024;

/** Where the parts of large plans are kept. */
export const planNamespace = 'inlay-system';

/** A transition as it is stored: inside the plan, or in ConfigMaps that must exist before the plan does. */
export function storeTransition(
  transition: TransitionDocument,
  name: string,
): { readonly spec: Pick<SharingPlan['spec'], 'transition' | 'transitionRef'>; readonly parts: readonly ConfigMap[] } {
  const text = JSON.stringify(transition);
  if (text.length <= largestInlineBytes) return { spec: { transition }, parts: [] };
  const packed = gzipSync(text);
  const parts: ConfigMap[] = [];
  for (let at = 0; at < packed.length; at += chunkBytes) {
    parts.push({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: planNamespace, name: `${name}-${parts.length}`, labels: managedBy },
      binaryData: { data: packed.subarray(at, at + chunkBytes).toString('base64') },
    });
  }
  return { spec: { transitionRef: { namespace: planNamespace, name, chunks: parts.length } }, parts };
}

/** The transition of a plan; undefined when a part of it is missing or broken. */
export function loadTransition(
  { metadata, spec }: SharingPlan,
  maps: readonly ConfigMap[],
  memory: Memory,
): TransitionDocument | undefined {
  const { transition, transitionRef: ref } = spec;
  return memory.keep(
    `transition ${metadata.uid} ${spec.planId} ${ref === undefined ? '' : maps.filter((map) => map.metadata.namespace === ref.namespace && map.metadata.name.startsWith(`${ref.name}-`)).length}`,
    () => {
      if (ref === undefined) return read(transition);
      const parts: Buffer[] = [];
      for (let n = 0; n < ref.chunks; n++) {
        const map = maps.find((one) => one.metadata.namespace === ref.namespace && one.metadata.name === `${ref.name}-${n}`);
        const data = map?.binaryData?.['data'];
        if (data === undefined) return undefined;
        parts.push(Buffer.from(data, 'base64'));
      }
      try {
        return read(JSON.parse(gunzipSync(Buffer.concat(parts)).toString('utf8')));
      } catch {
        return undefined;
      }
    },
  );
}

function read(value: unknown): TransitionDocument | undefined {
  const parsed = transitionSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
