import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { InlayError, inlayError, problem } from '../errors.js';
import { checkJsonText } from './check-json-text.js';
import type { PathSegments } from './document-path.js';
import { limits } from './limits.js';
import { createPositionFinder, type ParsedDocument, type Position } from './parsed-document.js';

/**
 * Parses strict JSON, in which no object may hold a key twice. `finderOf` tells where offsets of the text stand in the file, when they
 * do not stand there as in the text. Throws InlayError with SYNTAX or TOO_DEEP.
 */
export function parseJsonDocument(text: string, file: string, finderOf = createPositionFinder): ParsedDocument {
  const check = checkJsonText(text, limits.depth.value);
  if (check.kind === 'too-deep') {
    throw inlayError('TOO_DEEP', {
      message: `${file} is nested too deep.`,
      file,
      ...finderOf(text)(check.offset),
      expected: `at most ${limits.depth.value} levels`,
    });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw syntaxError(text, file, finderOf);
  }
  if (check.duplicates.length > 0) {
    const positionOf = finderOf(text);
    throw new InlayError(
      check.duplicates.slice(0, limits.problems.value).map(({ key, offset }) =>
        problem('SYNTAX', {
          message: `The key ${JSON.stringify(key)} is there twice.`,
          file,
          ...positionOf(offset),
          expected: 'each key once',
          hint: 'Remove one of the two.',
        }),
      ),
    );
  }
  return { file, value, locate: createLocator(text, finderOf) };
}

function createLocator(text: string, finderOf: typeof createPositionFinder): ParsedDocument['locate'] {
  let tree: { readonly root: Node; positionOf(offset: number): Position } | undefined;
  return (path, part = 'value') => {
    // Places are needed only when something is wrong, and then many of them: the tree is built once, on demand.
    tree ??= { root: parseTree(text) as Node, positionOf: finderOf(text) };
    return tree.positionOf(offsetOf(tree.root, path, part));
  };
}

function offsetOf(root: Node, path: PathSegments, part: 'value' | 'key'): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (node === undefined) continue;
    const wantsKey = part === 'key' && length === path.length && node.parent?.type === 'property';
    return wantsKey ? (node.parent as Node).offset : node.offset;
  }
  return root.offset;
}

function syntaxError(text: string, file: string, finderOf: typeof createPositionFinder): InlayError {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  const offset = errors[0]?.offset ?? 0;
  const atEnd = text.slice(offset).trim() === '';
  const reason = errors[0] === undefined ? undefined : reasons[printParseErrorCode(errors[0].error)];
  return inlayError('SYNTAX', {
    message: atEnd ? `${file} ends before the JSON is complete.` : `${file} is not valid JSON: ${reason ?? 'unexpected text'}.`,
    file,
    ...finderOf(text)(offset),
    received: atEnd ? 'the end of the file' : JSON.stringify(text.slice(offset, offset + 20).split('\n', 1)[0]),
  });
}

/** What is wrong, by the parser's name for it. */
const reasons: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'a number is malformed',
  PropertyNameExpected: 'a key in double quotes was expected',
  ValueExpected: 'a value was expected',
  ColonExpected: 'a colon was expected',
  CommaExpected: 'a comma was expected',
  CloseBraceExpected: 'a closing brace was expected',
  CloseBracketExpected: 'a closing bracket was expected',
  EndOfFileExpected: 'the end of the file was expected',
  InvalidCommentToken: 'comments are not part of JSON',
  UnexpectedEndOfString: 'a string is not closed',
  InvalidUnicode: 'a \\u escape is malformed',
  InvalidEscapeCharacter: 'an escape is malformed',
  InvalidCharacter: 'a control character stands in a string',
};
