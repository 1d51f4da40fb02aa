import { type InlayError, inlayError } from '../../errors.js';
import { describeValue } from '../describe-value.js';
import { limits } from '../limits.js';
import type { WantedList } from './condense-json.js';

/** The latencies of single requests of a run, as they are read. */
export interface LatencyList extends WantedList {
  /** Those of requests that were answered, ms, in the order of the file. */
  milliseconds(): Float64Array;
}

/** Collects a list of latencies in seconds, of which null and 0 are requests that failed. Throws InlayError at anything else. */
export function createLatencyList(file: string, key: string): LatencyList {
  let latencies = new Float64Array(1024);
  let count = 0;
  const most = limits.singleRequests.value;
  return {
    key,
    take(entries, locate) {
      if (count + entries.length > most) {
        const message = `${file} has too many single requests.`;
        throw inlayError('TOO_MANY', { message, file, ...locate(0), path: key, expected: `at most ${most}` });
      }
      for (const [index, seconds] of entries.entries()) {
        if (seconds === null || seconds === 0) continue;
        if (typeof seconds !== 'number' || seconds < 0) throw wrongLatency(seconds, file, key, locate(index));
        if (count === latencies.length) latencies = grown(latencies);
        latencies[count] = seconds * 1000;
        count += 1;
      }
    },
    milliseconds: () => latencies.subarray(0, count),
  };
}

function grown(latencies: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(latencies.length * 2);
  larger.set(latencies);
  return larger;
}

function wrongLatency(value: unknown, file: string, key: string, place: { readonly line: number; readonly column: number }): InlayError {
  const received = describeValue(value);
  const expected = 'seconds, or null for a request that failed';
  return inlayError('INVALID_VALUE', { message: `${key} cannot hold ${received}.`, file, ...place, path: key, expected, received });
}
