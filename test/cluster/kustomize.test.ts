import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findKubelab } from '../../tools/find-kubelab.js';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const kubelab = findKubelab();
const isMissing = kubelab === undefined && process.env['CI'] !== 'true';

function read(text: string): Map<string, Manifest> {
  const manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  return new Map(
    manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.namespace ?? ''}/${manifest.metadata.name}`, manifest]),
  );
}

/** With keys in the order in which kustomize writes them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

describe.skipIf(isMissing)(`deploy/base${isMissing ? ' (skipped: kubelab is not built)' : ''}`, () => {
  it('is for kubectl what deploy/inlay.yaml is', () => {
    const built = read(execFileSync(kubelab ?? '', ['kubectl', 'kustomize', 'deploy/base'], { encoding: 'utf8' }));
    const written = read(readFileSync('deploy/inlay.yaml', 'utf8'));
    expect(written.size).toBeGreaterThan(10);
    expect([...built.keys()].sort()).toEqual([...written.keys()].sort());
    for (const [name, manifest] of written) expect(built.get(name), name).toEqual(manifest);
  });

  it('differs in deploy/privileged-agent by the rights of the agent alone', () => {
    const built = read(execFileSync(kubelab ?? '', ['kubectl', 'kustomize', 'deploy/privileged-agent'], { encoding: 'utf8' }));
    const written = read(readFileSync('deploy/inlay.yaml', 'utf8'));
    const other = [...written].filter(([name, manifest]) => JSON.stringify(built.get(name)) !== JSON.stringify(sorted(manifest)));
    expect(other.map(([name]) => name)).toEqual(['DaemonSet inlay-agent/inlay-agent']);
    expect(JSON.stringify(built.get('DaemonSet inlay-agent/inlay-agent'))).toContain('"privileged":true');
  });
});
