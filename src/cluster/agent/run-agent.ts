import { InlayError } from '../../errors.js';
import type { KubernetesApi } from '../client/kubernetes-api.js';
import { pause } from '../client/pause.js';
import { nodes } from '../client/resources.js';
import { nodeStates } from '../objects/kinds.js';
import { groupVersion } from '../objects/names.js';
import type { NodeState, NodeStateSpec } from '../objects/node-state.js';
import { describeNode } from './describe-node.js';
import type { ContainerDevices } from './pod-resources.js';
import { readNvidiaSmi } from './read-nvidia-smi.js';

/** Where the agent learns what there is on its node; read-only. */
export interface NodeSources {
  /** Runs nvidia-smi with these arguments and gives what it prints. */
  nvidiaSmi(...args: readonly string[]): Promise<string>;
  podResources(): Promise<readonly ContainerDevices[]>;
}

export interface AgentOptions {
  readonly api: KubernetesApi;
  readonly nodeName: string;
  readonly sources: NodeSources;
  /** Between two looks at the node, milliseconds. */
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly log: (level: 'info' | 'error', message: string, details?: Readonly<Record<string, unknown>>) => void;
}

/** An unchanged report is written again after so long, so that an edited or deleted one comes back. Milliseconds. */
const refreshMs = 5 * 60_000;
const fieldManager = 'inlay-agent';

/** What is on the node now. Throws InlayError when the driver or the kubelet cannot be read. */
export async function lookAtNode(sources: NodeSources): Promise<NodeStateSpec> {
  const query = await sources.nvidiaSmi('-q', '-x');
  const instances = await sources.nvidiaSmi('mig', '-lgi');
  const list = await sources.nvidiaSmi('-L');
  return describeNode(readNvidiaSmi({ query, instances, list }), await sources.podResources());
}

/** Publishes the state of the node whenever it changes, until the signal aborts. A failure is logged and tried again. */
export async function runAgent({ api, nodeName, sources, intervalMs, signal, log }: AgentOptions): Promise<void> {
  let published: { readonly text: string; readonly observedAt: string; readonly atMs: number } | undefined;
  while (!signal.aborted) {
    try {
      const spec = await lookAtNode(sources);
      const text = JSON.stringify(spec);
      const isNew = text !== published?.text;
      if (published === undefined || isNew || performance.now() - published.atMs >= refreshMs) {
        const observedAt = published === undefined || isNew ? new Date().toISOString() : published.observedAt;
        await publishNodeState(api, nodeName, { observedAt, ...spec });
        published = { text, observedAt, atMs: performance.now() };
        if (isNew) log('info', 'published', { node: nodeName, gpus: spec.gpus.length });
      }
    } catch (error) {
      const { code, received } = error instanceof InlayError ? (error.problems[0] ?? {}) : {};
      log('error', error instanceof Error ? error.message : String(error), { node: nodeName, code, received });
    }
    await pause(intervalMs, signal);
  }
}

/** Writes the report of a node. It belongs to the Node and goes with it. */
export async function publishNodeState(api: KubernetesApi, nodeName: string, spec: NodeStateSpec): Promise<NodeState> {
  const node = await api.get(nodes, { name: nodeName });
  const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node.metadata.uid ?? '' };
  const object = { apiVersion: groupVersion, kind: 'NodeState', metadata: { name: nodeName, ownerReferences: [owner] }, spec };
  return api.apply(nodeStates, object, { fieldManager, force: true });
}
