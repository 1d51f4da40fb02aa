import { inlayError } from '../../errors.js';
import { limits } from '../limits.js';
import { readTextFile } from '../read-file.js';

const gibPer: Readonly<Record<string, number>> = { mib: 1 / 1024, gib: 1, kib: 1 / 1024 ** 2, '': 1 / 1024 };

/**
 * Reads `nvidia-smi --query-gpu=memory.used --format=csv` (or `--query-compute-apps=used_memory`), with or without header and
 * units, and answers the most memory in use, GiB. Without a unit numbers are MiB, as nvidia-smi writes them. Throws InlayError.
 */
export async function readMemoryQuery(file: string): Promise<number> {
  const lines = (await readTextFile(file, limits.tableBytes.value)).split(/\r?\n/).filter((line) => line.trim() !== '');
  const header = lines[0]?.split(',').map((name) => name.trim()) ?? [];
  const place = header.findIndex((name) => /^(memory\.used|used_gpu_memory|used_memory)\b/.test(name));
  const unit = /\[(\w+)\]/.exec(header[place] ?? '')?.[1] ?? '';
  let most = 0;
  for (const [index, line] of lines.entries()) {
    if (place >= 0 && index === 0) continue;
    const field = (line.split(',')[Math.max(place, 0)] ?? '').trim();
    if (/^\[?n\/?a\]?$/i.test(field)) continue;
    const match = /^(\d+(?:\.\d+)?)\s*([KMG]iB)?$/.exec(field);
    const factor = gibPer[(match?.[2] ?? unit).toLowerCase()];
    if (match === null || factor === undefined) throw wrongLine(file, index + 1, line);
    most = Math.max(most, Number(match[1]) * factor);
  }
  if (most > 0) return most;
  throw inlayError('NO_ROWS', {
    message: `${file} shows no memory in use.`,
    file,
    expected: 'nvidia-smi --query-gpu=memory.used --format=csv',
  });
}

function wrongLine(file: string, line: number, text: string) {
  return inlayError('SYNTAX', {
    message: `A line of ${file} is no amount of memory.`,
    file,
    line,
    column: 1,
    expected: 'a number with MiB or GiB',
    received: text.trim().slice(0, 80),
  });
}
