import { mkdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problemLines, problemsOf } from './problem-lines.fixture.js';
import { readTextFile } from './read-file.js';
import { useTemporaryFolder } from './temporary-folder.fixture.js';

const folder = useTemporaryFolder();
const linesOf = async (file: string, maxBytes = 100) => problemLines(await problemsOf(() => readTextFile(file, maxBytes)));

describe('readTextFile', () => {
  test('reads UTF-8 without its byte order mark and leaves line breaks alone', async () => {
    const file = await folder.write('bom.txt', '\ufeffmodèle\r\n模型\n');
    expect(await readTextFile(file, 100)).toBe('modèle\r\n模型\n');
  });

  test('reads a file of exactly the limit and refuses one byte more', async () => {
    expect(await readTextFile(await folder.write('ten.txt', '0123456789'), 10)).toHaveLength(10);
    expect(await linesOf(await folder.write('eleven.txt', '0123456789A'), 10)).toMatchInlineSnapshot(
      `"eleven.txt FILE_TOO_LARGE expected at most 10 bytes received 11 bytes"`,
    );
  });

  test('refuses a huge file by its size, without reading it', async () => {
    const file = await folder.write('huge.csv', '');
    await truncate(file, 200 * 1024 ** 2);
    expect(await linesOf(file)).toMatchInlineSnapshot(`"huge.csv FILE_TOO_LARGE expected at most 100 bytes received 200 MiB"`);
  });

  test.skipIf(process.platform === 'win32')('stops reading an endless device at the limit', async () => {
    expect(await linesOf('/dev/zero')).toMatchInlineSnapshot(`"zero FILE_TOO_LARGE expected at most 100 bytes received more"`);
  });

  test('names a missing file, a file used as a folder, and a directory', async () => {
    const file = await folder.write('plain.txt', '');
    expect(await linesOf(join(folder.path, 'nothing.txt'))).toMatchInlineSnapshot(`"nothing.txt FILE_NOT_FOUND"`);
    expect(await linesOf(join(file, 'inside'))).toMatchInlineSnapshot(`"inside FILE_NOT_FOUND"`);
    const inside = join(folder.path, 'tables');
    await mkdir(inside);
    expect(await linesOf(inside)).toMatchInlineSnapshot(`"tables FILE_IS_DIRECTORY expected a file"`);
  });

  test('reports a name that no file can have as unreadable', async () => {
    expect(await linesOf(`${folder.path}/${'x'.repeat(5000)}`)).toContain('FILE_UNREADABLE');
    expect(await linesOf(`${folder.path}/a\0b`)).toContain('FILE_UNREADABLE');
  });

  test('says where bytes are that are no text', async () => {
    expect(await linesOf(await folder.write('latin1.txt', Buffer.from('model\nmod\xe8le', 'latin1')))).toMatchInlineSnapshot(
      `"latin1.txt:2:4 SYNTAX expected UTF-8 text received bytes that are not UTF-8"`,
    );
    expect(await linesOf(await folder.write('utf16.txt', Buffer.from('\ufeffmodel', 'utf16le')))).toMatchInlineSnapshot(
      `"utf16.txt:1:1 SYNTAX expected UTF-8 text received bytes that are not UTF-8"`,
    );
    expect(await linesOf(await folder.write('zero.bin', Buffer.from([0x41, 0x0a, 0x42, 0x00])))).toMatchInlineSnapshot(
      `"zero.bin:2:2 SYNTAX expected UTF-8 text received a zero byte"`,
    );
  });
});
