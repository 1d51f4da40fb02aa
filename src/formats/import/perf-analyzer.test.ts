import { describe, expect, test } from 'vitest';
import { useImports } from './import.fixture.js';

const { table, notes, problems } = useImports();
const asked = { format: 'perf-analyzer' } as const;

// Synthetic numbers throughout.
const header =
  'Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute Input,Server Compute Infer,Server Compute Output,Client Recv,p50 latency,p90 latency,p95 latency,p99 latency';
const row = (load: number | string, throughput: number | string, p99: number | string) =>
  `${load},${throughput},61,402,988,144,6120,22,5,7702,8010,8188,${p99}`;
const short = 'Concurrency,Inferences/Second,p50 latency,p99 latency';

describe('perf_analyzer tables', () => {
  test('become the point of highest throughput, latencies from µs, each row with its source', async () => {
    expect(
      await table(asked, { 'sweep.csv': [header, row(4, 512.4, 8731), row(1, 130.2, 7710), row(16, 530.1, 31044)].join('\n') }),
    ).toMatchInlineSnapshot(`
        "model,gpu,mig_profile,batch,processes,throughput_rps,latency_ms,source
        m,A100-80GB,1g.10gb,8,1,530.1,31.044,sweep.csv:4 concurrency 16; p99
        "
      `);
  });

  test('say which points were left out and why', async () => {
    const text = [short, '1,100,9000,9500', '2,0,0,0', '4,300,9100,NaN', '8,180,30000,41000'].join('\n');
    expect(await notes(asked, { 's.csv': text })).toMatchInlineSnapshot(`
      "5:1 POINTS_LEFT_OUT m on A100-80GB 1g.10gb, batch 8, processes 1: kept concurrency 8; left out concurrency 1 (lower throughput), concurrency 2 (did not run), concurrency 4 (no finite p99).
      MEMORY_UNKNOWN 1 of 1 rows do not say the memory of a process; plans do not check it."
    `);
  });

  test('are read in request-rate mode, without server columns, with the old and the verbose ones, CRLF and BOM', async () => {
    const old =
      '\ufeffRequest Rate,Inferences/Second,Client Send,send/recv,response wait,p50 latency,p99 latency,Avg latency\r\n50,49.8,5,5,5,8000,9900,8100\r\n';
    expect(await table({ ...asked, percentile: 'mean' }, { 'old.csv': old })).toContain('49.8,8.1,old.csv:2 request rate 50; mean');
    const verbose = `${header},Avg latency,request/response,response wait,Avg GPU Utilization,Avg GPU Power Usage,Max GPU Memory Usage,Total GPU Memory
${row(4, 512.4, 8731)},7800,12,7700,GPU-a:0.91;,GPU-a:203.1;,GPU-a:4294967296;,GPU-a:85899345920;`;
    expect(await table({ ...asked, percentile: 95 }, { 'new.csv': verbose })).toContain('512.4,8.188,4,new.csv:2 concurrency 4; p95');
    expect(await notes(asked, { 'new.csv': verbose })).not.toMatch(/COLUMN_IGNORED|MEMORY_UNKNOWN/);
  });

  test('leave memory unknown when several GPUs were watched, or none was', async () => {
    for (const packed of ['GPU-a:1073741824;GPU-b:2147483648;', 'GPU-a:0;', '']) {
      const text = `${short},Max GPU Memory Usage\n4,512,7000,8000,${packed}`;
      expect(await notes(asked, { 'm.csv': text }), packed).toContain('MEMORY_UNKNOWN');
    }
  });

  test('of composing models of an ensemble are left out', async () => {
    const text = [header, row(4, 512.4, 8731), '', 'Name: preprocess, Version: 1', header, row(4, 9000, 100)].join('\n');
    expect(await table(asked, { 'e.csv': text })).toContain('512.4,8.731');
    expect(await notes(asked, { 'e.csv': text })).toContain(
      '5:1 PART_LEFT_OUT The table of preprocess, a part of an ensemble, is left out.',
    );
  });

  test('joined in one file are one sweep', async () => {
    const text = [short, '1,100,1,9000', short, '2,150,1,9500'].join('\n');
    expect(await table(asked, { 'j.csv': text })).toContain('150,9.5,j.csv:4 concurrency 2; p99');
  });

  test('with thousands separators are read with a note, with columns of the future as well', async () => {
    const text = `${short},Cosmic Rays\n4,"1,184.2",7000,"8,731",3\n`;
    expect(await table(asked, { 't.csv': text })).toContain('1184.2,8.731');
    expect(await notes(asked, { 't.csv': text })).toMatch(/2:3 NUMBER_READ_AS .*"1,184.2" was read as 1184.2/);
    expect(await notes(asked, { 't.csv': text })).toMatch(/COLUMN_IGNORED Columns that are not used: Cosmic Rays/);
  });
});

describe('perf_analyzer tables that are refused', () => {
  test('for what is missing, each with its place', async () => {
    expect(await problems(asked, { 'a.csv': '' })).toMatchInlineSnapshot(`"a.csv:1:1 NO_ROWS expected the CSV of perf_analyzer -f"`);
    expect(await problems(asked, { 'a.csv': short })).toMatchInlineSnapshot(`"a.csv:1:1 NO_ROWS expected the CSV of perf_analyzer -f"`);
    expect(await problems(asked, { 'a.csv': '4,512,7000,8731\n' })).toMatchInlineSnapshot(
      `"a.csv:1:1 SYNTAX expected Concurrency or Request Rate, then Inferences/Second received "4,512,7000,8731""`,
    );
    expect(await problems({ ...asked, percentile: 99.9 }, { 'a.csv': `${short}\n4,512,7000,8731\n` })).toMatchInlineSnapshot(
      `"a.csv:1:1 PERCENTILE_NOT_MEASURED expected the p99.9 latency received p50 latency, p99 latency"`,
    );
    expect(await problems({ ...asked, percentile: 'mean' }, { 'a.csv': `${short}\n4,512,7000,8731\n` })).toContain(
      'PERCENTILE_NOT_MEASURED',
    );
  });

  test('for broken rows, all at once', async () => {
    const text = `${short}\r\n4,fast,7000,8731\r\n8,-5,7000,8731\r\n16,600,7000,"12,5"\r\n32,700,70`;
    expect(await problems(asked, { 'b.csv': text })).toMatchInlineSnapshot(`
      "b.csv:2:3 INVALID_VALUE expected a number of at least 0 received "fast"
      b.csv:3:3 INVALID_VALUE expected a number of at least 0 received "-5"
      b.csv:4:13 INVALID_VALUE expected a number of at least 0 received "12,5"
      b.csv:5:10 SYNTAX expected 4 fields, as its header has received 3"
    `);
    expect(await problems(asked, { 'q.csv': `${short}\n4,512,7000,8731\n8,"600,1,2\n` })).toMatchInlineSnapshot(`"q.csv:3:3 SYNTAX"`);
    expect(await problems(asked, { 'l.csv': Buffer.from(`${short}\n4,5\xe92,1,2\n`, 'latin1') })).toMatchInlineSnapshot(
      `"l.csv:2:4 SYNTAX expected UTF-8 text received bytes that are not UTF-8"`,
    );
  });

  test('for the same load with other numbers, with both places, while a repetition is fine', async () => {
    const text = `${short}\n4,512,7000,8731\n`;
    expect(await table(asked, { 'a.csv': text, 'b.csv': text })).toContain('512,8.731');
    const other = text.replace('512', '513');
    expect(await problems(asked, { 'a.csv': text, 'b.csv': other })).toMatchInlineSnapshot(`"b.csv:2:1 CONFLICTING_ROWS"`);
  });

  test('when no point ran with a finite latency', async () => {
    expect(await problems(asked, { 'a.csv': `${short}\n4,512,7000,\n8,0,1,2\n` })).toMatchInlineSnapshot(`"a.csv:2:1 NO_ROWS"`);
  });
});
