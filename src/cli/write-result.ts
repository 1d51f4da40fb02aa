import type { CliIo } from './io.js';

/** Puts the result of a command into the file that `-o` names (atomically), or on stdout. */
export async function writeResult(io: CliIo, text: string, out: string | undefined): Promise<void> {
  if (out === undefined) {
    io.stdout.write(text);
    return;
  }
  const { writeTextFile } = await import('../formats/write-document.js');
  await writeTextFile(out, text);
}
