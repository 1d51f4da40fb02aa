import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The Go module of the control plane for tests, the binary made of it, and the file that tells what it was made of. */
export const kubelab = {
  sources: join(root, 'tools/kubelab'),
  binary: join(root, '.cache/kubelab'),
  key: join(root, '.cache/kubelab.key'),
} as const;

/** Changes with every source of kubelab. */
export function kubelabKey(): string {
  const hash = createHash('sha256');
  for (const file of readdirSync(kubelab.sources).sort()) {
    if (/[.](go|mod|sum)$/.test(file)) hash.update(`${file}\n`).update(readFileSync(join(kubelab.sources, file)));
  }
  return hash.digest('hex');
}

/** The kubelab binary when it is built from the sources as they are, else undefined. */
export function findKubelab(): string | undefined {
  if (!existsSync(kubelab.binary) || !existsSync(kubelab.key)) return undefined;
  return readFileSync(kubelab.key, 'utf8') === kubelabKey() ? kubelab.binary : undefined;
}
