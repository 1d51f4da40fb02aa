import { type Logger, pino, stdTimeFunctions } from 'pino';
import type { CliIo } from './io.js';

/** The log of a command that keeps running: one JSON object a line on stderr, level from INLAY_LOG_LEVEL (default info). */
export function createLog(io: CliIo): Logger {
  const level = io.env['INLAY_LOG_LEVEL'] ?? 'info';
  const options = {
    level: level in pino.levels.values || level === 'silent' ? level : 'info',
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, io.stderr);
}
