/** Results of pure computations by the hash of their input, so that a loop does not repeat them. Forgetting changes nothing but time. */
export interface Memory {
  keep<T>(key: string, compute: () => T): T;
}

/** A memory of the last `most` results. */
export function createMemory(most = 5000): Memory {
  const known = new Map<string, unknown>();
  return {
    keep<T>(key: string, compute: () => T): T {
      if (known.has(key)) {
        const value = known.get(key) as T;
        known.delete(key);
        known.set(key, value);
        return value;
      }
      const value = compute();
      known.set(key, value);
      for (const oldest of known.keys()) {
        if (known.size <= most) break;
        known.delete(oldest);
      }
      return value;
    },
  };
}
