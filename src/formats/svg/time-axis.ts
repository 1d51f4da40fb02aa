/** Whole, evenly spaced seconds from 0 to the end, at most about `most` of them. */
export function listTicks(endS: number, most: number): readonly number[] {
  const spacing = stepsS.find((stepS) => endS / stepS <= most) ?? endS;
  if (!(spacing > 0)) return [0];
  return Array.from({ length: Math.floor(endS / spacing) + 1 }, (_, index) => index * spacing);
}

const stepsS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 43_200, 86_400];

/** Seconds as people write them: `45 s`, `2 min`, `1 h 30 min`. */
export function formatTime(seconds: number): string {
  if (seconds < 120) return `${Number(seconds.toFixed(1))} s`;
  const minutes = Math.round(seconds / 6) / 10;
  if (minutes < 120) return `${minutes} min`;
  const whole = Math.round(minutes);
  return whole % 60 === 0 ? `${whole / 60} h` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}
