import { type Trace, traceSeconds } from '../../demand/traffic/trace.js';
import { inlayError } from '../../errors.js';
import { limits } from '../limits.js';
import { readLines } from '../read-lines.js';
import { type OpenedTrace, openTrace, type TraceOptions } from './trace-formats.js';

/**
 * Reads a trace of any known format, packed with gzip or not, line by line. Throws InlayError: TRACE_UNKNOWN, TRACE_EMPTY, or INVALID_VALUE with the place of the
 * first line that is wrong.
 */
export async function readTrace(file: string, options: TraceOptions = {}): Promise<Trace> {
  let opened: OpenedTrace | undefined;
  let number = 0;
  for await (const line of readLines(file, limits.traceBytes.value)) {
    number += 1;
    if (line.trim() === '') continue;
    if (opened === undefined) {
      opened = openTrace(line, options);
      if (opened === undefined) throw unknownFormat(file, number, line);
      if (opened.isHeader) continue;
    }
    const expected = opened.rows.add(line);
    if (expected !== undefined) throw wrongLine(file, number, line, expected);
  }
  const trace = opened?.rows.finish();
  if (trace === undefined) throw inlayError('TRACE_EMPTY', { message: `The trace ${file} holds no request.`, file });
  if (trace.kind === 'stamps' && traceSeconds(trace) === 0) {
    const message = `All requests of the trace ${file} arrive at once.`;
    throw inlayError('TRACE_EMPTY', { message, file, expected: 'two different times or more' });
  }
  return trace;
}

function unknownFormat(file: string, line: number, text: string) {
  return inlayError('TRACE_UNKNOWN', {
    message: `The trace ${file} is of no format that is known.`,
    file,
    line,
    column: 1,
    expected: 'a header such as t_s, or second,requests, or that of an Azure trace',
    received: shorten(text),
  });
}

function wrongLine(file: string, line: number, text: string, expected: string) {
  return inlayError('INVALID_VALUE', {
    message: 'The line does not continue the trace.',
    file,
    line,
    column: 1,
    expected,
    received: shorten(text),
  });
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
