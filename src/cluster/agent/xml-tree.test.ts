import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childrenAt, readXml, textAt, type XmlElement } from './xml-tree.js';

const someElement: fc.Memo<XmlElement> = fc.memo((depth) =>
  fc.record({
    name: fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,8}$/),
    attributes: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.string({ maxLength: 12 }), { maxKeys: 3, noNullPrototype: true }),
    children: depth > 1 ? fc.array(someElement(), { maxLength: 3 }) : fc.constant([]),
    text: fc.string({ maxLength: 20 }),
  }),
);

const quote = (text: string) => text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

function write({ name, attributes, children, text }: XmlElement): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${quote(value)}"`);
  const inside = quote(text) + children.map((child) => `${write(child)}<!-- between -->`).join('');
  return inside === '' ? `<${name}${list.join('')}/>` : `<${name}${list.join('')}>${inside}</${name}>`;
}

describe('readXml', () => {
  it('reads back every tree that is written', () => {
    fc.assert(
      fc.property(someElement(4), (element) => {
        expect(readXml(`<?xml version="1.0" ?>\n<!DOCTYPE a SYSTEM "b.dtd">\n${write(element)}\n`)).toEqual(element);
      }),
      { seed: 8, numRuns: 500 },
    );
  });

  it('finds text and children by path', () => {
    const xml = readXml('<a><b><c> 1 </c></b><b><c>2</c><c>&lt;3&#x21;</c></b></a>');
    expect(textAt(xml, 'b', 'c')).toBe('1');
    expect(textAt(xml, 'b', 'd')).toBeUndefined();
    expect(childrenAt(xml, 'b', 'c').map((child) => textAt(child))).toEqual(['1', '2', '<3!']);
  });

  it.each(['', 'text', '<a>', '<a></b>', '</a>', '<a', '<a><b></a></b>', '<a x=1></a>'])('refuses %j', (text) => {
    expect(() => readXml(text)).toThrow(SyntaxError);
  });

  it('ends on every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('<', '>', '/', 'a', '"', '=', ' ', '!', '-', '&', ';'), maxLength: 60 }), (text) => {
        try {
          readXml(text);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
      { seed: 8, numRuns: 2000 },
    );
  });
});
