import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { version } from '../src/version.js';
import { deployFiles } from '../tools/deploy-files.js';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: {
    readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
    readonly podSelector?: { readonly matchLabels: Labels };
    readonly policyTypes?: readonly string[];
    readonly ingress?: readonly Peers[];
    readonly egress?: readonly Peers[];
  };
}

type Labels = Readonly<Record<string, string>>;

interface Peers {
  readonly ports: readonly { readonly protocol: string; readonly port: number }[];
  readonly from?: unknown;
  readonly to?: unknown;
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly securityContext?: { readonly runAsNonRoot?: boolean };
  readonly containers: readonly Container[];
}

interface Probe {
  readonly httpGet: { readonly port: string };
}

interface Container {
  readonly image: string;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly securityContext: object;
}

async function readManifests(): Promise<readonly Manifest[]> {
  return parseAllDocuments(await readFile('deploy/inlay.yaml', 'utf8')).map((document) => document.toJS() as Manifest);
}

async function readPods() {
  return (await readManifests()).flatMap(({ metadata, spec }) =>
    spec?.template ? [{ ...metadata, labels: spec.template.metadata.labels, pod: spec.template.spec }] : [],
  );
}

test('the files of deploy/ are those that the code makes; if not, run npm run docs', async () => {
  const files = await deployFiles();
  for (const [path, text] of files) expect(await readFile(path, 'utf8'), path).toBe(text);
  const crds = (await readdir('deploy/crds')).map((name) => `deploy/crds/${name}`);
  expect(crds.sort()).toEqual([...files.keys()].filter((path) => path.startsWith('deploy/crds/')).sort());
});

test('every container reads only, gains no privileges, and is of this version; the operator is not root', async () => {
  const pods = await readPods();
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

test('network policies close both pods but for probes and metrics, and the API server', async () => {
  const policies = (await readManifests()).filter(({ kind }) => kind === 'NetworkPolicy');
  for (const { name, namespace, labels, pod } of await readPods()) {
    const own = policies.filter((policy) => policy.metadata.namespace === namespace);
    expect(own, name).toHaveLength(1);
    const { podSelector, policyTypes, ingress = [], egress = [] } = own[0]?.spec ?? {};
    expect(labels, name).toMatchObject(podSelector?.matchLabels ?? { missing: '' });
    expect(policyTypes, name).toEqual(['Ingress', 'Egress']);
    const [container] = pod.containers;
    const ports = new Map(container?.ports?.map((port) => [port.name, port.containerPort]));
    const probed = [container?.livenessProbe, container?.readinessProbe].flatMap((probe) => (probe ? [ports.get(probe.httpGet.port)] : []));
    const open = ingress.flatMap((rule) => rule.ports.map(({ port }) => port));
    expect(open, name).toEqual([...ports.values()]);
    expect(open, name).toEqual([...new Set(probed)]);
    expect(
      egress.flatMap((rule) => rule.ports.map(({ protocol, port }) => `${protocol} ${port}`)),
      name,
    ).toEqual(['TCP 443', 'TCP 6443']);
    for (const rule of [...ingress, ...egress]) expect(Object.keys(rule), name).toEqual(['ports']);
  }
});
