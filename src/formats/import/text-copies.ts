/** Texts that repeat, each kept once and numbered from 0. */
export interface TextCopies {
  numberOf(text: string): number;
  /** The one copy of a text. */
  copyOf(text: string): string;
  at(number: number): string;
}

/** Keeps copies: a text as it was cut from a file would keep the whole block of the file in memory. */
export function createTextCopies(): TextCopies {
  const numbers = new Map<string, number>();
  const copies: string[] = [];
  const numberOf = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    const copy = Buffer.from(text).toString();
    numbers.set(copy, copies.length);
    copies.push(copy);
    return copies.length - 1;
  };
  const at = (number: number) => copies[number] as string;
  return { numberOf, copyOf: (text) => at(numberOf(text)), at };
}
