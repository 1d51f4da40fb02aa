import { BareCountRows, CountRows, FunctionMinuteRows, StampRows, type TraceRows, toNumber } from './trace-rows.js';

/** What a trace without a header is said to hold. */
export type BareKind = 'rates' | 'stamps';

/** What is asked of a trace. */
export interface TraceOptions {
  /** How to read a file that has no header. */
  readonly bare?: BareKind | undefined;
  /** Azure Functions 2019: only functions whose hash begins so. */
  readonly functionPrefix?: string | undefined;
}

/** The reader for a file by its first line; `isHeader` when that line holds names and no data. */
export interface OpenedTrace {
  readonly rows: TraceRows;
  readonly isHeader: boolean;
}

/**
 * Knows a trace by its first line: Azure Functions 2019 (counts per minute) and 2021 (ends and durations), Azure LLM 2023 and 2024 and multimodal 2025
 * (calendar times), BurstGPT (seconds), `t_s` with seconds, `second,requests` with counts, and bare numbers when `bare` says what they are.
 */
export function openTrace(firstLine: string, options: TraceOptions): OpenedTrace | undefined {
  const names = firstLine.split(',').map((name) => name.trim().toLowerCase());
  const column = (name: string) => names.indexOf(name);
  const named = (rows: TraceRows): OpenedTrace => ({ rows, isHeader: true });
  if (column('hashfunction') >= 0 && column('1') > 0) {
    return named(new FunctionMinuteRows(column('1'), names.length - column('1'), options.functionPrefix ?? ''));
  }
  if (column('end_timestamp') >= 0 && column('duration') >= 0) {
    const [end, duration] = [column('end_timestamp'), column('duration')];
    // Rows come in the order of their ends, and the seconds count from an epoch: arrivals are found by subtraction, then sorted.
    return named(new StampRows((line) => fieldOf(line, end, toNumber) - fieldOf(line, duration, toNumber), true));
  }
  const stamp = column('timestamp');
  if (stamp >= 0 && column('contexttokens') >= 0) return named(new StampRows((line) => fieldOf(line, stamp, calendarSeconds)));
  if (stamp >= 0 && column('request tokens') >= 0) return named(new StampRows((line) => fieldOf(line, stamp, toNumber)));
  if (column('t_s') >= 0) return named(new StampRows((line) => fieldOf(line, column('t_s'), toNumber)));
  if (names[0] === 'second' && names[1] === 'requests') return named(new CountRows());
  if (
    options.bare !== undefined &&
    firstLine
      .trim()
      .split(/[\s,]+/)
      .every((word) => !Number.isNaN(toNumber(word)))
  ) {
    return { rows: options.bare === 'rates' ? new BareCountRows(1) : new StampRows(toNumber), isHeader: false };
  }
  return undefined;
}

function fieldOf(line: string, index: number, read: (text: string) => number): number {
  return read(line.split(',', index + 1)[index] ?? '');
}

/** Seconds of `YYYY-MM-DD hh:mm:ss.fffffff`, with or without a zone; a Date would lose what is below a millisecond. */
function calendarSeconds(text: string): number {
  const match = /^\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?\s*$/.exec(text);
  if (match === null) return Number.NaN;
  return Date.parse(`${match[1]}T${match[2]}${match[4] ?? 'Z'}`) / 1000 + Number(match[3] ?? 0);
}
