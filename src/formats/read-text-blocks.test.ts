import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CsvRecord, readCsvRecords } from './csv-records.js';
import { streamCsvRecords } from './import/stream-csv-records.js';
import { problemLines, problemsOf } from './problem-lines.fixture.js';
import { readTextBlocks } from './read-text-blocks.js';
import { useTemporaryFolder } from './temporary-folder.fixture.js';

const folder = useTemporaryFolder();

async function collect<T>(blocks: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const block of blocks) all.push(block);
  return all;
}

/** Larger than a chunk of a stream, with a quoted line break in every record. */
const largeCsv = Array.from({ length: 8000 }, (_, index) => `${index},"a\nä",${index / 7}`).join('\n');

describe('text read in blocks', () => {
  test('is the text of the file, in whole lines with their numbers', async () => {
    const text = `\ufeff${Array.from({ length: 40_000 }, (_, index) => `zeile ${index} ä`).join('\r\n')}`;
    const blocks = await collect(readTextBlocks(await folder.write('long.txt', text), 1e9));
    expect(blocks.length).toBeGreaterThan(1);
    expect(blocks.map((block) => block.text).join('')).toBe(text.slice(1));
    let line = 1;
    for (const block of blocks) {
      expect(block.line).toBe(line);
      line += block.text.split('\n').length - 1;
    }
  });

  test('never ends inside quotes, so that records and their places are those of the whole text', async () => {
    const file = await folder.write('quoted.csv', largeCsv);
    const streamed = await collect(streamCsvRecords(file));
    const whole: readonly CsvRecord[] = [...readCsvRecords(largeCsv)];
    const describeAll = (records: typeof whole) => JSON.stringify(records.map(({ fields, line }) => [line, ...fields]));
    expect(describeAll(streamed) === describeAll(whole)).toBe(true);
    expect(streamed.at(-1)?.locate(2)).toEqual(whole.at(-1)?.locate(2));
  });

  test('tells where a quote is never closed, where bytes are no text, and lines that never end', async () => {
    const lines = '1,2\n'.repeat(30_000);
    const unclosed = await folder.write('unclosed.csv', `${lines}3,"4\n${lines}`);
    expect(problemLines(await problemsOf(() => collect(streamCsvRecords(unclosed))))).toBe('unclosed.csv:30001:3 SYNTAX');
    const binary = join(folder.path, 'binary.csv');
    await writeFile(binary, Buffer.concat([Buffer.from(lines), Buffer.from([0x31, 0xff])]));
    expect(problemLines(await problemsOf(() => collect(streamCsvRecords(binary))))).toContain('binary.csv:30001:2 SYNTAX');
    const endless = await folder.write('endless.csv', 'x'.repeat(5_000_000));
    expect(problemLines(await problemsOf(() => collect(streamCsvRecords(endless))))).toContain(
      'endless.csv:1:1 SYNTAX expected lines of at most 4 MiB',
    );
  });
});
