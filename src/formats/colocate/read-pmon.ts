import { inlayError } from '../../errors.js';
import { limits } from '../limits.js';
import { readTextFile } from '../read-file.js';

/** Mean utilisation over the samples of `nvidia-smi pmon` or another tool, percent. */
export interface Utilisation {
  readonly smUtilPercent: number;
  readonly memoryUtilPercent: number;
  readonly samples: number;
}

/** The first samples show how the workload starts, not how it runs. */
const warmUpSamples = 10;

/**
 * Reads the output of `nvidia-smi pmon -s u` (columns by the header line `# gpu pid type sm mem …`), adds up processes that
 * were sampled together, drops the first ten samples and takes the mean. A dash is no measurement. Throws InlayError.
 */
export async function readPmon(file: string): Promise<Utilisation> {
  const lines = (await readTextFile(file, limits.tableBytes.value)).split(/\r?\n/);
  let columns: readonly string[] = [];
  const samples: { sm: number; mem: number }[] = [];
  const seen = new Set<string>();
  for (const [index, line] of lines.entries()) {
    const words = line.trim().replace(/^#\s*/, '').split(/\s+/);
    if (line.trimStart().startsWith('#')) {
      if (words.includes('sm') && words.includes('mem')) columns = words;
      continue;
    }
    if (line.trim() === '' || columns.length === 0) continue;
    const text = (name: string) => words[columns.indexOf(name)] ?? '-';
    if (text('pid') === '-') continue;
    const [sm, mem] = [readPercent(text('sm')), readPercent(text('mem'))];
    if (sm === undefined || mem === undefined) throw wrongLine(file, index + 1, line);
    // A process that comes again begins the next sample.
    const key = `${text('gpu')}/${text('pid')}`;
    if (samples.length === 0 || seen.has(key)) {
      samples.push({ sm: 0, mem: 0 });
      seen.clear();
    }
    seen.add(key);
    const sample = samples.at(-1) as { sm: number; mem: number };
    sample.sm = Math.min(100, sample.sm + sm);
    sample.mem = Math.min(100, sample.mem + mem);
  }
  const kept = samples.slice(warmUpSamples);
  if (kept.length === 0) throw tooFew(file, samples.length);
  const mean = (value: (sample: { sm: number; mem: number }) => number) =>
    kept.reduce((sum, sample) => sum + value(sample), 0) / kept.length;
  return { smUtilPercent: mean(({ sm }) => sm), memoryUtilPercent: mean(({ mem }) => mem), samples: kept.length };
}

function readPercent(text: string): number | undefined {
  if (text === '-') return 0;
  const value = Number(text);
  return /^\d+(\.\d+)?$/.test(text) && value <= 100 ? value : undefined;
}

function wrongLine(file: string, line: number, text: string) {
  return inlayError('SYNTAX', {
    message: `A line of ${file} is not of \`nvidia-smi pmon\`.`,
    file,
    line,
    column: 1,
    expected: 'percentages of 0 to 100 in the columns sm and mem',
    received: text.trim().slice(0, 80),
  });
}

function tooFew(file: string, samples: number) {
  return inlayError('NO_ROWS', {
    message: `${file} has ${samples} samples, of which the first ${warmUpSamples} are dropped.`,
    file,
    expected: `more than ${warmUpSamples} samples of a process`,
    hint: 'Record `nvidia-smi pmon -s u` for a minute while the workload runs.',
  });
}
