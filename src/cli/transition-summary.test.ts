import { expect, it } from 'vitest';
import { smallState, smallTransition } from './commands/transition.fixture.js';
import { summarizeTransition } from './transition-summary.js';

it('says what changes, what is proven, in which steps, and how low each service gets', () => {
  const bounds = { podStarts: { achieved: 1, limit: 1, gap: 0 }, makespanS: { achieved: 36.7, limit: 31, gap: 5.7 } };
  expect(summarizeTransition(smallState, { ...smallTransition, bounds })).toMatchInlineSnapshot(`
    "move: 1 → 1 GPU in 36.7 s (expected), backend instance, floor raw
    pods: 0 kept, 1 start: 1 moved, 0 restarted in place, 0 temporary
    GPUs: at most 2 at a time (1 extra allowed), 2 touched, 1 instance created, 2 deleted

      aim         target  proven limit
      pod starts       1             1  proven: no less is possible
      seconds       36.7            31  at most 5.7 above the least, temporary pods elsewhere apart

      start s  end s  id  step             GPU  what              after
            0      1  c   create-instance  g1   1g.6gb@0
            0    0.7  d   delete-instance  g0   1g.6gb@2
            1     31  s   start-pod        g1   1g.6gb@0 api 4×1  c
           31     36  t   stop-pod         g0   1g.6gb@0 api 4×1  s
           36   36.7  e   delete-instance  g0   1g.6gb@0          t

      service  old rps  new rps  floor rps  lowest ready rps
      api           80       80         80               100
    "
  `);
});

it('says so when nothing changes', () => {
  const still = { ...smallTransition, steps: [], target: { services: smallState.services, gpus: smallState.gpus } };
  expect(summarizeTransition(smallState, still)).toBe('move: nothing changes; what runs already is the target.\n');
});
