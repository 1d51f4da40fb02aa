import { expect, test } from 'vitest';
import { formatTable } from './text-table.js';

test('a table is aligned by terminal cells, also with wide characters, and has no trailing blanks', () => {
  const table = formatTable(
    [{ title: 'service' }, { title: 'rps', align: 'right' }, { title: 'note' }],
    [
      ['画像分類', '829', 'x'],
      ['a', '0.5', ''],
      ['e\u0301te\u0301', '12', 'é'],
    ],
  );
  expect(table).toBe(['  service   rps  note', '  画像分類  829  x', '  a         0.5', '  e\u0301te\u0301        12  é', ''].join('\n'));
});

test('control characters in a cell are spelled out', () => {
  expect(formatTable([{ title: 'a' }], [['x\ny\u001b[31m']])).toBe('  a\n  x\\u000ay\\u001b[31m\n');
});
