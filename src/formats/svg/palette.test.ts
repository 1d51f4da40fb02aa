import { describe, expect, it } from 'vitest';
import { serviceColours, serviceLook, textureCount } from './palette.js';

type Rgb = readonly [number, number, number];

/** Linear-light parts of a colour, 0 to 1. */
function toLinear(colour: string): Rgb {
  const part = (at: number): number => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Full-severity matrices of Machado, Oliveira and Fernandes (2009). */
const sights = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;

/** OKLab coordinates, in which a distance of about 0.02 is just noticed. */
function toOklab(rgb: Rgb, sight: readonly number[]): Rgb {
  const multiply = (matrix: readonly number[], v: Rgb): Rgb =>
    [0, 3, 6].map((row) => v.reduce((sum, value, column) => sum + (matrix[row + column] as number) * value, 0)) as unknown as Rgb;
  const seen = multiply(sight, rgb).map((value) => Math.min(1, Math.max(0, value))) as unknown as Rgb;
  const cones = multiply([0.41222, 0.53633, 0.05145, 0.2119, 0.6807, 0.1074, 0.0883, 0.28172, 0.62998], seen).map(Math.cbrt);
  return multiply([0.21045, 0.79362, -0.00407, 1.978, -2.42859, 0.45059, 0.0259, 0.78277, -0.80868], cones as unknown as Rgb);
}

describe('the palette of services', () => {
  it('carries the dark text of the blocks with a contrast of at least 7', () => {
    const text = luminance(toLinear('#10151c'));
    for (const colour of serviceColours) expect((luminance(toLinear(colour)) + 0.05) / (text + 0.05)).toBeGreaterThan(7);
  });

  it.each(Object.entries(sights))('keeps its colours apart for %s sight', (_, sight) => {
    const seen = serviceColours.map((colour) => toOklab(toLinear(colour), sight));
    for (const [index, one] of seen.entries()) {
      for (const other of seen.slice(index + 1)) {
        expect(Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2])).toBeGreaterThan(0.03);
      }
    }
  });

  it('gives 48 services a look of their own', () => {
    const count = serviceColours.length * textureCount;
    const looks = new Set(Array.from({ length: count }, (_, index) => JSON.stringify(serviceLook(index))));
    expect(looks.size).toBe(48);
    expect(serviceLook(count)).toEqual(serviceLook(0));
  });
});
