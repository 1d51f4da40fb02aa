import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../src/cli/io.fixture.js';
import { type PrintedGpu, printNvidiaSmi } from '../../src/cluster/agent/nvidia-smi.fixture.js';
import { listPodResources } from '../../src/cluster/agent/pod-resources.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { nodes } from '../../src/cluster/client/resources.js';
import { nodeStates } from '../../src/cluster/objects/kinds.js';
import { findKubelab } from '../../tools/find-kubelab.js';
import { eventually, skippedBecause, startCluster, type TestCluster, whyNoCluster } from './cluster.fixture.js';
import { installCrds } from './crds.fixture.js';

const kubelab = findKubelab();
const pair = (id: string): PrintedGpu => ({
  uuid: `GPU-${id}`,
  product: 'NVIDIA A100-SXM4-80GB',
  migEnabled: true,
  instances: [
    { profile: '3g.40gb', start: 4, size: 4, id: 1, uuids: [`MIG-${id}-1`] },
    { profile: '1g.10gb+me', start: 0, size: 1, id: 9, uuids: [`MIG-${id}-9`] },
  ],
});
const whole = (id: string): PrintedGpu => ({ uuid: `GPU-${id}`, product: 'NVIDIA A100-SXM4-80GB', migEnabled: false, instances: [] });

/** A node as the agent sees it: a script in the place of nvidia-smi, and the kubelet's own gRPC service behind a socket. */
class FakeNode {
  readonly folder = mkdtempSync(join(tmpdir(), 'inlay-agent-'));
  readonly socket = join(this.folder, 'kubelet.sock');
  readonly command = join(this.folder, 'nvidia-smi');
  readonly #held = join(this.folder, 'held.json');
  readonly #kubelet: ChildProcess;

  constructor() {
    this.holds({});
    const script = `#!/bin/sh\ncd ${this.folder}\n[ -e broken ] && echo "Unable to determine the device handle" && exit 3\ncase "$1" in -q) cat query;; -L) cat list;; mig) cat instances; grep -q '^No MIG' instances && exit 6; exit 0;; esac\n`;
    writeFileSync(this.command, script, { mode: 0o755 });
    this.#kubelet = spawn(kubelab ?? '', ['podresources', '--socket', this.socket, '--file', this.#held], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { ...process.env, KUBELAB_END_WITH_STDIN: '1' },
    });
  }

  isCut(gpus: readonly PrintedGpu[]): void {
    const texts = printNvidiaSmi(gpus);
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(this.folder, name), text);
  }

  /** Devices by pod `namespace/name`. */
  holds(pods: Readonly<Record<string, { resource: string; devices: readonly string[] }>>): void {
    const list = Object.entries(pods).map(([key, { resource, devices }]) => {
      const [namespace, name] = key.split('/');
      return {
        name,
        namespace,
        containers: [{ name: 'server', devices: [{ resource_name: resource, device_ids: devices }], cpu_ids: [1, 300] }],
      };
    });
    writeFileSync(this.#held, JSON.stringify({ pod_resources: list }));
  }

  breakDriver(): void {
    writeFileSync(join(this.folder, 'broken'), '');
  }

  mendDriver(): void {
    rmSync(join(this.folder, 'broken'));
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#kubelet.once('exit', resolve));
    this.#kubelet.kill();
    await gone;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe.skipIf(kubelab === undefined || whyNoCluster)(`the agent of a node${skippedBecause}`, () => {
  let node: FakeNode;
  let cluster: TestCluster;
  let api: KubernetesApi;

  beforeAll(async () => {
    node = new FakeNode();
    cluster = await startCluster();
    api = await cluster.api();
    await installCrds(api);
    await eventually('the socket is there', () => existsSync(node.socket));
  }, 120_000);
  afterAll(async () => {
    await node?.stop();
    await cluster?.stop();
  });

  it('asks the kubelet over its own gRPC service', async () => {
    node.holds({
      'team/a': { resource: 'nvidia.com/gpu', devices: ['GPU-1', 'GPU-2'] },
      'team/b': { resource: 'example.com/nic', devices: ['x'] },
    });
    expect(await listPodResources(node.socket)).toEqual([
      { namespace: 'team', pod: 'a', container: 'server', resource: 'nvidia.com/gpu', devices: ['GPU-1', 'GPU-2'] },
      { namespace: 'team', pod: 'b', container: 'server', resource: 'example.com/nic', devices: ['x'] },
    ]);
    const many = Array.from(
      { length: 2000 },
      (_, index) => [`team/pod-${index}`, { resource: 'nvidia.com/gpu', devices: [`GPU-${index}`] }] as const,
    );
    node.holds(Object.fromEntries(many));
    expect(await listPodResources(node.socket)).toHaveLength(2000);
    writeFileSync(join(node.folder, 'held.json'), 'no JSON');
    await expect(listPodResources(node.socket)).rejects.toMatchObject({ code: 'KUBELET_UNREADABLE' });
  });

  const print = () => ['agent', '--print', '--nvidia-smi', node.command, '--socket', node.socket];

  it('prints what it sees without a cluster', async () => {
    node.isCut([pair('a'), whole('b')]);
    node.holds({
      'team/one': { resource: 'nvidia.com/mig-3g.40gb', devices: ['MIG-a-1'] },
      'team/two': { resource: 'nvidia.com/gpu.shared', devices: ['GPU-b::3'] },
    });
    const { exitCode, stdout } = await runInProcess(print());
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      driver: '580.95.05',
      gpus: [
        {
          index: 0,
          uuid: 'GPU-a',
          product: 'NVIDIA A100-SXM4-80GB',
          migEnabled: true,
          instances: [
            { profile: '1g.10gb+me', start: 0, uuid: 'MIG-a-9' },
            { profile: '3g.40gb', start: 4, uuid: 'MIG-a-1', pod: { namespace: 'team', name: 'one', container: 'server' } },
          ],
        },
        {
          index: 1,
          uuid: 'GPU-b',
          product: 'NVIDIA A100-SXM4-80GB',
          migEnabled: false,
          pod: { namespace: 'team', name: 'two', container: 'server' },
          instances: [],
        },
      ],
    });
  });

  it('says what failed, and on which command', async () => {
    node.breakDriver();
    const { exitCode, stderr } = await runInProcess(print());
    node.mendDriver();
    expect(exitCode).toBe(1);
    expect(stderr).toContain('-q -x failed');
    expect(stderr).toContain('Unable to determine the device handle');
  });

  it('publishes the state of its node as a thing of the node, and follows it through failures', async () => {
    const { metadata } = await api.create(nodes, { metadata: { name: 'gpu-1' } });
    node.isCut([whole('a')]);
    node.holds({});
    const kubeconfig = await cluster.kubeconfig('admin');
    const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
    const agent = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        main,
        'agent',
        '--interval',
        '100ms',
        '--nvidia-smi',
        node.command,
        '--socket',
        node.socket,
        '--kubeconfig',
        kubeconfig,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, NODE_NAME: 'gpu-1' } },
    );
    let log = '';
    agent.stderr.on('data', (piece) => {
      log += piece;
    });
    const read = () => api.get(nodeStates, { name: 'gpu-1' }).catch(() => undefined);
    const first = await eventually('the first report', read);
    expect(first).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Node', name: 'gpu-1', uid: metadata.uid }] },
      spec: { driver: '580.95.05', gpus: [{ index: 0, uuid: 'GPU-a', migEnabled: false, instances: [] }] },
    });
    node.breakDriver();
    await eventually('the failure is logged', () => /"level":"error".*Unable to determine/.test(log));
    node.isCut([pair('a')]);
    node.holds({ 'team/one': { resource: 'nvidia.com/mig-3g.40gb', devices: ['MIG-a-1'] } });
    node.mendDriver();
    const second = await eventually('the cut is reported', async () => {
      const found = await read();
      return found?.spec.gpus[0]?.instances[1]?.pod?.name === 'one' && found;
    });
    expect(Date.parse(second.spec.observedAt ?? '')).toBeGreaterThan(Date.parse(first.spec.observedAt ?? ''));
    // An unchanged node is not written again: the version stays while the agent looks some more times.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await read())?.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    const ended = new Promise((resolve) => agent.once('exit', (code) => resolve(code)));
    agent.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
