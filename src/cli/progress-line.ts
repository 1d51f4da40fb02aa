import type { CliIo } from './io.js';
import type { ReportOptions } from './report-problems.js';

/** One line on the terminal that is overwritten while work goes on. */
export interface ProgressLine {
  /** Shows a text with the time elapsed; at most ten times a second. */
  show(text: string): void;
  /** Removes the line, so that results start on a clean one. */
  clear(): void;
}

const leastMsBetween = 100;

/** A progress line on stderr; silent in a pipe and under `--quiet`. */
export function createProgressLine(io: CliIo, options: ReportOptions): ProgressLine {
  if (!io.isTty || options.quiet === true) return { show: () => {}, clear: () => {} };
  const startMs = io.now();
  let shownMs = Number.NEGATIVE_INFINITY;
  return {
    show: (text) => {
      const nowMs = io.now();
      if (nowMs - shownMs < leastMsBetween) return;
      shownMs = nowMs;
      const line = `${text}  ${((nowMs - startMs) / 1000).toFixed(1)} s`;
      io.stderr.write(`\r\x1b[K${line.slice(0, io.columns - 1)}`);
    },
    clear: () => {
      if (shownMs > Number.NEGATIVE_INFINITY) io.stderr.write('\r\x1b[K');
    },
  };
}
