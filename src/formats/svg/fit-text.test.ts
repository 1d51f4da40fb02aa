import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTextWidth, fitText } from './fit-text.js';

describe('fitText', () => {
  it('keeps a text that fits and cuts one that does not', () => {
    expect(fitText('resnet50', { size: 10 }, 100)).toBe('resnet50');
    expect(fitText('bert-large-uncased', { size: 10 }, 60)).toBe('bert-larg…');
    expect(fitText('bert-large-uncased', { size: 10 }, 30, 5)).toBe('');
  });

  it('never gives more than the width, and always a beginning of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 200 }), fc.boolean(), (text, width, bold) => {
        const font = { size: 12, bold };
        const fitted = fitText(text, font, width);
        expect(estimateTextWidth(fitted, font)).toBeLessThanOrEqual(width);
        if (fitted !== text) expect(text.startsWith(fitted.replace(/…$/, ''))).toBe(true);
      }),
      { seed: 12, numRuns: 300 },
    );
  });
});
