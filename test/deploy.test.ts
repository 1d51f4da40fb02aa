import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { version } from '../src/version.js';
import { deployFiles } from '../tools/deploy-files.js';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?: {
      readonly spec: { readonly securityContext?: { readonly runAsNonRoot?: boolean }; readonly containers: readonly Container[] };
    };
  };
}

interface Container {
  readonly image: string;
  readonly securityContext: {
    readonly readOnlyRootFilesystem?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[] };
  };
}

test('the files of deploy/ are those that the code makes; if not, run npm run docs', async () => {
  const files = await deployFiles();
  for (const [path, text] of files) expect(await readFile(path, 'utf8'), path).toBe(text);
  const crds = (await readdir('deploy/crds')).map((name) => `deploy/crds/${name}`);
  expect(crds.sort()).toEqual([...files.keys()].filter((path) => path.startsWith('deploy/crds/')).sort());
});

test('every container reads only, gains no privileges, and is of this version; the operator is not root', async () => {
  const manifests = parseAllDocuments(await readFile('deploy/inlay.yaml', 'utf8')).map((document) => document.toJS() as Manifest);
  const pods = manifests.flatMap(({ metadata, spec }) => (spec?.template?.spec ? [{ name: metadata.name, pod: spec.template.spec }] : []));
  expect(pods.map(({ name }) => name)).toEqual(['inlay-operator', 'inlay-agent']);
  for (const { name, pod } of pods) {
    for (const { image, securityContext } of pod.containers) {
      expect(image, name).toBe(`inlay:${version}`);
      expect(securityContext, name).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
  }
  expect(pods[0]?.pod.securityContext?.runAsNonRoot).toBe(true);
});
