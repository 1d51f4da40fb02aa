import { entryOf } from '../../demand/entry-of.js';

/** What is kept of a point, in few bytes. */
export interface CompactPoint {
  readonly kind: string;
  /** NaN for a load without a number. */
  readonly value: number;
  readonly throughputRps: number;
  /** NaN when not finite. */
  readonly latencyMs: number;
  readonly file: string;
  readonly line: number;
}

/** Points in the order in which they were added. */
export interface PointColumns {
  readonly size: number;
  add(point: CompactPoint): void;
  at(index: number): CompactPoint;
  /** For each point the first one under the same load, itself included. */
  firstOfLoad(): Uint32Array;
}

const pageSize = 32_768;

/** No load is negative. */
const noValue = -1;

/** Keeps points in typed arrays, page by page: a million of them take some 30 MB, while as objects they would take over 100. */
export function createPointColumns(): PointColumns {
  const kinds = createNames();
  const files = createNames();
  const pages: ReturnType<typeof createPage>[] = [];
  let size = 0;
  const pageOf = (index: number) => pages[Math.floor(index / pageSize)] as ReturnType<typeof createPage>;

  return {
    get size() {
      return size;
    },
    add({ kind, value, throughputRps, latencyMs, file, line }) {
      if (size % pageSize === 0) pages.push(createPage());
      const page = pageOf(size);
      const slot = size % pageSize;
      page.kinds[slot] = kinds.numberOf(kind);
      page.values[slot] = Number.isNaN(value) ? noValue : value;
      page.throughputs[slot] = throughputRps;
      page.latencies[slot] = latencyMs;
      page.files[slot] = files.numberOf(file);
      page.lines[slot] = line;
      size += 1;
    },
    at(index) {
      const page = pageOf(index);
      const slot = index % pageSize;
      const value = page.values[slot] as number;
      return {
        kind: kinds.nameOf(page.kinds[slot] as number),
        value: value === noValue ? Number.NaN : value,
        throughputRps: page.throughputs[slot] as number,
        latencyMs: page.latencies[slot] as number,
        file: files.nameOf(page.files[slot] as number),
        line: page.lines[slot] as number,
      };
    },
    firstOfLoad() {
      const compareLoads = (a: number, b: number) => {
        const [pageA, pageB] = [pageOf(a), pageOf(b)];
        const [slotA, slotB] = [a % pageSize, b % pageSize];
        const byKind = (pageA.kinds[slotA] as number) - (pageB.kinds[slotB] as number);
        return byKind !== 0 ? byKind : Math.sign((pageA.values[slotA] as number) - (pageB.values[slotB] as number) || 0);
      };
      const order = Uint32Array.from({ length: size }, (_, index) => index).sort((a, b) => compareLoads(a, b) || a - b);
      const first = new Uint32Array(size);
      order.forEach((index, rank) => {
        const before = order[rank - 1];
        first[index] = before !== undefined && compareLoads(before, index) === 0 ? (first[before] as number) : index;
      });
      return first;
    },
  };
}

function createPage() {
  return {
    kinds: new Uint32Array(pageSize),
    values: new Float64Array(pageSize),
    throughputs: new Float64Array(pageSize),
    latencies: new Float64Array(pageSize),
    files: new Uint32Array(pageSize),
    lines: new Uint32Array(pageSize),
  };
}

/** Numbers for names, from 0 in the order in which they are first seen. */
function createNames() {
  const names: string[] = [];
  const numbers = new Map<string, number>();
  return {
    numberOf: (name: string): number => entryOf(numbers, name, () => names.push(name) - 1),
    nameOf: (number: number): string => names[number] as string,
  };
}
