import { expect, test } from 'vitest';
import { recordIo } from './io.fixture.js';
import { createProgressLine } from './progress-line.js';

test('a terminal gets one line, ten times a second at most, that is gone when the work is done', () => {
  let nowMs = 0;
  const { io, finish } = recordIo({ isTty: true, columns: 20, now: () => nowMs });
  const line = createProgressLine(io, {});
  line.show('planning');
  nowMs = 50;
  line.show('too soon');
  nowMs = 1250;
  line.show('planning  bound 12.2  best 13');
  line.clear();
  expect(finish().stderr).toBe('\r\u001b[Kplanning  0.0 s\r\u001b[Kplanning  bound 12.\r\u001b[K');
});

test.each([
  { name: 'a pipe', isTty: false, quiet: false },
  { name: '--quiet', isTty: true, quiet: true },
])('$name gets no progress', ({ isTty, quiet }) => {
  const { io, finish } = recordIo({ isTty });
  const line = createProgressLine(io, { quiet });
  line.show('planning');
  line.clear();
  expect(finish().stderr).toBe('');
});
