import type { CliIo } from './io.js';

/** Aborts at the first Ctrl-C or SIGTERM, which is how a container is told to end; PID 1 must listen or it never does. */
export function watchTermination(io: CliIo): AbortSignal {
  const controller = new AbortController();
  process.once('SIGTERM', () => controller.abort('terminated'));
  return AbortSignal.any([io.watchInterrupt(), controller.signal]);
}
