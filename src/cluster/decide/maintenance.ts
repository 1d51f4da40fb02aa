import type { GpuPool } from '../objects/gpu-pool.js';

const dayNames = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const dayMs = 86_400_000;

/** Whether a pool may be changed at a time (ms since 1970, UTC): always without windows, else inside one of them. */
export function isOpenAt({ spec: { maintenanceWindows } }: GpuPool, nowMs: number): boolean {
  if (maintenanceWindows === undefined || maintenanceWindows.length === 0) return true;
  return maintenanceWindows.some(({ days, start, durationMinutes }) => {
    const [hours = 0, minutes = 0] = start.split(':').map(Number);
    // A window may last into the next days.
    for (let back = 0; back <= Math.ceil(durationMinutes / 1440); back++) {
      const midnight = Math.floor(nowMs / dayMs) * dayMs - back * dayMs;
      const day = dayNames[new Date(midnight).getUTCDay()];
      const opens = midnight + (hours * 60 + minutes) * 60_000;
      if (day !== undefined && days.includes(day) && nowMs >= opens && nowMs < opens + durationMinutes * 60_000) return true;
    }
    return false;
  });
}
