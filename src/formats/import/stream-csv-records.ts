import { inlayError } from '../../errors.js';
import { type CsvRecord, CsvSyntaxError, readCsvRecords } from '../csv-records.js';
import { limits } from '../limits.js';
import { readTextBlocks } from '../read-text-blocks.js';

/** Reads the records of a CSV file as `readCsvRecords` does, piece by piece. Throws InlayError with file, line and column. */
export async function* streamCsvRecords(file: string): AsyncGenerator<CsvRecord> {
  for await (const block of readTextBlocks(file, limits.measurementBytes.value, { quotes: true })) {
    const linesBefore = block.line - 1;
    try {
      for (const record of readCsvRecords(block.text)) yield linesBefore === 0 ? record : moveDown(record, linesBefore);
    } catch (error) {
      if (!(error instanceof CsvSyntaxError)) throw error;
      const { line, column } = error.position;
      throw inlayError('SYNTAX', { message: `${file} is not valid CSV: ${error.message}.`, file, line: line + linesBefore, column });
    }
  }
}

function moveDown({ fields, line, locate }: CsvRecord, lines: number): CsvRecord {
  return {
    fields,
    line: line + lines,
    locate: (index) => {
      const position = locate(index);
      return { line: position.line + lines, column: position.column };
    },
  };
}
