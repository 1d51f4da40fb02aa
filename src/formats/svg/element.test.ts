import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { element } from './element.js';

describe('element', () => {
  it('writes attributes and children in their order', () => {
    const circle = element('circle', { r: 1.239, class: undefined, fill: 'red' });
    expect(element('g', {}, circle, 'a').markup).toBe('<g><circle r="1.24" fill="red"/>a</g>');
  });

  it('escapes texts and attributes', () => {
    expect(element('text', { id: `"<'` }, '<script>&').markup).toBe('<text id="&quot;&lt;&#39;">&lt;script&gt;&amp;</text>');
  });

  it('replaces what XML cannot hold', () => {
    expect(element('text', {}, 'a\u0000b\ud800c\uffff😀\n').markup).toBe('<text>a\ufffdb\ufffdc\ufffd😀\n</text>');
  });

  it('never lets a text open a tag or end an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const [, attribute, content] = /^<t a="([^"]*)">([\s\S]*)<\/t>$/.exec(element('t', { a: text }, text).markup) ?? [];
        expect(attribute).toBe(content);
        expect(content).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
      }),
      { seed: 11, numRuns: 300 },
    );
  });

  it('refuses a number that is not finite', () => {
    expect(() => element('rect', { x: Number.NaN })).toThrow(RangeError);
  });
});
