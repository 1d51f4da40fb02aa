import { CsvError, type InfoField, type InfoRecord, type Options, parse } from 'csv-parse/sync';
import type { Position } from './parsed-document.js';

/** A record of a CSV text: its fields and the line on which it begins (from 1). */
export interface CsvRecord {
  readonly fields: readonly string[];
  readonly line: number;
  /** Where field number `index` (from 0) begins; where the record ends when it has fewer fields. */
  locate(index: number): Position;
}

/** A quote that is out of place, and where. */
export class CsvSyntaxError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CsvSyntaxError';
    this.position = position;
  }
}

/** A line of more bytes is no record of a table: one of millions of commas would take minutes. */
const maxLineBytes = 1024 * 1024;

const options = {
  // Named, because a discovered one would hold for the whole text, and tables joined from two systems mix them.
  record_delimiter: ['\r\n', '\n'],
  skip_empty_lines: true,
  relax_column_count: true,
  max_record_size: maxLineBytes,
} as const satisfies Options;

/** A text is parsed in batches of so many records, so that the records of a large table are never all held at once. */
const batchRecords = 1000;

/**
 * Reads the records of a CSV text as RFC 4180 has it: commas, quoted fields with doubled quotes and line breaks inside,
 * LF or CRLF. Empty lines are left out. Throws CsvSyntaxError at the first fault, after all records before it; for a line of
 * more than 1 MiB at once.
 */
export function* readCsvRecords(text: string): Generator<CsvRecord> {
  const bytes = Buffer.from(text);
  refuseLongLine(bytes);
  let start = 0;
  let line = 1;
  while (start < bytes.length) {
    const batchStart = start;
    const { records, error } = parseBatch(bytes.subarray(batchStart));
    let emptyLines = 0;
    for (const { fields, info } of records) {
      const end = batchStart + info.bytes;
      const raw = { bytes: bytes.subarray(start, end), line };
      line += info.empty_lines - emptyLines;
      yield { fields, line, locate: (index) => locateField(raw, index) };
      for (const field of fields) if (field.includes('\n')) line += countLineBreaks(field);
      line += 1;
      emptyLines = info.empty_lines;
      start = end;
    }
    if (error !== undefined) throw describeFault(error, { bytes: bytes.subarray(start), line }, batchStart + Number(error.bytes) - start);
    if (records.length < batchRecords) return;
  }
}

function refuseLongLine(bytes: Buffer): void {
  for (let line = 1, start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    if ((end < 0 ? bytes.length : end) - start > maxLineBytes) throw new CsvSyntaxError('a line is longer than 1 MiB', { line, column: 1 });
    if (end < 0) return;
    start = end + 1;
  }
}

interface Batch {
  readonly records: readonly { readonly fields: readonly string[]; readonly info: InfoRecord }[];
  /** What is wrong after these records. */
  readonly error?: CsvError;
}

function parseBatch(bytes: Buffer): Batch {
  const records: { readonly fields: readonly string[]; readonly info: InfoRecord }[] = [];
  const keep = (fields: readonly string[], info: InfoRecord) => {
    records.push({ fields, info });
    return null;
  };
  try {
    parse(bytes, { ...options, to: batchRecords, on_record: keep });
    return { records };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { records, error };
  }
}

/** Bytes that begin with a record, or with empty lines before it, and the line on which they begin. */
interface RawRecord {
  readonly bytes: Buffer;
  readonly line: number;
}

/** Parses the record again, this time with the end of every field: too slow to be done for every record. */
function locateField(raw: RawRecord, index: number): Position {
  const ends: number[] = [];
  const cast = (field: string, info: InfoField) => {
    ends.push(info.bytes);
    return field;
  };
  parse(raw.bytes, { ...options, cast });
  return positionAt(raw, index < ends.length ? startOfField(raw, index, ends[index - 1]) : ends.at(-1));
}

function startOfField({ bytes }: RawRecord, index: number, endBefore = 0): number {
  if (index > 0) return endBefore + 1;
  let start = 0;
  while (bytes[start] === 0x0a || (bytes[start] === 0x0d && bytes[start + 1] === 0x0a)) start += 1;
  return start;
}

function positionAt({ bytes, line }: RawRecord, offset = 0): Position {
  const before = bytes.toString('utf8', 0, offset);
  return { line: line + countLineBreaks(before), column: before.length - before.lastIndexOf('\n') };
}

function countLineBreaks(text: string): number {
  return text.split('\n').length - 1;
}

/** What to say of each error about quotes, and how far into its field (as it is written) the fault is. */
const quoteFaults: Readonly<Record<string, { readonly message: string; offsetIn(bytes: Buffer): number }>> = {
  CSV_QUOTE_NOT_CLOSED: { message: 'a quote is never closed', offsetIn: () => 0 },
  CSV_MAX_RECORD_SIZE: { message: 'what stands between quotes is longer than 1 MiB', offsetIn: () => 0 },
  INVALID_OPENING_QUOTE: {
    message: 'a quote stands inside a field that does not begin with one',
    offsetIn: (bytes) => bytes.indexOf('"'),
  },
  CSV_INVALID_CLOSING_QUOTE: {
    message: 'text follows the closing quote of a field',
    // Byte for character, so that the offset counts bytes. Doubled quotes are blanked from left to right, as they are read.
    offsetIn: (bytes) => bytes.toString('latin1').slice(1).replaceAll('""', '  ').indexOf('"') + 2,
  },
};

/** Makes an error of csv-parse, which names the field and the end of the one before, one with the position of the fault. */
function describeFault(error: CsvError, raw: RawRecord, endBefore: number): Error {
  const fault = quoteFaults[error.code];
  if (fault === undefined) return error;
  const start = startOfField(raw, Number(error.column), endBefore);
  return new CsvSyntaxError(fault.message, positionAt(raw, start + fault.offsetIn(raw.bytes.subarray(start))), { cause: error });
}
