import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { customResourceDefinitions } from '../src/cluster/objects/crds.js';

/** The files of `deploy/` that are made: the CustomResourceDefinitions, and everything of the base in one file. */
export async function deployFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const definition of customResourceDefinitions()) {
    const text = stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false });
    files.set(`deploy/crds/${definition.spec.names.plural}.yaml`, `# Made from src/cluster/objects by npm run docs.\n${text}`);
  }
  const { resources } = parse(await readFile('deploy/base/kustomization.yaml', 'utf8')) as { readonly resources: readonly string[] };
  const parts: string[] = [];
  for (const name of resources) {
    const texts = name === '../crds' ? [...files.values()] : [await readFile(`deploy/base/${name}`, 'utf8')];
    parts.push(...texts.map((text) => text.trimEnd()));
  }
  // A base may name folders beside it, but no files in them.
  const crds = customResourceDefinitions().map(({ spec }) => `${spec.names.plural}.yaml`);
  const kustomization = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources: crds };
  files.set('deploy/crds/kustomization.yaml', `# Made from src/cluster/objects by npm run docs.\n${stringify(kustomization)}`);
  files.set(
    'deploy/inlay.yaml',
    `# Made from deploy/base by npm run docs: kubectl apply --server-side -f deploy/inlay.yaml\n${parts.join('\n---\n')}\n`,
  );
  return files;
}
