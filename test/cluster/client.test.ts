import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { execute } from '../../src/cluster/act/execute.js';
import { connect } from '../../src/cluster/client/connect.js';
import { type Informer, startInformer } from '../../src/cluster/client/informer.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { isTooManyRequests, isTransient } from '../../src/cluster/client/kubernetes-error.js';
import type { ConfigMap } from '../../src/cluster/client/object-types.js';
import { configMaps, services } from '../../src/cluster/client/resources.js';
import { eventually, ownsCluster, skippedBecause, startCluster, type TestCluster, whyNoCluster } from './cluster.fixture.js';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.fixture.js';

describe.skipIf(whyNoCluster !== undefined || !ownsCluster)(`the client of the cluster${skippedBecause}`, () => {
  let cluster: TestCluster;
  let proxy: FaultyProxy;
  let direct: KubernetesApi;
  let api: KubernetesApi;
  let namespace: string;

  beforeAll(async () => {
    cluster = await startCluster();
    direct = await cluster.api();
    proxy = await startFaultyProxy(cluster.controlPlane?.server ?? '');
    api = await connect({ kubeconfig: await cluster.kubeconfig('admin', proxy.server) });
  }, 120_000);
  beforeEach(async () => {
    namespace = await cluster.namespace();
  });
  afterAll(async () => {
    api?.close();
    await proxy?.stop();
    await cluster?.stop();
  });

  const aMap = (name: string, value: string): ConfigMap => ({ metadata: { name, namespace }, data: { value } });
  const write = (name: string, value: string) => direct.apply(configMaps, aMap(name, value), { fieldManager: 'test', force: true });

  /** An informer of the namespace through the proxy, and a question whether it holds exactly these values by name. */
  async function follow(): Promise<{ informer: Informer<ConfigMap>; holds(values: Record<string, string>): Promise<unknown> }> {
    const informer = startInformer(api, configMaps, {
      namespace,
      retryMs: { first: 20, most: 200 },
      keep: ({ metadata, data = {} }) => ({ metadata, data }),
    });
    await informer.synced;
    const read = () => {
      const own = informer.items().filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
      return Object.fromEntries(own.map(({ metadata, data }) => [metadata.name, data?.['value']]));
    };
    return {
      informer,
      holds: (values) =>
        eventually(`the copy holds ${JSON.stringify(values)}`, () => {
          const copy = read();
          return (
            Object.keys(copy).length === Object.keys(values).length && Object.entries(values).every(([name, value]) => copy[name] === value)
          );
        }),
    };
  }

  it.each([
    ['a dropped watch', () => proxy.dropWatches()],
    ['a version that has expired', () => proxy.expireWatches()],
    [
      'an expired version, a failing list and a throttled one',
      () => {
        proxy.answer({ method: 'GET', path: /configmaps[?]limit/ }, 500, { times: 2 });
        proxy.answer({ method: 'GET', path: /configmaps[?]limit/ }, 429, { times: 1 });
        proxy.expireWatches();
      },
    ],
    [
      'a cut connection',
      () => {
        proxy.cut();
        setTimeout(() => proxy.resume(), 300);
      },
    ],
  ])('follows the cluster through %s and misses nothing', async (_, breakIt) => {
    await write('stays', '1');
    await write('goes', '1');
    const { informer, holds } = await follow();
    await holds({ stays: '1', goes: '1' });
    await write('stays', '2');
    await holds({ stays: '2', goes: '1' });
    breakIt();
    await Promise.all([write('stays', '3'), write('comes', '1'), direct.remove(configMaps, { namespace, name: 'goes' })]);
    await holds({ stays: '3', comes: '1' });
    informer.stop();
  });

  it('follows the cluster through a restart of the API server', async ({ skip }) => {
    const { controlPlane } = cluster;
    if (controlPlane === undefined) return skip();
    await write('one', '1');
    const { informer, holds } = await follow();
    await controlPlane.killApiServer();
    expect(informer.items().length).toBeGreaterThan(0);
    await controlPlane.startApiServer();
    await eventually('the API server writes again', () =>
      write('one', '2').then(
        () => true,
        () => false,
      ),
    );
    await holds({ one: '2' });
    informer.stop();
  });

  it('lists page by page', async () => {
    const names = Array.from({ length: 620 }, (_, index) => `map-${index}`);
    await Promise.all(names.map((name) => write(name, '')));
    const { items } = await api.list(configMaps, { namespace, labelSelector: 'none!=such' });
    expect(items.filter(({ metadata }) => metadata.name.startsWith('map-'))).toHaveLength(620);
    expect(items.some((item) => 'managedFields' in item.metadata)).toBe(false);
  }, 60_000);

  it('passes on what the server asks of it, and tells what may be tried again', async () => {
    proxy.answer({ method: 'POST', path: /configmaps/ }, 429, { retryAfterSeconds: 7 });
    const throttled = await api.create(configMaps, aMap('throttled', '')).catch((error: unknown) => error);
    expect(isTooManyRequests(throttled) && throttled.retryAfterSeconds).toBe(7);
    proxy.cut();
    const unanswered = await api.get(configMaps, { namespace, name: 'any' }).catch((error: unknown) => error);
    proxy.resume();
    expect(unanswered).toMatchObject({ status: 0 });
    expect(isTransient(unanswered)).toBe(true);
  });

  it('names every field that the server finds wrong', async () => {
    const wrong = { metadata: { name: 'Not A Name', namespace }, data: { 'not/a/key': '' } };
    await expect(api.create(configMaps, wrong)).rejects.toMatchObject({
      status: 422,
      reason: 'Invalid',
      causes: expect.arrayContaining([expect.objectContaining({ field: 'metadata.name' })]),
    });
  });

  it('takes over no object that somebody else has made under a name that it needs', async () => {
    const metadata = { name: 'media-tags', namespace };
    const own = { metadata, spec: { selector: { app: 'own' }, ports: [{ port: 80 }] } };
    const spec = { selector: { app: 'theirs' }, ports: [{ port: 80 }] };
    const keep = (isNew: boolean) =>
      execute(direct, { kind: 'apply', resource: services, where: metadata, object: own, isNew, why: 'test' });
    await direct.create(services, { metadata, spec });
    expect(await keep(true)).toMatchObject({ kind: 'refused', error: { status: 409, message: expect.stringContaining('.spec.selector') } });
    expect((await direct.get(services, metadata)).spec.selector).toEqual({ app: 'theirs' });
    await direct.remove(services, metadata);
    for (const isNew of [true, true, false]) expect(await keep(isNew)).toMatchObject({ kind: 'done' });
  });
});
