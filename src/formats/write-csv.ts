/**
 * Rows of fields as CSV (RFC 4180, CRLF). Names that a spreadsheet would run as a formula are written with an apostrophe before
 * them, the usual mark for text.
 */
export function writeCsv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(writeField).join(',')}\r\n`).join('');
}

function writeField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
