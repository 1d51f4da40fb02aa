import type { TransitionBounds } from '../demand/documents/transition.js';
import { formatNumber } from './format-number.js';
import { formatTable } from './text-table.js';

const aims: Readonly<Record<keyof TransitionBounds, string>> = {
  gpus: 'GPUs',
  cost: 'cost',
  podStarts: 'pod starts',
  instanceCreations: 'instances created',
  gpusTouched: 'GPUs touched',
  makespanS: 'seconds',
};

/** The aims in their order, each with what is achieved beside what is proven; empty where nothing is known. */
export function boundTable(bounds: TransitionBounds): string {
  const rows = Object.entries(bounds).flatMap(([name, bound]) => {
    if (bound === undefined) return [];
    const { achieved, limit, gap } = bound;
    const verdict = gap === 0 ? 'proven: no less is possible' : `at most ${formatNumber(gap)} above the least`;
    return [[aims[name as keyof TransitionBounds], formatNumber(achieved), formatNumber(limit), verdict]];
  });
  const right = (title: string) => ({ title, align: 'right' as const });
  return rows.length === 0 ? '' : formatTable([{ title: 'aim' }, right('target'), right('proven limit'), { title: '' }], rows);
}
