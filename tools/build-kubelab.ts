/** `npm run kubelab`: builds the control plane that the cluster tests run against. `npm test` does so too. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findKubelab, kubelab, kubelabKey } from './find-kubelab.js';

/**
 * Builds kubelab unless it is there: 10 to 20 minutes the first time on two cores, then out of Go's cache. False when the
 * build fails, and under CI without Go, where no test may be skipped for lack of it.
 */
export function buildKubelab(): boolean {
  if (findKubelab() !== undefined) return true;
  if (spawnSync('go', ['version']).status !== 0) {
    console.log('No Go was found: tests against a real API server are skipped. Install Go 1.26, or set INLAY_TEST_KUBECONFIG.');
    return process.env['CI'] !== 'true';
  }
  console.log('Building kubelab for the cluster tests; the first build takes 10 to 20 minutes.');
  mkdirSync(dirname(kubelab.binary), { recursive: true });
  const key = kubelabKey();
  const { status } = spawnSync('go', ['build', '-p', '2', '-trimpath', '-ldflags', linkerFlags(), '-o', kubelab.binary, './'], {
    cwd: kubelab.sources,
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -buildvcs=false' },
  });
  if (status === 0) writeFileSync(kubelab.key, key);
  return status === 0;
}

/** Without a version linked in, `/version` of the API server reads v0.0.0-master. */
function linkerFlags(): string {
  const module = readFileSync(join(kubelab.sources, 'go.mod'), 'utf8');
  const [, version, major, minor] = /k8s[.]io\/kubernetes (v(\d+)[.](\d+)[.]\d+)/.exec(module) ?? [];
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const links = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-s', '-w', ...links].join(' ');
}

if (process.argv[1] === import.meta.filename && !buildKubelab()) process.exitCode = 1;
