import { describe, expect, it } from 'vitest';
import { createArrivalSource, createMovingSource } from './arrival-source.js';

function draw(source: { fill(out: Float64Array): void }, count: number): Float64Array {
  const times = new Float64Array(count);
  source.fill(times);
  return times;
}

describe('arrivals', () => {
  it('come at the mean rate, in order', () => {
    for (const burstiness of [0, 0.5, 1, 2]) {
      const times = draw(createArrivalSource({ kind: 'renewal', burstiness }, 50, 3), 200_000);
      expect(200_000 / (times.at(-1) as number)).toBeCloseTo(0.05, 2.5);
      expect(times.every((time, i) => i === 0 || time >= (times[i - 1] as number))).toBe(true);
    }
  });

  it('keep their pattern when the rate changes: only the clock runs faster', () => {
    const slow = draw(createArrivalSource({ kind: 'renewal', burstiness: 2 }, 10, 3), 100);
    const fast = draw(createArrivalSource({ kind: 'renewal', burstiness: 2 }, 40, 3), 100);
    for (const [i, time] of fast.entries()) expect(4 * time).toBeCloseTo(slow[i] as number, 6);
  });

  it('follow a rate that moves, leave quiet steps empty, and start anew', () => {
    const source = createArrivalSource({ kind: 'rates', stepS: 10, rates: Float64Array.of(0.5, 0, 2.5), burstiness: 1 }, 1000, 7);
    expect(source.periodMs).toBe(30_000);
    const counts = new Array(6).fill(0);
    for (const time of draw(source, 80_000)) counts[Math.floor(time / 10_000)] += 1;
    expect([counts[0], counts[2], counts[3]].map((count) => Math.round(count / 1000))).toEqual([5, 25, 5]);
    expect([counts[1], counts[4]]).toEqual([0, 0]);
  });

  it('without scatter lay exactly the expected number into each step', () => {
    const source = createMovingSource(
      [
        { lengthMs: 100, rateRps: 100 },
        { lengthMs: 50, rateRps: 400 },
      ],
      0,
      1,
    );
    expect([...draw(source, 30)].filter((time) => time <= 100)).toHaveLength(10);
  });

  it('repeat recorded gaps, stretched to the rate', () => {
    const source = createArrivalSource({ kind: 'gaps', gaps: Float64Array.of(0.5, 1.5) }, 100, 1);
    expect([...draw(source, 4)]).toEqual([5, 20, 25, 40]);
    expect(source.periodMs).toBe(20);
  });
});
