import type { GpuDiff, PlacedPod, PodChange, StateDiff } from '../transition/diff/diff-state.js';
import { formatCount } from './format-number.js';
import { printable } from './printable.js';

/** GPUs told one by one on a terminal; the rest is counted. `--json` holds all of them. */
const mostGpus = 60;

/** A difference for people: node by node what changes on each GPU, then the sums. */
export function summarizeDiff({ gpus, pods }: StateDiff): string {
  const linesOf = describePods(pods);
  const blocks: string[] = [];
  let told = 0;
  for (const [node, own] of groupByNode(gpus)) {
    const changed = own.filter(({ kind }) => kind !== 'unchanged');
    const still = own.length - changed.length;
    const heading =
      changed.length === 0 ? `unchanged (${formatCount(own.length, 'GPU')})` : still > 0 ? `${formatCount(still, 'GPU')} unchanged` : '';
    const shown = changed.slice(0, Math.max(0, mostGpus - told));
    told += shown.length;
    blocks.push(
      [`${node}${heading === '' ? '' : `: ${heading}`}`, ...shown.flatMap((gpu) => describeGpu(gpu, linesOf.get(gpu.id) ?? []))].join('\n'),
    );
  }
  const hidden = gpus.filter(({ kind }) => kind !== 'unchanged').length - told;
  const more = hidden > 0 ? [`… and ${formatCount(hidden, 'more GPU')} that change (all of them with --json)`] : [];
  return `${[...blocks, ...more, '', summarize({ gpus, pods })].map(printableLines).join('\n')}\n`;
}

/** The sums in one sentence each for pods and GPUs. */
function summarize({ gpus, pods }: StateDiff): string {
  const count = (kind: PodChange['kind']) => pods.filter((change) => change.kind === kind).length;
  const gpuCount = (kind: GpuDiff['kind']) => gpus.filter((gpu) => gpu.kind === kind).length;
  const podParts = [
    `${count('kept')} kept`,
    `${count('restarted')} restarted in place`,
    `${count('moved')} moved`,
    `${count('started')} started`,
    `${count('stopped')} stopped`,
  ];
  const gpuParts = [
    `${gpuCount('unchanged')} unchanged`,
    `${gpuCount('changed')} changed`,
    `${gpuCount('added')} added`,
    `${gpuCount('freed')} freed`,
  ];
  return `Pods: ${podParts.join(', ')}.\nGPUs: ${gpuParts.join(', ')}.`;
}

function groupByNode(gpus: readonly GpuDiff[]): ReadonlyMap<string, readonly GpuDiff[]> {
  const nodes = new Map<string, GpuDiff[]>();
  for (const gpu of gpus) {
    const name = gpu.node !== undefined ? gpu.node : gpu.kind === 'added' ? 'new GPUs' : 'GPUs without a node';
    const own = nodes.get(name);
    if (own === undefined) nodes.set(name, [gpu]);
    else own.push(gpu);
  }
  return nodes;
}

function describeGpu({ id, kind, layoutBefore, layoutAfter }: GpuDiff, lines: readonly string[]): readonly string[] {
  const [before, after] = [layoutBefore, layoutAfter].map((layout) => layout.join(' '));
  const cut =
    kind === 'added' ? `new: ${after}` : kind === 'freed' ? `freed: ${before}` : before === after ? after : `${before} → ${after}`;
  return [`  ${id}  ${cut}`, ...lines.map((line) => `    ${line}`)];
}

/** Lines by GPU: what starts there, then what stops there. Kept pods are not told. */
function describePods(pods: readonly PodChange[]): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  const add = (gpu: string, line: string) => lines.set(gpu, [...(lines.get(gpu) ?? []), line]);
  for (const change of pods) {
    const { pod } = change;
    if (change.kind === 'restarted') add(pod.gpu, `~ ${describePod(pod)} restarted, was ${change.before.batch}×${change.before.processes}`);
    if (change.kind === 'started') add(pod.gpu, `+ ${describePod(pod)} started`);
    if (change.kind === 'moved') add(pod.gpu, `+ ${describePod(pod)} moved here from ${describePlace(change.before, pod)}`);
  }
  for (const change of pods) {
    if (change.kind === 'stopped') add(change.pod.gpu, `- ${describePod(change.pod)} stopped`);
    if (change.kind === 'moved')
      add(change.before.gpu, `- ${describePod(change.before)} moved to ${describePlace(change.pod, change.before)}`);
  }
  return lines;
}

function describePod({ service, profile, start, batch, processes }: PlacedPod): string {
  return `${service} ${profile}@${start} ${batch}×${processes}`;
}

/** Names the node only where it is another one. */
function describePlace({ node, gpu, profile, start }: PlacedPod, seenFrom: PlacedPod): string {
  const place = gpu === seenFrom.gpu ? '' : `${node === undefined || node === seenFrom.node ? '' : `${node} `}${gpu} `;
  return `${place}${profile}@${start}`;
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
