import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from '../client/object-types.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import { annotations, labels } from '../objects/names.js';
import { deploymentName } from '../serve/names.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import { aRouteKind, sharesOf } from './routes.fixture.js';
import { runOperator } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';
import { isReady } from './simulated-store.fixture.js';

const media = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 },
};
const gateway = { name: 'public', namespace: 'edge' };
const routeKind = {
  ...aRouteKind(),
  status: { conditions: [{ type: 'Established', status: 'True' }] },
} as CustomResourceDefinition;

function aCluster(options: { readonly hasRoutes?: boolean; readonly named?: boolean } = {}): SimulatedCluster {
  const cluster = new SimulatedCluster({ seed: 1, nodes: 3, gpusPerNode: 2 });
  cluster.put(aPool());
  cluster.put(tables);
  if (options.hasRoutes !== false) cluster.put(routeKind);
  cluster.put(aWorkload('media', media, options.named === false ? {} : { gateway }));
  return cluster;
}

const ofTypes = (cluster: SimulatedCluster) =>
  cluster.view().services.filter(({ metadata }) => metadata.labels?.[labels.profile] !== undefined);

/** What each type's ready pods may be given, as a share of their service, from the pods and the plan alone. */
function sharesOfPods(cluster: SimulatedCluster, service: string): Record<string, number> {
  const { pods, plans } = cluster.view();
  const newest = plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
  const types = newest?.spec.services.find(({ key }) => key === `team.media.${service}`)?.types ?? [];
  const rates = types.map(({ gpuModel, profile, batch, processes, plannedRps }) => {
    const name = deploymentName('media', service, { gpuModel, profile, batch, processes });
    const own = pods.filter(({ metadata: { labels: on = {} } }) => {
      const same =
        on[labels.profile] === profile.replace('+', '.') && on[labels.batch] === `${batch}` && on[labels.processes] === `${processes}`;
      return same && on[labels.service] === service;
    });
    return [name, own.filter(isReady).length * plannedRps] as const;
  });
  const sum = rates.reduce((all, [, rps]) => all + rps, 0);
  return Object.fromEntries(rates.filter(([, rps]) => rps > 0).map(([name, rps]) => [name, rps / sum]));
}

describe('routes', () => {
  it('have the weights of the plan, also after a change of demand, and point to Services that exist', async () => {
    const cluster = aCluster();
    let most = 0;
    for (const [seed, rates] of [{}, { tags: 3000, search: 700 }, { tags: 900 }].entries()) {
      cluster.setRates('media', rates);
      expect((await runOperator(cluster, { seed })).settled).toBe(true);
      const { routes, services } = cluster.view();
      expect(routes.map(({ metadata }) => metadata.name).sort()).toEqual(['media-captions', 'media-search', 'media-tags']);
      for (const route of routes) {
        const expected = sharesOfPods(cluster, route.metadata.labels?.[labels.service] ?? '');
        const shares = sharesOf(route);
        most = Math.max(most, Object.keys(shares).length);
        expect(Object.keys(shares).sort()).toEqual(Object.keys(expected).sort());
        for (const [name, share] of Object.entries(expected)) expect(shares[name]).toBeCloseTo(share, 3);
        for (const name of Object.keys(shares)) expect(services.map(({ metadata }) => metadata.name)).toContain(name);
        expect(route.spec.parentRefs).toEqual([gateway]);
      }
      // One for each Deployment, no more.
      expect(
        ofTypes(cluster)
          .map(({ metadata }) => metadata.name)
          .sort(),
      ).toEqual(
        cluster
          .view()
          .deployments.map(({ metadata }) => metadata.name)
          .sort(),
      );
    }
    expect(most).toBeGreaterThan(1);
  });

  it('never give a share to a type of which no pod is ready while another can answer', async () => {
    const cluster = aCluster();
    await runOperator(cluster, { seed: 1 });
    cluster.setRates('media', { tags: 3000, search: 700 });
    const wrong: string[] = [];
    await runOperator(cluster, {
      seed: 2,
      onWrite({ kind, resource, where }) {
        if (resource.kind !== 'HTTPRoute' || kind !== 'apply') return;
        const { routes, pods, deployments } = cluster.view();
        for (const name of Object.keys(sharesOf(routes.find(({ metadata }) => metadata.name === where.name)))) {
          const labelsOf = deployments.find(({ metadata }) => metadata.name === name)?.spec.selector.matchLabels ?? {};
          const ready = pods.filter(
            (pod) => isReady(pod) && Object.entries(labelsOf).every(([key, value]) => pod.metadata.labels?.[key] === value),
          );
          if (ready.length === 0) wrong.push(name);
        }
      },
    });
    expect(wrong).toEqual([]);
  });

  it('are made again when a person changes them, and go with the gateway', async () => {
    const cluster = aCluster();
    await runOperator(cluster, { seed: 1 });
    const before = cluster.view().routes.map(({ spec }) => spec);
    const [first, second] = cluster.view().routes;
    cluster.drop('HTTPRoute', first?.metadata.name ?? '', 'team');
    cluster.put({ ...second, spec: { ...second?.spec, rules: [] } } as typeof second & object);
    await runOperator(cluster, { seed: 2 });
    expect(cluster.view().routes.map(({ spec }) => spec)).toEqual(expect.arrayContaining(before));
    const [workload] = cluster.view().workloads;
    const { gateway: _, ...spec } = (workload as InferenceWorkload).spec;
    const front = cluster.view().services.length - ofTypes(cluster).length;
    cluster.put({ ...workload, spec } as InferenceWorkload);
    expect((await runOperator(cluster, { seed: 3 })).settled).toBe(true);
    expect({ routes: cluster.view().routes, ofTypes: ofTypes(cluster) }).toEqual({ routes: [], ofTypes: [] });
    expect(cluster.view().services).toHaveLength(front);
  });

  it('stay for a service that was taken out of its workload until its last pod has gone', async () => {
    const cluster = aCluster();
    await runOperator(cluster, { seed: 1 });
    const [workload] = cluster.view().workloads as [InferenceWorkload];
    const services = workload.spec.services.filter(({ name }) => name !== 'captions');
    cluster.put({ ...workload, spec: { ...workload.spec, services } } as InferenceWorkload);
    const unreachable: string[] = [];
    const life = await runOperator(cluster, {
      seed: 2,
      onChange(what) {
        const { pods, routes } = cluster.view();
        const runs = pods.some(({ metadata: { labels: on, deletionTimestamp }, spec }) => {
          return on?.[labels.service] === 'captions' && spec.nodeName !== undefined && deletionTimestamp === undefined;
        });
        if (runs && !routes.some(({ metadata }) => metadata.name === 'media-captions')) unreachable.push(what);
      },
    });
    expect(life.settled).toBe(true);
    expect(unreachable).toEqual([]);
    expect(
      cluster
        .view()
        .routes.map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(['media-search', 'media-tags']);
    expect(ofTypes(cluster).filter(({ metadata }) => metadata.labels?.[labels.service] === 'captions')).toEqual([]);
    const { services: left, budgets } = cluster.view();
    expect([...left, ...budgets].filter(({ metadata }) => metadata.labels?.[labels.service] === 'captions')).toEqual([]);
  });

  it('leave the routes and Services of others alone', async () => {
    const cluster = aCluster({ named: false });
    const meta = { name: 'theirs', namespace: 'team' };
    cluster.put({ kind: 'HTTPRoute', metadata: meta, spec: { parentRefs: [], hostnames: [], rules: [] } } as never);
    cluster.put({ kind: 'Service', metadata: { ...meta, annotations: { [annotations.gpu]: 'x' } }, spec: {} } as never);
    await runOperator(cluster, { seed: 1 });
    expect(cluster.view().routes.map(({ metadata }) => metadata.name)).toEqual(['theirs']);
    expect(cluster.view().services.map(({ metadata }) => metadata.name)).toContain('theirs');
  });

  it('are not written where the Gateway API is not installed, and the workload says so', async () => {
    const cluster = aCluster({ hasRoutes: false });
    expect((await runOperator(cluster, { seed: 1 })).settled).toBe(true);
    expect({ routes: cluster.view().routes, ofTypes: ofTypes(cluster) }).toEqual({ routes: [], ofTypes: [] });
    const degraded = cluster.view().workloads[0]?.status?.conditions?.find(({ type }) => type === 'Degraded');
    expect(degraded).toMatchObject({ status: 'True', message: expect.stringContaining('do not go through the gateway public') });
    cluster.put(routeKind);
    await runOperator(cluster, { seed: 2 });
    expect(cluster.view().routes).toHaveLength(3);
  });
});
