import { closestNames } from '../gpu/closest-names.js';

/** "Did you mean a or b?", or nothing when there is no name to offer. */
export function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.join(' or ')}?`;
}

/** Asks for the known names that look most like what was written; case does not count. */
export function suggestNames(written: string, known: readonly string[]): string | undefined {
  return didYouMean(closestNames(written, known, (name) => name.toLowerCase()));
}
