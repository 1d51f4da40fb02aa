import type { Conflict } from '../demand/conflict.js';
import { catalogue } from '../errors.js';
import type { Layout } from '../gpu/gpu-model.js';
import type { IllegalLayout } from '../gpu/placement-rules.js';
import { formatSlices, sliceMask, slicesOf } from '../gpu/slice-mask.js';
import { formatTable } from './text-table.js';

/** The instances of a layout as data: what the JSON documents of the layout commands hold. */
export function toInstances(layout: Layout): readonly { readonly profile: string; readonly start: number }[] {
  return layout.map(({ profile, start }) => ({ profile: profile.name, start }));
}

/** An illegal layout as a conflict, with the reason in the hardware's words. */
export function toConflict({ reason, hint }: IllegalLayout): Conflict {
  return { code: 'ILLEGAL_LAYOUT', message: reason, hint: hint ?? catalogue.ILLEGAL_LAYOUT.hint };
}

/** The instances of a layout as a table: where each sits and what it takes. */
export function formatInstances(layout: Layout): string {
  return formatTable(
    [
      { title: 'instance' },
      { title: 'memory slices' },
      { title: 'compute slices', align: 'right' },
      { title: 'usable memory', align: 'right' },
    ],
    layout.map(({ profile, start }) => [
      `${profile.name}@${start}`,
      formatSlices(slicesOf(sliceMask(profile, start))),
      `${profile.computeSlices}`,
      formatGiB(profile.memoryMiB.value),
    ]),
  );
}

/** MiB as GiB with two decimals at most: `9.5 GiB`. */
export function formatGiB(mib: number): string {
  return `${Number((mib / 1024).toFixed(2))} GiB`;
}
