/** A key that an object holds more than once; `offset` is where the later one begins. */
export interface DuplicateKey {
  readonly key: string;
  readonly offset: number;
}

/** Nesting beyond the limit, with the first bracket too many; or the keys that are there twice. */
export type JsonTextCheck =
  | { readonly kind: 'too-deep'; readonly offset: number }
  | { readonly kind: 'checked'; readonly duplicates: readonly DuplicateKey[] };

/**
 * Finds what JSON.parse does not report: nesting deeper than `maxDepth`, which breaks recursive readers, and duplicate
 * keys. One pass without recursion; the answer about keys is meaningful only for valid JSON.
 */
export function checkJsonText(text: string, maxDepth: number): JsonTextCheck {
  const duplicates: DuplicateKey[] = [];
  const keysOfOpen: (Set<string> | undefined)[] = [];
  // Brackets and strings are all that matters, so everything between them is skipped by the engine.
  const token = /["{}[\]]/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const offset = match.index;
    switch (match[0]) {
      case '{':
      case '[':
        if (keysOfOpen.length === maxDepth) return { kind: 'too-deep', offset };
        keysOfOpen.push(match[0] === '{' ? new Set() : undefined);
        break;
      case '"': {
        const end = endOfString(text, offset);
        token.lastIndex = end;
        const keys = keysOfOpen.at(-1);
        if (keys === undefined || !isFollowedByColon(text, end)) break;
        const key = readKey(text.slice(offset, end));
        if (keys.has(key)) duplicates.push({ key, offset });
        keys.add(key);
        break;
      }
      default:
        keysOfOpen.pop();
    }
  }
  return { kind: 'checked', duplicates };
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function isFollowedByColon(text: string, offset: number): boolean {
  let next = offset;
  while (text.charCodeAt(next) <= 0x20) next++;
  return text[next] === ':';
}

/** Two spellings of one key are the same key; a malformed escape is left to JSON.parse. */
function readKey(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}
