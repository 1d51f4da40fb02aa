import type { RoomChange } from '../transition/compare-room.js';
import { formatTable } from './text-table.js';

/** What a change makes room for, as a table: instances of one profile that could be added, if no others were. */
export function summarizeRoom(changes: readonly RoomChange[]): string {
  const right = (title: string) => ({ title, align: 'right' as const });
  const rows = changes.map(({ pool, profile, before, after }) => [pool, profile, String(before), String(after)]);
  return `\n${formatTable([{ title: 'pool' }, { title: 'room for' }, right('before'), right('after')], rows)}`;
}
