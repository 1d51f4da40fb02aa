import type { StateDocument } from '../demand/documents/state.js';
import type { TransitionDocument, TransitionStep } from '../demand/documents/transition.js';
import { listCapacities } from '../formats/svg/capacity-timeline.js';
import { formatTime } from '../formats/svg/time-axis.js';
import { boundTable } from './bound-table.js';
import { formatCount, formatNumber } from './format-number.js';
import { type Column, formatTable } from './text-table.js';

/** Most lines of a table; what is left out is counted. */
const mostLines = 40;

/** A transition for people: what changes and in what time, what is proven, the steps, and each service's lowest capacity. */
export function summarizeTransition(state: StateDocument, transition: TransitionDocument): string {
  const head = describeChange(state, transition);
  if (transition.steps.length === 0) return `${head}\n`;
  return [`${head}\n`, boundTable(transition.bounds), stepTable(transition.steps), capacityTable(state, transition)]
    .filter((part) => part !== '')
    .join('\n');
}

function describeChange(
  state: StateDocument,
  { metadata, target, counts, makespanS, peakGpus, maxExtraGpus, steps, backend, floor }: TransitionDocument,
): string {
  if (steps.length === 0) return `${metadata.name}: nothing changes; what runs already is the target.`;
  const used = (gpus: StateDocument['gpus']) =>
    gpus.filter((gpu) => gpu.reserved !== true && gpu.instances.some(({ reserved }) => reserved !== true)).length;
  const wipes = counts.wipes > 0 ? `, ${formatCount(counts.wipes, 'GPU')} wiped` : '';
  return [
    `${metadata.name}: ${used(state.gpus)} → ${formatCount(used(target.gpus), 'GPU')} in ${formatTime(makespanS)} (expected), backend ${backend}, floor ${floor}`,
    `pods: ${counts.kept} kept, ${formatCount(counts.podStarts, 'start')}: ${counts.moves} moved, ${counts.restartsInPlace} restarted in place, ${counts.temporaryPods} temporary`,
    `GPUs: at most ${peakGpus} at a time (${maxExtraGpus} extra allowed), ${counts.gpusTouched} touched, ${formatCount(counts.instanceCreations, 'instance')} created, ${counts.instanceDeletions} deleted${wipes}`,
  ].join('\n');
}

const stepColumns: readonly Column[] = [
  { title: 'start s', align: 'right' },
  { title: 'end s', align: 'right' },
  { title: 'id' },
  { title: 'step' },
  { title: 'GPU' },
  { title: 'what' },
  { title: 'after' },
];

function stepTable(steps: readonly TransitionStep[]): string {
  const rows = steps.slice(0, mostLines).map((step) => {
    const after = step.after.length > 4 ? `${step.after.slice(0, 4).join(' ')} and ${step.after.length - 4} more` : step.after.join(' ');
    return [formatNumber(step.startS), formatNumber(step.endS), step.id, step.kind, step.gpu, describeStep(step), after];
  });
  const rest = steps.length - rows.length;
  return `${formatTable(stepColumns, rows)}${rest > 0 ? `  … and ${formatCount(rest, 'more step')} (all of them with -o or --json)\n` : ''}`;
}

function describeStep(step: TransitionStep): string {
  if (step.kind === 'wipe-gpu') return step.layout.map(({ profile, start }) => `${profile}@${start}`).join(' ') || 'release';
  const place = `${step.profile}@${step.start}`;
  return 'service' in step ? `${place} ${step.service} ${step.batch}×${step.processes}` : place;
}

const capacityColumns: readonly Column[] = [
  { title: 'service' },
  { title: 'old rps', align: 'right' },
  { title: 'new rps', align: 'right' },
  { title: 'floor rps', align: 'right' },
  { title: 'lowest ready rps', align: 'right' },
];

function capacityTable(state: StateDocument, transition: TransitionDocument): string {
  const lines = listCapacities(state, transition);
  const rows = lines
    .slice(0, mostLines)
    .map(({ service, oldRateRps, newRateRps, floorRps, points }) => [
      service,
      ...[oldRateRps, newRateRps, floorRps, points.reduce((lowest, { rps }) => Math.min(lowest, rps), Number.POSITIVE_INFINITY)].map(
        formatNumber,
      ),
    ]);
  if (rows.length === 0) return '';
  const rest = lines.length - rows.length;
  return `${formatTable(capacityColumns, rows)}${rest > 0 ? `  … and ${formatCount(rest, 'more service')}\n` : ''}`;
}
