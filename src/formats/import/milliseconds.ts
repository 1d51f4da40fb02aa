const msPerUnit: Readonly<Record<string, number>> = {
  ns: 1e-6,
  nanoseconds: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  usec: 1e-3,
  microseconds: 1e-3,
  ms: 1,
  msec: 1,
  milliseconds: 1,
  s: 1000,
  sec: 1000,
  seconds: 1000,
};

/** Milliseconds in one of a unit as tools spell it (`ns`, `µs`, `ms`, `sec` …); undefined for any other word. */
export function millisecondsPer(unit: string): number | undefined {
  return msPerUnit[unit.trim().toLowerCase()];
}

/** A converted number without the dust of the conversion: 9 significant digits are more than any clock has. */
export function tidy(value: number): number {
  return Number(value.toPrecision(9));
}
