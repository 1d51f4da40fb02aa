import { inlayError } from '../../../errors.js';
import { type CsvRecord, CsvSyntaxError, readCsvRecords } from '../../csv-records.js';
import { limits } from '../../limits.js';
import { readTextBlocks } from '../../read-text-blocks.js';

/**
 * The CSV records of the output of `ncu --csv`: a log in which only lines that begin with a quote belong to the table. Other
 * lines (messages of the profiler, output of the program) are reported to `skip`, in words. Nothing is held but one block.
 */
export async function* streamNcuRecords(file: string, skip: (what: string) => void): AsyncGenerator<CsvRecord> {
  for await (const block of readTextBlocks(file, limits.reportBytes.value)) {
    let run: string[] = [];
    let line = block.line;
    for (const text of block.text.split(/\r?\n/)) {
      const other = text === '' ? '' : describeOther(text);
      if (other === undefined) run.push(text);
      else {
        yield* parseRun(run, line - run.length, file);
        run = [];
        if (other !== '') skip(other);
      }
      line++;
    }
    yield* parseRun(run, line - run.length, file);
  }
}

/** What a line is that does not belong to the table. */
function describeOther(text: string): string | undefined {
  if (!text.startsWith('"')) return text.startsWith('==') ? 'message of the profiler' : 'line of other output';
  return text.startsWith('"GPU ID"') || /^"\d+","NVIDIA /.test(text) ? 'line of the GPU inventory' : undefined;
}

/** Parses lines that follow each other, the first of which is number `first`. */
function* parseRun(lines: readonly string[], first: number, file: string): Generator<CsvRecord> {
  if (lines.length === 0) return;
  const move = ({ line, column }: { readonly line: number; readonly column: number }) => ({ line: line + first - 1, column });
  try {
    for (const { fields, line, locate } of readCsvRecords(lines.join('\n'))) {
      yield { fields, line: line + first - 1, locate: (index) => move(locate(index)) };
    }
  } catch (error) {
    if (!(error instanceof CsvSyntaxError)) throw error;
    const place = move(error.position);
    throw inlayError('SYNTAX', { message: `${file} is not valid CSV: ${error.message}.`, file, ...place }, { cause: error });
  }
}
