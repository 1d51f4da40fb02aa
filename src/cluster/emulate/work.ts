import { setMaxListeners } from 'node:events';
import { isTransient } from '../client/kubernetes-error.js';
import type { KubeObject } from '../client/object-types.js';

/** The time and the writes of an emulator: everything ends when it is stopped. */
export interface Work {
  readonly signal: AbortSignal;
  /** Waits; rejects with Stopped when the emulator is stopped meanwhile. */
  sleep(ms: number): Promise<void>;
  /**
   * Writes, with at most so many writes at a time, again and again while the API server gives no answer or asks to wait.
   * Rejects with what the server refused for good, or with Stopped.
   */
  write<T>(attempt: () => Promise<T>): Promise<T>;
}

/** Why work ended early: nothing went wrong. */
export class Stopped extends Error {}

const mostWrites = 16;
const firstRetryMs = 100;
const mostRetryMs = 5000;

export function createWork(signal: AbortSignal): Work {
  // Each wait listens; thousands at a time are no leak.
  setMaxListeners(0, signal);
  let running = 0;
  const waiting: (() => void)[] = [];

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(new Stopped());
        return;
      }
      const stop = () => {
        clearTimeout(timer);
        reject(new Stopped());
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  async function write<T>(attempt: () => Promise<T>): Promise<T> {
    if (running >= mostWrites) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      for (let waitMs = firstRetryMs; ; waitMs = Math.min(mostRetryMs, waitMs * 2)) {
        if (signal.aborted) throw new Stopped();
        try {
          return await attempt();
        } catch (error) {
          if (!isTransient(error)) throw error;
          await sleep(error.retryAfterSeconds === undefined ? waitMs : error.retryAfterSeconds * 1000);
        }
      }
    } finally {
      running -= 1;
      waiting.shift()?.();
    }
  }

  return { signal, sleep, write };
}

/** The later of two versions of one object: events and answers to own writes overtake each other. */
export function newerOf<T extends KubeObject>(one: T, other: T): T {
  return Number(other.metadata.resourceVersion) >= Number(one.metadata.resourceVersion) ? other : one;
}
