import { describe, expect, test } from 'vitest';
import { limits } from './limits.js';
import { parsePerformanceCsv } from './performance-csv.js';
import { problemLines } from './problem-lines.fixture.js';

const header = 'model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms';
const parse = (...lines: readonly string[]) => parsePerformanceCsv(lines.join('\n'), 't.csv');
const faultsOf = (...lines: readonly string[]) => problemLines(parse(...lines).problems);

describe('parsePerformanceCsv', () => {
  test('finds columns by name, in any order, with the place of each row', () => {
    const { rows, problems } = parse(
      'latency_ms,memory_gib,batch,throughput_rps,gpu,mig_profile,model,processes',
      '12.5,1.5,8,600,A100-80GB,1g.10gb,resnet50,2',
    );
    expect(problems).toEqual([]);
    expect(rows).toEqual([
      {
        model: 'resnet50',
        gpu: 'A100-80GB',
        profile: '1g.10gb',
        batch: 8,
        processes: 2,
        throughputRps: 600,
        latencyMs: 12.5,
        memoryGiB: 1.5,
        source: { file: 't.csv', line: 2 },
      },
    ]);
  });

  test('takes one process and the whole GPU where nothing is said, and memory as not measured', () => {
    const [row, other] = parse(
      'model,gpu,mig_profile,batch,throughput_rps,latency_ms,memory_gib',
      'm,T4-16GB,,1,10,100,',
      'm,T4-16GB,,2,10,100,2',
    ).rows;
    expect(row).toMatchObject({ profile: 'full', processes: 1 });
    expect(row).not.toHaveProperty('memoryGiB');
    expect(other).toMatchObject({ memoryGiB: 2 });
    expect(parse(header, 'm,g,full,1,,10,100').rows[0]).toMatchObject({ processes: 1 });
  });

  test('reads CRLF, quoted fields, blanks around values, names in any script and 1e-9 to 1e9', () => {
    const { rows, problems } = parsePerformanceCsv(
      `${header}\r\n"模型, groß", A100-80GB ,1g.10gb, 8 ,1,1e-9,1e9\r\nm,g,p,1,1,1E9,.5\r\n`,
      't.csv',
    );
    expect(problems).toEqual([]);
    expect(rows[0]).toMatchObject({ model: '模型, groß', gpu: 'A100-80GB', batch: 8, throughputRps: 1e-9, latencyMs: 1e9 });
    expect(rows[1]).toMatchObject({ throughputRps: 1e9, latencyMs: 0.5 });
  });

  test('leaves out rows that did not run, whatever else they say, and counts them', () => {
    const { rows, problems, notes } = parse(header, 'm,g,p,1,1,10,100', 'm,g,p,2,1,0,', 'm,g,p,4,1,,NaN', 'm,g,p,8,1,0.0,1');
    expect(rows).toHaveLength(1);
    expect(problems).toEqual([]);
    expect(notes.map((note) => `${note.code} ${note.message}`)).toEqual(['ROW_DID_NOT_RUN 3 rows did not run and are left out.']);
  });

  test('names the columns that are not used', () => {
    const { notes } = parse(`${header},slices,,comment`, 'm,g,p,1,1,10,100,1,,x');
    expect(notes.map((note) => `${note.code} ${note.message}`)).toEqual([
      'COLUMN_IGNORED Columns that are not used: slices, (no name), comment.',
    ]);
  });
});

describe('tables that are refused', () => {
  test('for missing and doubled columns, all at once, with a guess at what was meant', () => {
    const { problems, rows } = parse('model,gpu,profile,batch,batch,throughput,latency_ms', 'm,g,p,1,1,10,100');
    expect(rows).toEqual([]);
    expect(
      problems.map((problem) => `${problem.line}:${problem.column} ${problem.code} ${problem.message} ${problem.hint}`),
    ).toMatchInlineSnapshot(`
      [
        "1:1 MISSING_COLUMN The column mig_profile is missing. Is it called profile?",
        "1:25 DUPLICATE_COLUMN The column batch is there twice. Remove or rename one of them.",
        "1:1 MISSING_COLUMN The column throughput_rps is missing. Is it called throughput?",
      ]
    `);
  });

  test('for another separator', () => {
    expect(parse(header.replaceAll(',', ';'), 'm;g;p;1;1;10;100').problems[0]).toMatchObject({
      code: 'MISSING_COLUMN',
      hint: 'Separate the columns with commas.',
    });
  });

  test('for values that are no numbers or out of range, each at its field', () => {
    expect(
      faultsOf(
        header,
        'm,g,p,1,1,NaN,100',
        'm,g,p,1,1,-5,100',
        'm,g,p,1,1,1e13,100',
        'm,g,p,1,1,1e-13,100',
        'm,g,p,1,1,10,0',
        'm,g,p,1,1,10,',
        'm,g,p,1.5,1,10,100',
        'm,g,p,0,49,10,100',
        'm,g,p,1,1,0x10,100',
        'm,g,p,1,1,Infinity,100',
        ',,p,1,1,10,100',
        'm,g,p,1,1,"1,5",100',
      ),
    ).toMatchInlineSnapshot(`
      "t.csv:2:11 INVALID_VALUE expected a number from 1e-12 to 1e12 received "NaN"
      t.csv:3:11 INVALID_VALUE expected a number from 1e-12 to 1e12 received "-5"
      t.csv:4:11 INVALID_VALUE expected a number from 1e-12 to 1e12 received "1e13"
      t.csv:5:11 INVALID_VALUE expected a number from 1e-12 to 1e12 received "1e-13"
      t.csv:6:14 INVALID_VALUE expected a number from 1e-12 to 1e12 received "0"
      t.csv:7:14 INVALID_VALUE expected a number from 1e-12 to 1e12 received nothing
      t.csv:8:7 INVALID_VALUE expected a whole number from 1 to 65536 received "1.5"
      t.csv:9:7 INVALID_VALUE expected a whole number from 1 to 65536 received "0"
      t.csv:9:9 INVALID_VALUE expected a whole number from 1 to 48 received "49"
      t.csv:10:11 INVALID_VALUE expected a number from 1e-12 to 1e12 received "0x10"
      t.csv:11:11 INVALID_VALUE expected a number from 1e-12 to 1e12 received "Infinity"
      t.csv:12:1 INVALID_VALUE expected a name received nothing
      t.csv:12:2 INVALID_VALUE expected a name received nothing
      t.csv:13:11 INVALID_VALUE expected a number from 1e-12 to 1e12 received "1,5""
    `);
  });

  test('for rows of another width and for broken quotes', () => {
    expect(faultsOf(header, 'm,g,p,1,1,10', 'm,g,p,1,1,10,100,7')).toMatchInlineSnapshot(`
      "t.csv:2:13 SYNTAX expected 7 fields, as the first line has received 6
      t.csv:3:18 SYNTAX expected 7 fields, as the first line has received 8"
    `);
    expect(faultsOf(header, 'm,g,p,1,1,10,100', '"m,g,p,1,1,10,100')).toMatchInlineSnapshot(`"t.csv:3:1 SYNTAX"`);
  });

  test('for having nothing to say', () => {
    expect(faultsOf('')).toContain('NO_ROWS');
    expect(faultsOf(header)).toContain('NO_ROWS');
    expect(parse(header, 'm,g,p,1,1,0,1').problems[0]?.message).toBe('No row of the table ran: every throughput is 0 or empty.');
  });

  test('for more rows than the limit, and tells no more than the first problems', () => {
    const { problems, rows } = parsePerformanceCsv(`${header}\n${'m,g,p,1,1,1,1\n'.repeat(4)}`, 't.csv', 3);
    expect(rows).toHaveLength(3);
    expect(problemLines(problems)).toBe('t.csv:5:1 TOO_MANY expected at most 3 rows that ran');
    expect(parsePerformanceCsv(`${header}\n${'m,g,p,1,1,x,1\n'.repeat(5000)}`, 't.csv').problems).toHaveLength(limits.problems.value);
  });
});
