import type { Trace } from '../../demand/traffic/trace.js';

/** Collects a trace line by line. */
export interface TraceRows {
  /** Takes one line; returns what was expected in its place when it is wrong. */
  add(line: string): string | undefined;
  /** The trace; undefined when it holds no request. */
  finish(): Trace | undefined;
}

/** Times, seconds, and numbers of requests beyond this are mistakes, and sums of them would not be exact. */
const most = 1e12;

const isCount = (count: number) => count >= 0 && count <= most;

/** Time stamps that grow as lines come: one number a line, from whatever the line says. */
export class StampRows implements TraceRows {
  readonly #read: (line: string) => number;
  readonly #mayFall: boolean;
  #stamps = new Float64Array(1024);
  #count = 0;

  /** `read` gives seconds, NaN for a line that is wrong. Stamps that may fall are sorted in the end. */
  constructor(read: (line: string) => number, mayFall = false) {
    this.#read = read;
    this.#mayFall = mayFall;
  }

  add(line: string): string | undefined {
    const stamp = this.#read(line);
    if (!(Math.abs(stamp) <= most)) return 'a time';
    const last = this.#stamps[this.#count - 1];
    if (!this.#mayFall && last !== undefined && stamp < last) return `a time of at least ${last}, as the line before has`;
    if (this.#count === this.#stamps.length) {
      const larger = new Float64Array(2 * this.#count);
      larger.set(this.#stamps);
      this.#stamps = larger;
    }
    this.#stamps[this.#count++] = stamp;
    return undefined;
  }

  finish(): Trace | undefined {
    if (this.#count === 0) return undefined;
    const stampsS = this.#stamps.slice(0, this.#count);
    return { kind: 'stamps', stampsS: this.#mayFall ? stampsS.sort() : stampsS };
  }
}

/** Counts of steps of equal length: a line has the start of its step, seconds, and the requests in it. */
export class CountRows implements TraceRows {
  readonly #timeS: number[] = [];
  readonly #counts: number[] = [];

  add(line: string): string | undefined {
    const [time = '', count = ''] = line.split(',');
    const timeS = toNumber(time);
    const requests = toNumber(count);
    if (!isCount(requests)) return 'a time and a number of requests from 0 to 1e12';
    const [firstS, secondS] = this.#timeS;
    if (firstS === undefined ? !(Math.abs(timeS) <= most) : !(timeS > (this.#timeS.at(-1) as number)))
      return 'a time after the line before';
    if (firstS !== undefined && secondS !== undefined) {
      const dueS = firstS + this.#timeS.length * (secondS - firstS);
      if (Math.abs(timeS - dueS) > 1e-6 * Math.max(1, Math.abs(dueS)))
        return `time ${dueS}: every step listed, also those without requests`;
    }
    this.#timeS.push(timeS);
    this.#counts.push(requests);
    return undefined;
  }

  finish(): Trace | undefined {
    const [firstS = 0, secondS = firstS + 1] = this.#timeS;
    return countsOrNothing(secondS - firstS, Float64Array.from(this.#counts));
  }
}

/** Bare counts, as many on a line as there are, of steps of `stepS` seconds. */
export class BareCountRows implements TraceRows {
  readonly #stepS: number;
  readonly #counts: number[] = [];

  constructor(stepS: number) {
    this.#stepS = stepS;
  }

  add(line: string): string | undefined {
    for (const word of line.trim().split(/[\s,]+/)) {
      const count = toNumber(word);
      if (!isCount(count)) return 'numbers of requests from 0 to 1e12';
      this.#counts.push(count);
    }
    return undefined;
  }

  finish(): Trace | undefined {
    return countsOrNothing(this.#stepS, Float64Array.from(this.#counts));
  }
}

/** Functions by the line, minutes of a day by the column; all functions, or those whose name begins as asked, are added up. */
export class FunctionMinuteRows implements TraceRows {
  readonly #firstColumn: number;
  readonly #counts: Float64Array;
  readonly #functionPrefix: string;

  constructor(firstColumn: number, minutes: number, functionPrefix: string) {
    this.#firstColumn = firstColumn;
    this.#counts = new Float64Array(minutes);
    this.#functionPrefix = functionPrefix;
  }

  add(line: string): string | undefined {
    const fields = line.split(',');
    if (fields.length !== this.#firstColumn + this.#counts.length) return `${this.#firstColumn + this.#counts.length} fields`;
    if (!(fields[2] as string).startsWith(this.#functionPrefix)) return undefined;
    for (let minute = 0; minute < this.#counts.length; minute++) {
      const count = Number(fields[this.#firstColumn + minute]);
      if (!isCount(count)) return 'numbers of requests from 0 to 1e12';
      this.#counts[minute] = (this.#counts[minute] as number) + count;
    }
    return undefined;
  }

  finish(): Trace | undefined {
    return countsOrNothing(60, this.#counts);
  }
}

/** A decimal number; NaN for anything else, the empty text included. */
export function toNumber(text: string): number {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN;
}

function countsOrNothing(stepS: number, counts: Float64Array): Trace | undefined {
  return counts.some((count) => count > 0) ? { kind: 'counts', stepS, counts } : undefined;
}
