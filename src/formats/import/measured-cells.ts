import { problem } from '../../errors.js';
import type { CsvRecord } from '../csv-records.js';
import { describeValue } from '../describe-value.js';
import type { ImportSink } from './import-sink.js';
import { parseMeasuredNumber } from './measured-number.js';

/** Reads the fields of one measurement table and tells what is wrong with them, each at its place. */
export interface MeasuredCells {
  text(record: CsvRecord, index: number): string;
  /** A number of at least 0, NaN where there was nothing to measure, undefined (and a problem) where it is something else. */
  number(record: CsvRecord, index: number, column: string): number | undefined;
  /** Whether the record has as many fields as the header; a problem otherwise. */
  hasWidth(record: CsvRecord, width: number): boolean;
}

/** Cells of one file; thousands separators are noted once. */
export function createMeasuredCells(file: string, sink: ImportSink): MeasuredCells {
  let separatorsNoted = false;
  const text = (record: CsvRecord, index: number) => (record.fields[index] ?? '').trim();
  return {
    text,
    number(record, index, column) {
      const written = text(record, index);
      const number = parseMeasuredNumber(written);
      if (number.kind === 'not-finite') return Number.NaN;
      if (number.kind === 'wrong' || number.value < 0) {
        sink.refuse(
          problem('INVALID_VALUE', {
            message: `${column} cannot be ${describeValue(written)}.`,
            file,
            ...record.locate(index),
            expected: 'a number of at least 0',
            received: describeValue(written),
          }),
        );
        return undefined;
      }
      if (number.separators === true && !separatorsNoted) {
        separatorsNoted = true;
        const message = `${column} ${describeValue(written)} was read as ${number.value}, and other numbers of the file likewise.`;
        sink.note(problem('NUMBER_READ_AS', { message, file, ...record.locate(index) }));
      }
      return number.value;
    },
    hasWidth(record, width) {
      const received = record.fields.length;
      if (received === width) return true;
      sink.refuse(
        problem('SYNTAX', {
          message: received < width ? 'The row has too few fields.' : 'The row has too many fields.',
          file,
          ...record.locate(Math.min(received, width)),
          expected: `${width} fields, as its header has`,
          received: `${received}`,
          hint: 'Check that the file is complete, and that fields with a comma are in double quotes.',
        }),
      );
      return false;
    },
  };
}
