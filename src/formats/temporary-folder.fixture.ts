import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** A folder that lives as long as the tests of one file. */
export interface TemporaryFolder {
  readonly path: string;
  /** Writes a file into the folder and answers its path. */
  write(name: string, content: string | Uint8Array): Promise<string>;
}

/** Makes a folder before the tests and removes it after them. */
export function useTemporaryFolder(): TemporaryFolder {
  let path = '';
  beforeAll(async () => {
    path = await mkdtemp(join(tmpdir(), 'inlay-'));
  });
  afterAll(() => rm(path, { recursive: true, force: true }));
  return {
    get path() {
      return path;
    },
    async write(name, content) {
      const file = join(path, name);
      await writeFile(file, content);
      return file;
    },
  };
}
