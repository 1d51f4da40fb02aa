import { createHash } from 'node:crypto';
import { canonicalJson } from '../../demand/documents/canonical.js';
import type { Write } from '../decide/write.js';

const firstMs = 500;
const mostMs = 15_000;

/** Remembers which writes the API server refused, so that they are not sent without pause. Forgetting it is harmless. */
export interface Backoff {
  /** Milliseconds until a write may be tried; 0 for now. */
  waitMs(write: Write, nowMs: number): number;
  refused(write: Write, retryAfterMs: number, nowMs: number): void;
  done(write: Write): void;
}

export function createBackoff(): Backoff {
  const known = new Map<string, { untilMs: number; delayMs: number }>();
  return {
    waitMs: (write, nowMs) => Math.max(0, (known.get(keyOf(write))?.untilMs ?? 0) - nowMs),
    refused(write, retryAfterMs, nowMs) {
      const key = keyOf(write);
      const delayMs = Math.max(retryAfterMs, Math.min(mostMs, (known.get(key)?.delayMs ?? firstMs / 2) * 2));
      known.set(key, { untilMs: nowMs + delayMs, delayMs });
      for (const oldest of known.keys()) {
        if (known.size <= 10_000) break;
        known.delete(oldest);
      }
    },
    done: (write) => void known.delete(keyOf(write)),
  };
}

/** Another content is another write: what was refused may have been mended. */
function keyOf(write: Write): string {
  const { kind, resource, where } = write;
  const content =
    write.kind === 'patch' ? write.body : write.kind === 'apply' || write.kind === 'create' ? write.object.metadata : write.uid;
  const text = canonicalJson([
    kind,
    resource.kind,
    where.namespace,
    where.name,
    write.kind === 'patch' && write.subresource === 'status' ? 'status' : content,
  ]);
  return createHash('sha256').update(text).digest('base64');
}
