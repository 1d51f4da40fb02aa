import type { TransitionDocument } from '../../demand/documents/transition.js';
import { formatCount } from './format-quantity.js';
import type { Figure } from './plan-figures.js';
import { formatTime } from './time-axis.js';

/** The numbers a reader looks for first: how long, how many pods start, what is kept, how many GPUs. */
export function transitionFigures({ makespanS, counts, bounds, peakGpus }: TransitionDocument): readonly Figure[] {
  const limit = bounds.podStarts?.limit;
  const starts = limit === undefined ? 'pod starts' : `pod starts (proven: ${limit})`;
  return [
    { value: formatTime(makespanS), caption: 'expected' },
    { value: String(counts.podStarts), caption: starts },
    { value: String(counts.kept), caption: 'pods kept' },
    { value: String(counts.temporaryPods), caption: counts.temporaryPods === 1 ? 'temporary pod' : 'temporary pods' },
    { value: String(counts.gpusTouched), caption: counts.gpusTouched === 1 ? 'GPU touched' : 'GPUs touched' },
    { value: String(peakGpus), caption: peakGpus === 1 ? 'GPU at most' : 'GPUs at most' },
  ];
}

/** The same in one sentence, for those who hear the picture. */
export function describeTransition({ steps, makespanS, counts }: TransitionDocument): string {
  if (steps.length === 0) return 'Nothing changes.';
  const starts = `${formatCount(counts.podStarts, 'pod start')}, ${formatCount(counts.kept, 'pod')} kept`;
  return `${formatCount(steps.length, 'step')} in ${formatTime(makespanS)}: ${starts}.`;
}
