/** An element of an XML text: its text is that of its own, without the elements inside. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/** A tag, a comment, a declaration or a processing instruction, or text up to the next one. */
const piece = /<!--[\s\S]*?-->|<[?!][^>]*>|<(\/?)([\w.:-]+)((?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/y;
const attribute = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * Reads the plain XML that NVIDIA's tools print: elements, attributes, text and the five entities; no CDATA, no DTD. Throws
 * SyntaxError with the position of what it cannot read.
 */
export function readXml(source: string): XmlElement {
  const root: OpenElement = { name: '', attributes: {}, children: [], text: '' };
  const open: OpenElement[] = [root];
  piece.lastIndex = 0;
  while (piece.lastIndex < source.length) {
    const at = piece.lastIndex;
    const match = piece.exec(source);
    if (match === null) throw new SyntaxError(`no XML at character ${at}: ${JSON.stringify(source.slice(at, at + 30))}`);
    const [, closing, name, attributes = '', selfClosing, text] = match;
    const parent = open.at(-1) ?? root;
    if (text !== undefined) parent.text += decode(text);
    if (name === undefined) continue;
    if (closing === '/') {
      if (parent === root || parent.name !== name) throw new SyntaxError(`</${name}> at character ${at} closes <${parent.name}>`);
      open.pop();
      continue;
    }
    const element: OpenElement = { name, attributes: readAttributes(attributes), children: [], text: '' };
    parent.children.push(element);
    if (selfClosing !== '/') open.push(element);
  }
  const [top] = root.children;
  if (open.length > 1) throw new SyntaxError(`<${open.at(-1)?.name}> is never closed`);
  if (top === undefined) throw new SyntaxError('the text holds no element');
  return top;
}

/** The text of the element that a path of names leads to, trimmed; undefined when there is none. */
export function textAt(element: XmlElement, ...path: readonly string[]): string | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return element.text.trim();
  const child = element.children.find((candidate) => candidate.name === name);
  return child === undefined ? undefined : textAt(child, ...rest);
}

/** The children of that name of the element that a path leads to. */
export function childrenAt(element: XmlElement, ...path: readonly string[]): readonly XmlElement[] {
  const [name, ...rest] = path;
  if (name === undefined) return [];
  const named = element.children.filter((candidate) => candidate.name === name);
  return rest.length === 0 ? named : named.flatMap((child) => childrenAt(child, ...rest));
}

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(attribute)].map(([, name = '', double, single]) => [name, decode(double ?? single ?? '')]));
}

function decode(text: string): string {
  return text.replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
