import { createHash } from 'node:crypto';
import { canonicalJson } from '../../demand/documents/canonical.js';
import type { Write } from '../decide/write.js';

const firstMs = 500;
const mostMs = 15_000;
/** Applying the same within this time counts as repeated. */
const recentMs = 60_000;
/** So often an object is applied at once: somebody may undo a thing more than once. */
const patientTimes = 3;
const mostKnown = 10_000;

/**
 * Remembers which writes the API server refused, and which objects were applied and undone again and again, so that they are not sent without
 * pause: an admission webhook that rewrites what is applied would keep the loop busy. Forgetting it is harmless.
 */
export interface Backoff {
  /** Milliseconds until a write may be tried; 0 for now. */
  waitMs(write: Write, nowMs: number): number;
  refused(write: Write, retryAfterMs: number, nowMs: number): void;
  done(write: Write, nowMs: number): void;
}

export function createBackoff(): Backoff {
  const known = new Map<string, { untilMs: number; delayMs: number }>();
  const made = new Map<string, { times: number; atMs: number; untilMs: number }>();
  return {
    waitMs: (write, nowMs) =>
      Math.max(0, (known.get(keyOf(write))?.untilMs ?? 0) - nowMs, (made.get(wholeOf(write))?.untilMs ?? 0) - nowMs),
    refused(write, retryAfterMs, nowMs) {
      const key = keyOf(write);
      const delayMs = Math.max(retryAfterMs, Math.min(mostMs, (known.get(key)?.delayMs ?? firstMs / 2) * 2));
      known.set(key, { untilMs: nowMs + delayMs, delayMs });
      forgetOldest(known);
    },
    done(write, nowMs) {
      known.delete(keyOf(write));
      // A node that is closed and opened again and again is nothing wrong.
      if (write.kind !== 'apply') return;
      const whole = wholeOf(write);
      const before = made.get(whole);
      const times = before !== undefined && nowMs - before.atMs < recentMs ? before.times + 1 : 1;
      const delayMs = times < patientTimes ? 0 : Math.min(mostMs, firstMs * 2 ** (times - patientTimes));
      made.delete(whole);
      made.set(whole, { times, atMs: nowMs, untilMs: nowMs + delayMs });
      forgetOldest(made);
    },
  };
}

function forgetOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    if (map.size <= mostKnown) break;
    map.delete(oldest);
  }
}

/** Another content is another write: what was refused may have been mended. */
function keyOf(write: Write): string {
  const { kind, resource, where } = write;
  const content =
    write.kind === 'patch' ? write.body : write.kind === 'apply' || write.kind === 'create' ? write.object.metadata : write.uid;
  return hashOf([
    kind,
    resource.kind,
    where.namespace,
    where.name,
    write.kind === 'patch' && write.subresource === 'status' ? 'status' : content,
  ]);
}

/** The write with all that it says. */
function wholeOf(write: Write): string {
  const { kind, resource, where } = write;
  const content = write.kind === 'patch' ? write.body : write.kind === 'apply' || write.kind === 'create' ? write.object : write.uid;
  return hashOf([kind, resource.kind, where.namespace, where.name, content]);
}

const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('base64');
