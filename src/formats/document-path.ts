/** The way to a value inside a document: keys of objects and indices of lists. */
export type PathSegments = readonly (string | number)[];

/** Writes a path as users read it: `spec.services[3].rateRps`; a key that is no plain word is quoted: `prices["1g.10gb"]`. */
export function formatPath(segments: PathSegments): string {
  return segments
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}

/** The inverse of formatPath. */
export function parsePath(path: string): PathSegments {
  return Array.from(path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([^.[\]]+)/g), ([, index, quoted, word]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (word as string) : (JSON.parse(quoted) as string);
  });
}
