import { type Problem, problem } from '../../../errors.js';
import type { Node } from '../../client/object-types.js';
import { nodes } from '../../client/resources.js';
import type { Write } from '../../decide/write.js';
import { annotations, cordonOwner, nvidia } from '../../objects/names.js';
import { configName, type MigManagerSettings, type NodeConfig } from './config-map.js';

/** A node that is to be cut anew. */
export interface NodeChange {
  readonly node: Node;
  readonly cordon: 'no' | 'own' | 'foreign';
  /** What every GPU of the node shall be, and what it is. */
  readonly wanted: NodeConfig;
  readonly current: NodeConfig;
  /** Whether nothing runs on the GPUs that are to change. */
  readonly idle: boolean;
  readonly settings: MigManagerSettings;
  /** Since when the ConfigMap holds this very config under the name, ms; undefined when it does not. */
  writtenAt(name: string, config: NodeConfig): number | undefined;
  readonly nowMs: number;
}

/** What to do next for a node that is not as wanted, and when to look again. */
export interface NodeStep {
  readonly writes: readonly Write[];
  /** Configs that the ConfigMap must hold. */
  readonly configs: Readonly<Record<string, NodeConfig>>;
  /** What the node waits for. */
  readonly waitsFor: string;
  /** ms from now; absent when only an event can help. */
  readonly againInMs?: number;
  /** Present when the change failed for good. */
  readonly failure?: Problem;
}

/**
 * The next step of a change by mig-manager: cordon, wait until idle, write the config, let it settle, set the label, wait.
 * A failed or overdue change is tried again under another name, because only a changed name is acted on; after the last try the
 * node gets its former layout back and the change is left until a person removes the mark of the failure.
 */
export function changeNode(change: NodeChange): NodeStep {
  const { node, wanted, current, settings, nowMs, cordon, idle } = change;
  const { labels = {}, annotations: notes = {} } = node.metadata;
  const base = configName(wanted);
  const hash = base.slice(base.lastIndexOf('-') + 1);
  const label = labels[nvidia.migConfig] ?? '';
  const state = labels[nvidia.migState];
  const alias = aliasOf(label, base);
  const tried = readAttempt(notes[annotations.attempt]);
  if (notes[annotations.failedConfig] === hash) return rolledBack(change);
  if (cordon === 'foreign') return { writes: [], configs: {}, waitsFor: 'the node to be uncordoned by whoever cordoned it' };
  if (cordon === 'no') return { writes: [cordonNode(node, base)], configs: {}, waitsFor: 'the cordon' };
  if (alias === undefined || tried === undefined) {
    if (!idle) return { writes: [], configs: {}, waitsFor: 'the pods on the GPUs to go' };
    const former = configName(current);
    // A label that has the wanted value already, from an earlier time, would not be acted on.
    const name = alias === undefined ? base : nameAlias(base, alias + 1);
    return setLabel(change, { name, former, number: 1, configs: { [name]: wanted, [former]: current } });
  }
  const former = notes[annotations.formerConfig] ?? '';
  const configs = { [label]: wanted };
  const waitedMs = nowMs - tried.atMs;
  if (state !== 'failed' && waitedMs < settings.timeoutMs) {
    return { writes: [], configs, waitsFor: `mig-manager (${state ?? 'not begun'})`, againInMs: settings.timeoutMs - waitedMs };
  }
  if (tried.number <= settings.retries) {
    const waitMs = settings.backoffMs * 2 ** (tried.number - 1) + (state === 'failed' ? 0 : settings.timeoutMs);
    if (waitedMs < waitMs) return { writes: [], configs, waitsFor: 'the next try', againInMs: waitMs - waitedMs };
    const name = nameAlias(base, alias + 1);
    return setLabel(change, { name, former, number: tried.number + 1, configs: { ...configs, [name]: wanted } });
  }
  const giveUp: Write = {
    kind: 'patch',
    resource: nodes,
    where: { name: node.metadata.name },
    body: {
      metadata: {
        labels: { ...(former !== '' && { [nvidia.migConfig]: former, [nvidia.migState]: null }) },
        annotations: { [annotations.failedConfig]: hash, [annotations.attempt]: `1 ${isoTime(nowMs)}` },
      },
    },
    event: 'LayoutRolledBack',
    why: `mig-manager failed ${tried.number} times: back to the former layout`,
  };
  return { writes: [giveUp], configs, waitsFor: 'the former layout', failure: describeFailure(change) };
}

/** Lifts the cordon and the marks of a change that is through. Nothing for a node that has none. */
export function releaseNode(node: Node, cordon: 'no' | 'own' | 'foreign'): readonly Write[] {
  const { annotations: notes = {} } = node.metadata;
  const marks = [annotations.attempt, annotations.formerConfig, annotations.cordonedBy].filter((key) => notes[key] !== undefined);
  if (cordon !== 'own' && marks.length === 0) return [];
  return [
    {
      kind: 'patch',
      resource: nodes,
      where: { name: node.metadata.name },
      body: {
        metadata: { annotations: Object.fromEntries(marks.map((key) => [key, null])) },
        ...(cordon === 'own' && { spec: { unschedulable: null } }),
      },
      event: 'NodeReleased',
      why: 'the GPUs are cut as wanted and offered',
    },
  ];
}

/** The write that closes a node to new pods and says whose cordon it is. */
export function cordonNode(node: Node, what: string): Write {
  return {
    kind: 'patch',
    resource: nodes,
    where: { name: node.metadata.name },
    body: { metadata: { annotations: { [annotations.cordonedBy]: cordonOwner } }, spec: { unschedulable: true } },
    event: 'NodeCordoned',
    why: `its GPUs are to be cut anew (${what})`,
  };
}

/** After the last try: waits for the former layout, then opens the node again. */
function rolledBack(change: NodeChange): NodeStep {
  const { node, cordon, current, settings, nowMs } = change;
  const { labels = {}, annotations: notes = {} } = node.metadata;
  const former = notes[annotations.formerConfig] ?? '';
  const failure = describeFailure(change);
  const isDone = labels[nvidia.migState] === 'success' || (labels[nvidia.migState] === 'failed' && configName(current) === former);
  const isBack = isDone || former === '' || labels[nvidia.migConfig] !== former;
  if (isBack) return { writes: releaseNode(node, cordon), configs: {}, waitsFor: 'a person', failure };
  const waitedMs = nowMs - (readAttempt(notes[annotations.attempt])?.atMs ?? nowMs);
  const again = waitedMs < settings.timeoutMs ? { againInMs: settings.timeoutMs - waitedMs } : {};
  return { writes: [], configs: {}, waitsFor: 'the former layout', ...again, failure };
}

interface LabelChange {
  readonly name: string;
  readonly former: string;
  /** Number of this try, from 1. */
  readonly number: number;
  readonly configs: Readonly<Record<string, NodeConfig>>;
}

function setLabel(change: NodeChange, { name, former, number, configs }: LabelChange): NodeStep {
  const { node, settings, nowMs, writtenAt } = change;
  const since = Object.entries(configs).map(([one, config]) => writtenAt(one, config));
  const missing = since.includes(undefined);
  if (missing) return { writes: [], configs, waitsFor: 'the config to be written' };
  const settled = Math.max(...since.map((at) => at ?? nowMs)) + settings.settleMs;
  if (nowMs < settled) return { writes: [], configs, waitsFor: 'the config to reach mig-manager', againInMs: settled - nowMs };
  const write: Write = {
    kind: 'patch',
    resource: nodes,
    where: { name: node.metadata.name },
    body: {
      metadata: {
        // The state of the change before this one must not be taken for an answer.
        labels: { [nvidia.migConfig]: name, [nvidia.migState]: null },
        annotations: {
          [annotations.attempt]: `${number} ${isoTime(nowMs)}`,
          [annotations.formerConfig]: former,
          [annotations.failedConfig]: null,
        },
      },
    },
    event: 'LayoutChanging',
    why: `cut ${countChanged(change)} GPUs anew, try ${number}`,
  };
  return { writes: [write], configs, waitsFor: 'mig-manager' };
}

function describeFailure({ node, settings }: NodeChange): Problem {
  const { name } = node.metadata;
  return problem('LAYOUT_CHANGE_FAILED', {
    message: `mig-manager could not cut the GPUs of node ${name} anew after ${settings.retries + 1} tries; the node has its former layout.`,
    path: `nodes/${name}`,
    hint: `Look at the log of nvidia-mig-manager on ${name}; then allow another try with: kubectl annotate node ${name} ${annotations.failedConfig}-`,
  });
}

const nameAlias = (base: string, alias: number): string => (alias === 0 ? base : `${base}-r${alias}`);

/** Which alias of a config a label names; undefined for another config. */
function aliasOf(label: string, base: string): number | undefined {
  if (label === base) return 0;
  const match = label.startsWith(base) ? /^-r(\d+)$/.exec(label.slice(base.length)) : null;
  return match === null ? undefined : Number(match[1]);
}

/** `2 2026-01-31T12:00:00.000Z`: number and time of the last try. */
export function readAttempt(text: string | undefined): { readonly number: number; readonly atMs: number } | undefined {
  const match = /^(\d+) (\S+)$/.exec(text ?? '');
  const atMs = Date.parse(match?.[2] ?? '');
  return match === null || Number.isNaN(atMs) ? undefined : { number: Number(match[1]), atMs };
}

function countChanged({ wanted, current }: NodeChange): number {
  return wanted.filter((counts, index) => JSON.stringify(counts ?? null) !== JSON.stringify(current[index] ?? null)).length;
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();
