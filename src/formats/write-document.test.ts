import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument } from './document.js';
import { problemLines, problemsOf } from './problem-lines.fixture.js';
import { useTemporaryFolder } from './temporary-folder.fixture.js';
import { formatDocument, writeTextFile } from './write-document.js';

describe('formatDocument', () => {
  test('writes JSON with two spaces and YAML without aliases or folded lines', () => {
    const shared = { start: 0 };
    const document = { kind: 'Plan', gpus: [shared, shared], note: 'x '.repeat(100) };
    expect(formatDocument({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}\n');
    expect(formatDocument(document, 'yaml')).toBe(`kind: Plan\ngpus:\n  - start: 0\n  - start: 0\nnote: "${document.note}"\n`);
  });

  test('what is written is read back the same, in either form', () => {
    const value = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.oneof(
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        fc.boolean(),
        fc.array(fc.string()),
        fc.constant(null),
      ),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(value, (document) => {
        expect(parseDocument(formatDocument(document), 'x.json').value).toEqual(JSON.parse(JSON.stringify(document)));
        expect(parseDocument(formatDocument(document, 'yaml'), 'x.yaml').value).toEqual(document);
      }),
      { seed: 8, numRuns: 200 },
    );
  });
});

describe('writeTextFile', () => {
  const folder = useTemporaryFolder();

  test('replaces a file as a whole and leaves no draft behind', async () => {
    const file = await folder.write('plan.json', 'old');
    const { ino } = await stat(file);
    await writeTextFile(file, 'new');
    expect(await readFile(file, 'utf8')).toBe('new');
    expect((await stat(file)).ino).not.toBe(ino);
    expect(await readdir(folder.path)).toEqual(['plan.json']);
  });

  test('says that a place cannot be written to', async () => {
    const taken = join(folder.path, 'taken');
    await mkdir(taken);
    for (const file of [join(folder.path, 'no', 'plan.json'), taken]) {
      const problems = await problemsOf(() => writeTextFile(file, 'x'));
      expect(problemLines(problems)).toContain('FILE_UNWRITABLE');
      expect(problems[0]?.message).not.toContain('.tmp');
    }
  });

  test.skipIf(process.platform === 'win32')('writes to a device without replacing it', async () => {
    await writeTextFile('/dev/null', 'x');
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true);
  });
});
