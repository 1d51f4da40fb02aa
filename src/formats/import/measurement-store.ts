import { createHash } from 'node:crypto';

/** A number and a small index for each of a million keys in about 40 MB. */
export interface MeasurementStore {
  readonly size: number;
  /** The number kept for a key; undefined where there is none. */
  find(key: string): number | undefined;
  /** Keeps the larger number for a key. Answers the index that came first with this key. */
  keepLargest(key: string, value: number, index: number): number;
}

const firstCapacity = 1024;
/** Share of the places that may be taken before there are more, and how many more. */
const mostLoad = 0.75;
const growth = 1.25;

interface Places {
  readonly high: Float64Array;
  readonly low: Uint32Array;
  readonly values: Float64Array;
  readonly indices: Uint16Array;
}

/**
 * An empty store. Keys are known by 80 bits of their SHA-256 instead of their text, which would take most of the room: among a
 * million keys two are alike with a chance of 1 in 10^12.
 */
export function createMeasurementStore(): MeasurementStore {
  let places = createPlaces(firstCapacity);
  let size = 0;

  /** The place of a key, or the free one where it would go. */
  const placeOf = (high: number, low: number): number => {
    const capacity = places.high.length;
    let at = low % capacity;
    while (places.high[at] !== 0 && (places.high[at] !== high || places.low[at] !== low)) at = (at + 1) % capacity;
    return at;
  };

  const grow = (): void => {
    const old = places;
    places = createPlaces(growth * old.high.length);
    for (const [from, high] of old.high.entries()) {
      if (high === 0) continue;
      const at = placeOf(high, old.low[from] as number);
      places.high[at] = high;
      places.low[at] = old.low[from] as number;
      places.values[at] = old.values[from] as number;
      places.indices[at] = old.indices[from] as number;
    }
  };

  return {
    get size() {
      return size;
    },
    find(key) {
      const [high, low] = digest(key);
      const at = placeOf(high, low);
      return places.high[at] === 0 ? undefined : places.values[at];
    },
    keepLargest(key, value, index) {
      const [high, low] = digest(key);
      let at = placeOf(high, low);
      if (places.high[at] !== 0) {
        if (value > (places.values[at] as number)) places.values[at] = value;
        return places.indices[at] as number;
      }
      if (size >= mostLoad * places.high.length) {
        grow();
        at = placeOf(high, low);
      }
      size += 1;
      places.high[at] = high;
      places.low[at] = low;
      places.values[at] = value;
      places.indices[at] = index;
      return index;
    },
  };
}

function createPlaces(room: number): Places {
  const capacity = Math.ceil(room);
  return {
    high: new Float64Array(capacity),
    low: new Uint32Array(capacity),
    values: new Float64Array(capacity),
    indices: new Uint16Array(capacity),
  };
}

/** Numbers of 48 and 32 bits, the first of which is never 0: that marks a free place. */
function digest(key: string): readonly [high: number, low: number] {
  // As text, because a million buffers pile up outside the heap before they are collected.
  const hex = createHash('sha256').update(key).digest('hex');
  return [Number.parseInt(hex.slice(0, 12), 16) || 1, Number.parseInt(hex.slice(12, 20), 16)];
}
