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
    return [[aims[name as keyof TransitionBounds], formatNumber(achieved), formatNumber(limit), verdictOn(name, gap)]];
  });
  const right = (title: string) => ({ title, align: 'right' as const });
  return rows.length === 0 ? '' : formatTable([{ title: 'aim' }, right('target'), right('proven limit'), { title: '' }], rows);
}

/** The limit of the seconds is of the orders that are looked among, not of all: temporary pods may be of use in other free slices too. */
function verdictOn(aim: string, gap: number): string {
  const among = aim === 'makespanS' ? ', temporary pods elsewhere apart' : '';
  return gap === 0 ? `proven: no less is possible${among}` : `at most ${formatNumber(gap)} above the least${among}`;
}
