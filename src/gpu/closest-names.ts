/** Up to three known names that look most like what was written, best first: a shared beginning counts, then the fewest edits. */
export function closestNames(written: string, known: readonly string[], normalize: (name: string) => string): readonly string[] {
  const wanted = normalize(written);
  const scored = known.map((name) => ({ name, edits: countEdits(wanted, normalize(name)) }));
  const close = scored.filter(({ name, edits }) => edits <= Math.max(2, wanted.length / 2) || sharesBeginning(wanted, normalize(name)));
  return close
    .sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

function sharesBeginning(wanted: string, name: string): boolean {
  return wanted.length >= 2 && (name.startsWith(wanted) || wanted.startsWith(name));
}

/** Levenshtein distance. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
