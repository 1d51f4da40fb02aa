import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditedRequest, readRequests } from './audit.fixture.js';

/** A control plane that runs: etcd, API server, scheduler and controller manager as processes in a folder of their own. */
export interface ControlPlane {
  readonly folder: string;
  /** `https://127.0.0.1:<port>`. */
  readonly server: string;
  /** PEM; read after the start, since the API server makes it. */
  readonly certificate: string;
  /** Bearer token of each user. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Process ids by component, for measuring. */
  pids(): Readonly<Record<string, number>>;
  /** Stops the API server at once (SIGKILL), without the rest. */
  killApiServer(): Promise<void>;
  /** Starts it again on the same port with the same data. */
  startApiServer(): Promise<void>;
  /** What the API server wrote about the requests of a user. */
  requestsOf(user: string): readonly AuditedRequest[];
  stop(): Promise<void>;
}

/** Users of the test cluster; `admin` may do everything, the others what RBAC gives them. */
export const users = ['admin', 'operator', 'agent', 'viewer', 'approver', 'team'] as const;

const readyWithinMs = 60_000;

/** Starts everything on free ports of this machine; a component that does not come up fails with the end of its log. */
export async function startControlPlane(binary: string): Promise<ControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'inlay-cluster-'));
  const running = new Map<string, ChildProcess>();
  const [client, peer, secure] = await freePorts(3);
  const server = `https://127.0.0.1:${secure}`;
  const tokens = Object.fromEntries(users.map((user) => [user, randomBytes(16).toString('hex')]));
  writeSecrets(folder, tokens);

  function start(component: string, args: readonly string[]): void {
    const child = spawn(binary, [component, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, KUBELAB_END_WITH_STDIN: '1' },
    });
    const log = createWriteStream(join(folder, `${component}.log`), { flags: 'a' });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    running.set(component, child);
  }

  async function end(component: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = running.get(component);
    running.delete(component);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    const impatient = setTimeout(() => child.kill('SIGKILL'), 5000);
    child.kill(signal);
    await gone;
    clearTimeout(impatient);
  }

  async function until(component: string, ready: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + readyWithinMs;
    while (!(await ready())) {
      const child = running.get(component);
      if (child === undefined || child.exitCode !== null || performance.now() > deadline) {
        const log = join(folder, `${component}.log`);
        throw new Error(`${component} did not become ready:\n${existsSync(log) ? readFileSync(log, 'utf8').slice(-3000) : ''}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function startApiServer(): Promise<void> {
    start('apiserver', apiServerFlags(folder, client, secure));
    await until('apiserver', () => isReady(server, tokens['admin'] ?? ''));
  }

  async function stop(): Promise<void> {
    // The API server waits for its watchers to leave; the others end on their own.
    await Promise.all(['scheduler', 'controller-manager', 'apiserver'].map((component) => end(component, 'SIGKILL')));
    await end('etcd', 'SIGTERM');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  try {
    start('etcd', ['--dir', join(folder, 'etcd'), '--client', `127.0.0.1:${client}`, '--peer', `127.0.0.1:${peer}`]);
    await startApiServer();
    writeFileSync(join(folder, 'components.kubeconfig'), kubeconfigText(server, certificateOf(folder), tokens['admin'] ?? ''));
    start('scheduler', schedulerFlags(folder));
    start('controller-manager', controllerManagerFlags(folder));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    folder,
    server,
    certificate: certificateOf(folder),
    tokens,
    pids: () => Object.fromEntries([...running].map(([component, child]) => [component, child.pid ?? 0])),
    killApiServer: () => end('apiserver', 'SIGKILL'),
    startApiServer,
    requestsOf: (user) => readRequests(join(folder, 'audit.log'), user),
    stop,
  };
}

/** A kubeconfig with one user. `as` acts for another user, as an administrator may. */
export function kubeconfigText(server: string, certificate: string, token: string, as?: string): string {
  // The client takes plain http only where it is told not to verify.
  const isPlain = server.startsWith('http:');
  const trust = isPlain
    ? { 'insecure-skip-tls-verify': true }
    : { 'certificate-authority-data': Buffer.from(certificate).toString('base64') };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: { server, ...trust } }],
    users: [{ name: 'test', user: { token, ...(as === undefined ? {} : { as }) } }],
  });
}

function writeSecrets(folder: string, tokens: Readonly<Record<string, string>>): void {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  });
  mkdirSync(join(folder, 'certs'));
  writeFileSync(join(folder, 'sa.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(folder, 'sa.pub'), publicKey);
  const lines = users.map((user) => `${tokens[user]},${user},${user},${user === 'admin' ? 'system:masters' : 'people'}\n`);
  writeFileSync(join(folder, 'tokens.csv'), lines.join(''), { mode: 0o600 });
  // Only requests of those that RBAC binds: the components' own would fill the disk.
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [
      { level: 'None', users: ['admin', 'system:apiserver', 'system:anonymous'] },
      { level: 'None', nonResourceURLs: ['*'] },
      { level: 'Metadata' },
    ],
  };
  writeFileSync(join(folder, 'audit-policy.json'), JSON.stringify(policy));
}

const certificateOf = (folder: string) => readFileSync(join(folder, 'certs/apiserver.crt'), 'utf8');

function apiServerFlags(folder: string, client: number, secure: number): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${client}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${secure}`,
    '--endpoint-reconciler-type=none',
    `--cert-dir=${join(folder, 'certs')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(folder, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
    '--service-cluster-ip-range=10.0.0.0/16',
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    '--enable-priority-and-fairness=false',
    `--audit-policy-file=${join(folder, 'audit-policy.json')}`,
    `--audit-log-path=${join(folder, 'audit.log')}`,
    '--v=0',
  ];
}

/** By default each asks at most 20 to 50 times a second, which is slower than the tests. */
const unthrottled = ['--kube-api-qps=1000', '--kube-api-burst=2000'];

function schedulerFlags(folder: string): string[] {
  return [
    `--kubeconfig=${join(folder, 'components.kubeconfig')}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    '--authentication-skip-lookup=true',
    ...unthrottled,
  ];
}

function controllerManagerFlags(folder: string): string[] {
  // Without the node lifecycle controller: emulated nodes renew no leases and would be taken for dead.
  const controllers = [
    'deployment-controller',
    'replicaset-controller',
    'disruption-controller',
    'endpointslice-controller',
    'garbage-collector-controller',
    'namespace-controller',
    'serviceaccount-controller',
    'resourceclaim-controller',
    'daemonset-controller',
    'clusterrole-aggregation-controller',
  ];
  return [
    `--kubeconfig=${join(folder, 'components.kubeconfig')}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    `--service-account-private-key-file=${join(folder, 'sa.key')}`,
    `--root-ca-file=${join(folder, 'certs/apiserver.crt')}`,
    `--controllers=${controllers.join(',')}`,
    ...unthrottled,
  ];
}

function isReady(server: string, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    // The certificate is being made while we ask.
    const asking = request(`${server}/readyz`, { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asking.on('error', () => resolve(false));
    asking.setTimeout(2000, () => asking.destroy());
    asking.end();
  });
}

/** Ports that nobody listens on now. They are all held until the last is found, so that none comes twice. */
async function freePorts(count: number): Promise<[number, number, number]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports as [number, number, number];
}
