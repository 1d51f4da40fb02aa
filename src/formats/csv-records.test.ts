import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CsvSyntaxError, readCsvRecords } from './csv-records.js';

const fieldsOf = (text: string) => Array.from(readCsvRecords(text), (record) => record.fields);

describe('readCsvRecords', () => {
  test('reads LF and CRLF, with and without a last line break, and leaves empty lines out', () => {
    const rows = [
      ['a', 'b'],
      ['1', ''],
    ];
    for (const text of ['a,b\n1,', 'a,b\n1,\n', 'a,b\r\n1,\r\n', '\n\na,b\n\n1,\n\n', '\r\na,b\r\n\r\n1,\r\n']) {
      expect(fieldsOf(text)).toEqual(rows);
    }
  });

  test('reads quoted fields with commas, quotes and line breaks', () => {
    expect(fieldsOf('"a,b","say ""hi""","two\r\nlines"\r\n"",x\n')).toEqual([
      ['a,b', 'say "hi"', 'two\r\nlines'],
      ['', 'x'],
    ]);
  });

  test('counts the lines inside quoted fields', () => {
    expect(Array.from(readCsvRecords('a\n"b\nb"\nc'), (record) => record.line)).toEqual([1, 2, 4]);
  });

  test.each([
    ['a quote that is never closed', 'a\n"b', 'a quote is never closed', 2, 1],
    ['a never closed field that ends with a doubled quote', 'ä,"b""', 'a quote is never closed', 1, 3],
    ['text after a closing quote', '"a"b', 'text follows the closing quote of a field', 1, 4],
    ['text after the closing quote of a long field', 'ä\r\n\r\nü,"ö""\r\nß"x', 'text follows the closing quote of a field', 4, 3],
    ['a quote inside a plain field', 'a,b"c', 'a quote stands inside a field that does not begin with one', 1, 4],
    ['a blank before a quote', '\n\nü, "c"', 'a quote stands inside a field that does not begin with one', 3, 4],
  ])('refuses %s at its place', (_name, text, message, line, column) => {
    expect(() => fieldsOf(text)).toThrow(expect.objectContaining({ name: CsvSyntaxError.name, message, position: { line, column } }));
  });

  test('gives the records before a fault first', () => {
    const records = readCsvRecords('a\nb\n"');
    expect([records.next().value?.fields, records.next().value?.fields]).toEqual([['a'], ['b']]);
    expect(() => records.next()).toThrow(CsvSyntaxError);
  });

  test.each([','.repeat(3e6), `"${'x\n'.repeat(1e6)}"`])('refuses a record of millions of bytes, where it begins', (record) => {
    expect(() => fieldsOf(`a,b\n1,2\n${record}\n`)).toThrow(
      expect.objectContaining({ name: 'CsvSyntaxError', position: { line: 3, column: expect.any(Number) } }),
    );
  });

  test('counts lines and columns through a long text', () => {
    const lines = 3 * 2500;
    const text = 'ü,"x\r\ny"\r\n\n'.repeat(2500);
    const records = Array.from(readCsvRecords(text));
    expect(records.map((record) => record.line)).toEqual(Array.from({ length: 2500 }, (_, index) => 3 * index + 1));
    expect(records.at(-1)?.locate(1)).toEqual({ line: lines - 2, column: 3 });
    expect(records.at(-1)?.locate(2)).toEqual({ line: lines - 1, column: 3 });
    expect(() => fieldsOf(`${text}a,"b"c`)).toThrow(expect.objectContaining({ position: { line: lines + 1, column: 6 } }));
  });

  const records = fc.array(
    fc.array(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'ü') }), { minLength: 2, maxLength: 5 }),
  );
  const quote = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

  test('gives back what was written', () => {
    fc.assert(
      fc.property(records, fc.constantFrom('\n', '\r\n'), (rows, lineBreak) => {
        const text = rows.map((row) => row.map(quote).join(',')).join(lineBreak);
        expect(fieldsOf(text)).toEqual(rows);
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  test('locates every field where it is written, and a missing one at the end of its record', () => {
    fc.assert(
      fc.property(records, (rows) => {
        const text = rows.map((row) => row.map(quote).join(',')).join('\n');
        const lines = text.split('\n');
        for (const record of readCsvRecords(text)) {
          for (const [index, field] of record.fields.entries()) {
            const { line, column } = record.locate(index);
            const rest = lines.slice(line - 1).join('\n');
            expect(rest.slice(column - 1).startsWith(quote(field))).toBe(true);
          }
          const last = record.fields.length - 1;
          const end = record.locate(last);
          expect(record.locate(last + 1).line).toBeGreaterThanOrEqual(end.line);
        }
      }),
      { seed: 6, numRuns: 300 },
    );
  });
});
