import { join } from 'node:path';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { problemLines, problemsOf } from '../problem-lines.fixture.js';
import { useTemporaryFolder } from '../temporary-folder.fixture.js';
import { type ImportRequest, importMeasurements } from './import-measurements.js';
import { writeImportedRows } from './imported-row.js';

/** A whole setting, for tests that are about something else. */
export const wholeSetting = { model: 'm', gpu: 'A100-80GB', profile: '1g.10gb', batch: 8, processes: 1 };

/** What is asked for beside the files. */
export type Asked = Pick<ImportRequest, 'format'> & Partial<ImportRequest>;

/** Imports texts as files; answers are shown without the folder they were in. */
export function useImports() {
  const folder = useTemporaryFolder();
  let imports = 0;

  const write = async (texts: Readonly<Record<string, string | Uint8Array>>): Promise<readonly string[]> => {
    imports += 1;
    return Promise.all(Object.entries(texts).map(([name, text]) => folder.write(`${imports}-${name}`, text)));
  };
  const importTexts = async (asked: Asked, texts: Readonly<Record<string, string | Uint8Array>>) => {
    const files = (await write(texts)).filter((file) => !file.endsWith('meta.json'));
    return importMeasurements({ catalogue: builtInCatalogue, given: wholeSetting, files, ...asked });
  };
  const withoutFolder = (text: string) => text.replaceAll(join(folder.path, `${imports}-`), '');

  return {
    folder,
    write,
    importTexts,
    /** The table as text. */
    async table(asked: Asked, texts: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
      return withoutFolder(writeImportedRows((await importTexts(asked, texts)).rows).replaceAll('\r\n', '\n'));
    },
    /** One line a note: code and message. */
    async notes(asked: Asked, texts: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
      const { notes } = await importTexts(asked, texts);
      return withoutFolder(
        notes.map(({ code, message, line, column }) => `${line === undefined ? '' : `${line}:${column} `}${code} ${message}`).join('\n'),
      );
    },
    /** One line a problem, with its place. */
    async problems(asked: Asked, texts: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
      return problemLines(await problemsOf(() => importTexts(asked, texts))).replaceAll(`${imports}-`, '');
    },
  };
}
