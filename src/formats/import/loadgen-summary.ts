import { inlayError, type Problem } from '../../errors.js';
import { limits } from '../limits.js';
import { readTextBlocks } from '../read-text-blocks.js';

/** A value of a LoadGen summary and where it stands. */
export interface SummaryEntry {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** The `key : value` lines of a LoadGen summary; of a key that is there twice, the first. */
export interface LoadgenSummary {
  readonly entries: ReadonlyMap<string, SummaryEntry>;
  text(key: string): string | undefined;
  /** A number of at least 0, or undefined when there is no such line. Throws InlayError INVALID_VALUE for anything else. */
  number(key: string): number | undefined;
  place(key: string): Pick<Problem, 'file' | 'line' | 'column'>;
}

/** Reads those lines of `mlperf_log_summary.txt` whose key `isWanted`. */
export async function readLoadgenSummary(file: string, isWanted: (key: string) => boolean): Promise<LoadgenSummary> {
  const entries = new Map<string, SummaryEntry>();
  for await (const block of readTextBlocks(file, limits.measurementBytes.value)) {
    for (const [index, line] of block.text.split(/\r?\n/).entries()) {
      const match = /^(\s*)(.*\S)\s*: *(.*?)\s*$/.exec(line);
      if (match === null) continue;
      const [, , key = '', text = ''] = match;
      if (!isWanted(key)) continue;
      const earlier = entries.get(key);
      if (earlier === undefined) entries.set(key, { text, line: block.line + index, column: line.trimEnd().length - text.length + 1 });
      else if (key === 'Scenario') throw severalRuns(earlier.line, file, block.line + index);
    }
  }
  const place = (key: string) => {
    const { line, column } = entries.get(key) ?? { line: 1, column: 1 };
    return { file, line, column };
  };
  return {
    entries,
    place,
    text: (key) => entries.get(key)?.text,
    number(key) {
      const written = entries.get(key)?.text;
      if (written === undefined) return undefined;
      const value = written === '' ? Number.NaN : Number(written);
      if (value >= 0 && Number.isFinite(value)) return value;
      throw inlayError('INVALID_VALUE', {
        message: `${key} cannot be ${JSON.stringify(written)}.`,
        ...place(key),
        expected: 'a number of at least 0',
        received: written === '' ? 'nothing' : JSON.stringify(written),
      });
    },
  };
}

function severalRuns(earlierLine: number, file: string, line: number) {
  return inlayError('CONFLICTING_ROWS', {
    message: `${file} holds several summaries; the first begins near ${file}:${earlierLine}.`,
    file,
    line,
    column: 1,
    expected: 'the summary of one run',
    hint: 'Import the file of each run on its own.',
  });
}
