import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../src/cluster/client/connect.js';
import type { RequestReport } from '../../src/cluster/client/connection.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import type { KubeObject } from '../../src/cluster/client/object-types.js';
import { namespaces } from '../../src/cluster/client/resources.js';
import { findKubelab } from '../../tools/find-kubelab.js';
import { cleanCluster } from './clean-cluster.fixture.js';
import { type ControlPlane, kubeconfigText, startControlPlane, type users } from './control-plane.fixture.js';

export type ClusterUser = (typeof users)[number];

/** A cluster for tests: an API server with scheduler and controllers, and no node but those that a test makes. */
export interface TestCluster {
  /** The processes; undefined when a cluster was given by INLAY_TEST_KUBECONFIG. */
  readonly controlPlane: ControlPlane | undefined;
  /** Path of a kubeconfig of a user; `server` sends its requests elsewhere, such as through a faulty proxy. */
  kubeconfig(user?: ClusterUser, server?: string): Promise<string>;
  /** Path of a kubeconfig with a token of a ServiceAccount, as a pod of it has it; with `pod` the token says which, and on which node. */
  serviceAccountKubeconfig(namespace: string, name: string, pod?: KubeObject): Promise<string>;
  /** An API for a user, closed with the cluster. */
  api(user?: ClusterUser, onRequest?: (report: RequestReport) => void): Promise<KubernetesApi>;
  /** Makes a namespace with a name of its own and returns the name. */
  namespace(prefix?: string): Promise<string>;
  stop(): Promise<void>;
}

const given = process.env['INLAY_TEST_KUBECONFIG'];
const binary = findKubelab();

/** Why tests against a real API server cannot run here; undefined when they can. Under CI they always run, and fail. */
export const whyNoCluster =
  given !== undefined || binary !== undefined || process.env['CI'] === 'true'
    ? undefined
    : 'kubelab is not built (npm run kubelab needs Go) and INLAY_TEST_KUBECONFIG is not set';

/** For the title of a `describe.skipIf(whyNoCluster)`: says why it was skipped. */
export const skippedBecause = whyNoCluster === undefined ? '' : ` (skipped: ${whyNoCluster})`;

/** Whether the control plane is one that tests may kill and put a proxy before; not so with INLAY_TEST_KUBECONFIG. */
export const ownsCluster = given === undefined;

/** Starts a fresh cluster, or takes the one that INLAY_TEST_KUBECONFIG names. Stop it in `afterAll`. */
export async function startCluster(): Promise<TestCluster> {
  if (given !== undefined) return useCluster(given);
  if (binary === undefined) throw new Error('kubelab is not built: npm run kubelab');
  const controlPlane = await startControlPlane(binary);
  const { folder, server, certificate, tokens } = controlPlane;
  let count = 0;
  const write = (text: string) => {
    const file = join(folder, `kubeconfig-${count++}.json`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  return withApis(
    controlPlane,
    async (user, through = server) => write(kubeconfigText(through, certificate, tokens[user] ?? '')),
    async (token) => write(kubeconfigText(server, certificate, token)),
    () => controlPlane.stop(),
  );
}

/** A cluster that exists already and can be thrown away: its kubeconfig must be an administrator's, who acts for the other users. */
async function useCluster(file: string): Promise<TestCluster> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromFile(file);
  const folder = mkdtempSync(join(tmpdir(), 'inlay-cluster-'));
  let count = 0;
  const write = (change: (exported: ExportedConfig) => void) => {
    const exported = JSON.parse(config.exportConfig()) as ExportedConfig;
    change(exported);
    const path = join(folder, `kubeconfig-${count++}.json`);
    writeFileSync(path, JSON.stringify(exported), { mode: 0o600 });
    return path;
  };
  const admin = await connect({ kubeconfig: file });
  await cleanCluster(admin);
  admin.close();
  return withApis(
    undefined,
    async (user, server) =>
      write((exported) => {
        if (user !== 'admin') for (const entry of exported.users) entry.user['as'] = user;
        if (server !== undefined) for (const entry of exported.clusters) entry.cluster['server'] = server;
      }),
    async (token) =>
      write((exported) => {
        for (const entry of exported.users) entry.user = { token };
      }),
    async () => rmSync(folder, { recursive: true, force: true }),
  );
}

interface ExportedConfig {
  readonly users: { user: Record<string, unknown> }[];
  readonly clusters: { readonly cluster: Record<string, unknown> }[];
}

function withApis(
  controlPlane: ControlPlane | undefined,
  kubeconfigOf: (user: ClusterUser, server?: string) => Promise<string>,
  kubeconfigWith: (token: string) => Promise<string>,
  stop: () => Promise<void>,
): TestCluster {
  const apis: KubernetesApi[] = [];
  const api = async (user: ClusterUser = 'admin', onRequest?: (report: RequestReport) => void) => {
    const made = await connect({ kubeconfig: await kubeconfigOf(user), onRequest });
    apis.push(made);
    return made;
  };
  return {
    controlPlane,
    kubeconfig: (user = 'admin', server) => kubeconfigOf(user, server),
    async serviceAccountKubeconfig(namespace, name, pod) {
      return kubeconfigWith(await requestToken(await kubeconfigOf('admin'), { namespace, name }, pod));
    },
    api,
    async namespace(prefix = 'team') {
      const name = `${prefix}-${Math.random().toString(36).slice(2, 8)}`;
      await (await api()).create(namespaces, { metadata: { name } });
      return name;
    },
    async stop() {
      for (const made of apis) made.close();
      await stop();
    },
  };
}

async function requestToken(kubeconfig: string, account: { readonly namespace: string; readonly name: string }, pod?: KubeObject) {
  const { CoreV1Api, KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const { name = '', uid = '' } = pod?.metadata ?? {};
  const bound = pod && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } };
  const body = { spec: { audiences: [], expirationSeconds: 3600, ...bound } };
  const answer = await config.makeApiClient(CoreV1Api).createNamespacedServiceAccountToken({ ...account, body });
  return answer.status?.token ?? '';
}

/** Runs kubectl, kubelab's where it is built; fails with what it said. Warnings are in `stderr`. */
export async function kubectl(
  kubeconfig: string,
  ...args: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const [command, ...first] = binary === undefined ? ['kubectl'] : [binary, 'kubectl'];
  return promisify(execFile)(command, [...first, '--kubeconfig', kubeconfig, ...args]);
}

/** Waits until a question has an answer other than undefined or false; fails with the sentence after half a minute. */
export async function eventually<T>(
  sentence: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 30_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${sentence}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
