import { describe, expect, it } from 'vitest';
import { type DrawnLatencies, drawLatencies } from './draw-latencies.js';

/** Latencies of 1, 2 and 4 ms; bin numbers are the upper half of a 32-bit float. */
const drawn = (parts: Partial<DrawnLatencies> = {}): DrawnLatencies => {
  const bins = new Float64Array(257);
  bins[0] = 900;
  bins[128] = 99;
  bins[256] = 1;
  return { name: 'search', limitMs: 3, percentile: 99, counts: { from: 0x3f80, bins, count: 1000 }, ...parts };
};

describe('drawLatencies', () => {
  it('draws a panel a service, with its limit and a curve that falls', () => {
    const svg = drawLatencies('media', [drawn(), drawn({ name: 'tags', limitMs: 40 })]);
    expect(svg.match(/<path d="M/g)).toHaveLength(2);
    expect(svg).toContain('limit 3 ms');
    expect(svg).toContain('limit 40 ms');
    const heights = [...(/<path d="([^"]*)"/.exec(svg)?.[1] ?? '').matchAll(/[ML][\d.]+ ([\d.]+)/g)].map((match) => Number(match[1]));
    expect(heights).toEqual(heights.toSorted((a, b) => a - b));
    expect(heights.every(Number.isFinite)).toBe(true);
  });

  it('gives equal input equal bytes, escapes names, and says when there is nothing to draw', () => {
    expect(drawLatencies('a', [drawn()])).toBe(drawLatencies('a', [drawn()]));
    expect(drawLatencies('<b>', [drawn({ name: '"&' })])).not.toMatch(/<b>/);
    expect(drawLatencies('a', [])).toContain('No service was simulated.');
  });
});
