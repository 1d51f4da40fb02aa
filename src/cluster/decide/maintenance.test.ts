import { expect, it } from 'vitest';
import { aPool } from './demand.fixture.js';
import { isOpenAt } from './maintenance.js';

const window = { days: ['Sat' as const], start: '22:30', durationMinutes: 240 };
// 10 January 2026 is a Saturday.
const at = (day: number, time: string) => Date.parse(`2026-01-${String(day).padStart(2, '0')}T${time}:00Z`);

it('a pool without windows is always open', () => {
  expect(isOpenAt(aPool(), at(5, '12:00'))).toBe(true);
});

it.each([
  [10, '22:29', false],
  [10, '22:30', true],
  [11, '02:29', true],
  [11, '02:30', false],
  [9, '23:00', false],
  [17, '23:00', true],
])('a window over midnight, on day %d at %s: open is %s', (day, time, open) => {
  expect(isOpenAt(aPool({ maintenanceWindows: [window] }), at(day, time))).toBe(open);
});

it('a window of a week is open all week', () => {
  const always = { days: ['Mon' as const], start: '00:00', durationMinutes: 10_080 };
  for (let day = 5; day < 12; day++) expect(isOpenAt(aPool({ maintenanceWindows: [always] }), at(day, '13:37'))).toBe(true);
});
