import { describe, expect, it } from 'vitest';
import type { CustomResourceDefinition } from '../client/object-types.js';
import { labels } from '../objects/names.js';
import { emptyView } from '../observe/cluster-view.js';
import { aPool, aWorkload, tables } from './demand.fixture.js';
import type { Pods } from './locate-pods.js';
import { aRouteKind } from './routes.fixture.js';
import { runOperator } from './run-operator.fixture.js';
import { SimulatedCluster } from './simulated-cluster.fixture.js';
import { isReady } from './simulated-store.fixture.js';
import { listUnevenServices } from './uneven-slices.js';

const media = {
  tags: { model: 'resnet50', rateRps: 600, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 300, latencyMs: 100 },
  captions: { model: 'whisper-small', rateRps: 14, latencyMs: 1500 },
};
const routeKind = {
  ...aRouteKind(),
  status: { conditions: [{ type: 'Established', status: 'True' }] },
} as CustomResourceDefinition;

interface APod {
  readonly gpuModel?: string;
  readonly profile: string;
  readonly capacityRps: number;
  readonly ready?: boolean;
}

describe('listUnevenServices', () => {
  /** What is said of the service `tags` with these pods, which may be given what they can do. */
  const saidOf = (rateRps: number, pods: readonly APod[], spec: object = {}, view = emptyView): string[] => {
    const object = aWorkload('media', { tags: { model: 'resnet50', rateRps, latencyMs: 200 } }, spec);
    const placed = pods.map(({ gpuModel = 'A100-80GB', profile, ready = true }) => {
      return { service: 'team.media.tags', gpuModel, profile, type: `tags ${gpuModel} ${profile}`, ready, terminating: false };
    });
    const capacityRps = new Map(placed.map(({ type }, index) => [type, pods[index]?.capacityRps ?? 0]));
    const plan = { metadata: { name: 'a100-1' }, spec: { services: [] } } as never;
    const workload = { namespace: 'team', name: 'media', object } as never;
    return listUnevenServices(workload, plan, { placed, capacityRps } as unknown as Pods, view);
  };
  const small = { profile: '1g.10gb', capacityRps: 100 };
  const large = { profile: '3g.40gb', capacityRps: 300 };

  it('names the service, what it is good for, and what to do, when the smallest pod would get too much', () => {
    expect(saidOf(400, [large, small])).toEqual([
      'kube-proxy gives each of the 2 pods of tags the same share, and the weakest (1g.10gb) may be given 100 rps: tags is good for 200 of 400 rps. Name a gateway, or restrict tags to one profile (profiles: [3g.40gb]).',
    ]);
    expect(saidOf(200.1, [large, small])).toHaveLength(1);
    expect(saidOf(600, [large, large, small])[0]).toContain('good for 300 of 600 rps');
  });

  it('tells slices of two GPU models apart, which no list of profiles does', () => {
    expect(saidOf(400, [{ ...small, gpuModel: 'H100-80GB', capacityRps: 300 }, small])).toEqual([
      'kube-proxy gives each of the 2 pods of tags the same share, and the weakest (1g.10gb of A100-80GB) may be given 100 rps: tags is good for 200 of 400 rps. Name a gateway.',
    ]);
  });

  it('says nothing of equal slices, of what an even split can carry, and of what Ready tells already', () => {
    expect(saidOf(300, [small, small, small])).toEqual([]);
    expect(saidOf(200, [large, small])).toEqual([]);
    expect(saidOf(401, [large, small])).toEqual([]);
    expect(saidOf(400, [large, { ...small, ready: false }])).toEqual([]);
    expect(saidOf(0, [])).toEqual([]);
  });

  it('says nothing behind a gateway that the cluster has, but does where there are no routes', () => {
    const gateway = { gateway: { name: 'public' } };
    expect(saidOf(400, [large, small], gateway, { ...emptyView, routeKinds: [routeKind] })).toEqual([]);
    expect(saidOf(400, [large, small], gateway)).toHaveLength(1);
  });
});

describe('a workload on unequal slices', () => {
  const degradedOf = (cluster: SimulatedCluster) =>
    cluster.view().workloads[0]?.status?.conditions?.find(({ type }) => type === 'Degraded');

  /** Services whose smallest planned share times their ready pods is below the rate, from pods and plan alone. */
  function overloaded(cluster: SimulatedCluster): string[] {
    const { pods, plans } = cluster.view();
    const newest = plans.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
    return (newest?.spec.services ?? []).flatMap(({ key, rateRps, types = [] }) => {
      const own = pods.filter((pod) => isReady(pod) && key.endsWith(`.${pod.metadata.labels?.[labels.service]}`));
      const shares = own.map(({ metadata: { labels: on = {} } }) => {
        const type = types.find(
          (one) => one.profile === on[labels.profile] && `${one.batch} ${one.processes}` === `${on[labels.batch]} ${on[labels.processes]}`,
        );
        return type?.plannedRps ?? Number.NaN;
      });
      return own.length * Math.min(...shares) < rateRps * (1 - 1e-6) ? [key.slice('team.media.'.length)] : [];
    });
  }

  it('is Ready and Degraded, and no longer once a gateway spreads its requests', async () => {
    const said: string[] = [];
    for (const [seed, tags] of [600, 900, 1500, 2100].entries()) {
      const cluster = new SimulatedCluster({ seed, nodes: 3, gpusPerNode: 2 });
      for (const object of [aPool(), tables, routeKind]) cluster.put(object);
      const demand = { ...media, tags: { ...media.tags, rateRps: tags } };
      cluster.put(aWorkload('media', demand));
      expect((await runOperator(cluster, { seed })).settled).toBe(true);
      const expected = overloaded(cluster);
      const { status, reason, message = '' } = degradedOf(cluster) ?? {};
      expect({ status, reason }).toEqual(
        expected.length > 0 ? { status: 'True', reason: 'UnevenSlices' } : { status: 'False', reason: 'AsPlanned' },
      );
      expect(Object.keys(media).filter((name) => message.includes(`pods of ${name} `))).toEqual(
        Object.keys(media).filter((name) => expected.includes(name)),
      );
      expect(cluster.view().workloads[0]?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
      said.push(...expected);
      cluster.put(aWorkload('media', demand, { gateway: { name: 'public' } }));
      expect((await runOperator(cluster, { seed })).settled).toBe(true);
      expect(degradedOf(cluster)).toMatchObject({ status: 'False', reason: 'AsPlanned' });
    }
    expect(said.length).toBeGreaterThan(0);
  });
});
