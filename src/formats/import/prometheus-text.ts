import { inlayError } from '../../errors.js';
import { limits } from '../limits.js';
import { readTextBlocks } from '../read-text-blocks.js';

/** One sample of the Prometheus text format. */
export interface PrometheusSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  readonly line: number;
}

/** A label with its comma; the last one may go without. */
const label = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|(?=\}))/y;
const name = /\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*/y;
const value = /\s*([+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|Inf|NaN))(?:\s+-?\d+)?\s*$/iy;

/** Reads the samples of a file in the Prometheus text format, piece by piece. Throws InlayError SYNTAX with line and column. */
export async function* readPrometheusText(file: string): AsyncGenerator<PrometheusSample> {
  for await (const block of readTextBlocks(file, limits.measurementBytes.value)) {
    for (const [index, text] of block.text.split(/\r?\n/).entries()) {
      if (text.trim() === '' || text.trimStart().startsWith('#')) continue;
      yield parseSample(text, file, block.line + index);
    }
  }
}

function parseSample(text: string, file: string, line: number): PrometheusSample {
  let offset = 0;
  const take = (pattern: RegExp, expected: string) => {
    pattern.lastIndex = offset;
    const match = pattern.exec(text);
    if (match === null) throw malformed(text, offset, expected, file, line);
    offset = pattern.lastIndex;
    return match;
  };
  const metric = take(name, 'the name of a metric')[1] ?? '';
  const labels = new Map<string, string>();
  if (text[offset] === '{') {
    offset += 1;
    while (text[offset] !== '}') {
      const [, key = '', written = ''] = take(label, 'a label such as gpu="0"');
      labels.set(
        key,
        written.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character)),
      );
    }
    offset += 1;
  }
  const number = (take(value, 'a number')[1] ?? '').toLowerCase();
  return { name: metric, labels, value: number.endsWith('inf') ? Number.POSITIVE_INFINITY : Number(number), line };
}

function malformed(text: string, offset: number, expected: string, file: string, line: number) {
  const rest = text.slice(offset, offset + 30);
  return inlayError('SYNTAX', {
    message: `${file} is not in the Prometheus text format.`,
    file,
    line,
    column: offset + 1,
    expected,
    received: rest === '' ? 'the end of the line' : JSON.stringify(rest),
    hint: 'Save what the DCGM exporter answers at /metrics.',
  });
}
