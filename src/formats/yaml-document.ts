import { Composer, type CST, type Document, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, type Node, Parser } from 'yaml';
import { InlayError, inlayError, problem } from '../errors.js';
import type { PathSegments } from './document-path.js';
import { formatBytes } from './format-bytes.js';
import { limits } from './limits.js';
import type { ParsedDocument, Position } from './parsed-document.js';
import { type ExpansionFault, findExpansionFault } from './yaml-expansion.js';

/**
 * Parses one YAML 1.2 document (core schema) in which no mapping holds a key twice. Throws InlayError with SYNTAX, with
 * FILE_TOO_LARGE beyond what is sensible in YAML, or with TOO_DEEP for deep nesting and for aliases that expand to too much.
 */
export function parseYamlDocument(text: string, file: string): ParsedDocument {
  if (text.length > limits.yamlBytes.value) {
    throw inlayError('FILE_TOO_LARGE', {
      message: `${file} is larger than a YAML file may be.`,
      file,
      expected: `at most ${formatBytes(limits.yamlBytes.value)}`,
      received: formatBytes(text.length),
      hint: 'Write the document as JSON, which is read far faster.',
    });
  }
  const lines = new LineCounter();
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const tokens = readTokens(text, file, lines, positionOf);
  const [document, second] = new Composer({ lineCounter: lines, prettyErrors: false }).compose(tokens, true, text.length);
  if (document === undefined) throw new Error('a YAML composer that is forced gives a document');

  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    throw new InlayError(
      faults
        .slice(0, limits.problems.value)
        .map((fault) => problem('SYNTAX', { message: `${file} is not valid YAML: ${inWords(fault)}`, file, ...positionOf(fault.pos[0]) })),
    );
  }
  if (second !== undefined) {
    throw inlayError('SYNTAX', {
      message: `${file} holds more than one document.`,
      file,
      ...positionOf(second.range[0]),
      expected: 'one document',
      hint: 'Keep one document a file.',
    });
  }
  const fault = findExpansionFault(document);
  if (fault !== undefined) throw expansionFault(fault, file, positionOf(fault.offset));
  return {
    file,
    value: document.toJS({ maxAliasCount: -1 }),
    locate: (path, part = 'value') => positionOf(offsetOf(document, path, part)),
  };
}

/** The composer recurses, so nesting is watched while the text is still a stream of tokens. */
function readTokens(text: string, file: string, lines: LineCounter, positionOf: (offset: number) => Position): CST.Token[] {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const source of new Lexer().lex(text)) {
    for (const token of parser.next(source)) tokens.push(token);
    // A level takes one entry; the document itself and the scalar being read take one each.
    if (parser.stack.length > limits.depth.value + 2) throw tooDeep(file, positionOf(parser.offset));
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function tooDeep(file: string, position: Position): InlayError {
  return inlayError('TOO_DEEP', {
    message: `${file} is nested too deep.`,
    file,
    ...position,
    expected: `at most ${limits.depth.value} levels`,
  });
}

function expansionFault({ kind }: ExpansionFault, file: string, position: Position): InlayError {
  const place = { file, ...position };
  switch (kind) {
    case 'depth':
      return tooDeep(file, position);
    case 'nodes':
      return inlayError('TOO_DEEP', {
        message: `${file} becomes too large when its aliases are written out.`,
        ...place,
        expected: `at most ${limits.yamlNodes.value} nodes`,
        received: 'more',
      });
    case 'aliases':
      return inlayError('TOO_MANY', {
        message: `${file} has too many aliases.`,
        ...place,
        expected: `at most ${limits.yamlAliases.value}`,
      });
    case 'anchor':
      return inlayError('SYNTAX', {
        message: `${file} uses an alias whose anchor is not complete before it.`,
        ...place,
        expected: 'an alias of an earlier anchor',
      });
    case 'key':
      return inlayError('SYNTAX', { message: `${file} has a mapping or list as a key.`, ...place, expected: 'a key that is text' });
  }
}

function inWords(fault: { readonly code: string; readonly message: string }): string {
  if (fault.code === 'DUPLICATE_KEY') return 'a key is there twice in one mapping.';
  const [first = ''] = fault.message.split('\n');
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function offsetOf(document: Document, path: PathSegments, part: 'value' | 'key'): number {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range[0] : 0;
  for (const [index, segment] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isSeq(node)) {
      node = node.items[segment as number];
    } else if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === segment);
      node = part === 'key' && index === path.length - 1 ? pair?.key : (pair?.value ?? pair?.key);
    } else return offset;
    if (!isNode(node)) return offset;
    offset = node.range[0];
  }
  return offset;
}

function isNode(value: unknown): value is Node & { readonly range: NonNullable<Node['range']> } {
  return typeof value === 'object' && value !== null && 'range' in value && Array.isArray(value.range);
}
