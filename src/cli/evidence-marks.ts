import type { Certainty, Fact } from '../gpu/gpu-model.js';

/** How sure a printed number is, in one character after it; certain facts carry none. */
const marks: Readonly<Record<Certainty, string>> = { certain: '', 'single-source': '*', inferred: '~', recalled: '?' };

const meanings: readonly (readonly [Certainty, string])[] = [
  ['single-source', '* from one public source'],
  ['inferred', '~ inferred from a rule or a sibling product'],
  ['recalled', '? not confirmed: read the device before relying on it'],
];

/** The mark of a certainty, or nothing. */
export function markOf(certainty: Certainty): string {
  return marks[certainty];
}

/** A value with its mark; a dash where nothing is known. */
export function formatFact<T>(fact: Fact<T> | undefined, format: (value: T) => string = String): string {
  return fact === undefined ? '-' : format(fact.value) + markOf(fact.certainty);
}

/** One line for every mark in use. */
export function explainMarks(used: ReadonlySet<Certainty>): readonly string[] {
  return meanings.filter(([certainty]) => used.has(certainty)).map(([, meaning]) => meaning);
}
