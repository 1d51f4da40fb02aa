import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { customResourceDefinitions, deployments, httpRoutes, services } from '../../src/cluster/client/resources.js';
import { aRouteKind, sharesOf } from '../../src/cluster/decide/routes.fixture.js';
import { inferenceWorkloads } from '../../src/cluster/objects/kinds.js';
import { annotations, labels } from '../../src/cluster/objects/names.js';
import { eventually, skippedBecause, whyNoCluster } from './cluster.fixture.js';
import { installRouteKind } from './crds.fixture.js';
import { anInferenceWorkload, type OperatorCluster, planOfPhase, setRates, startOperatorCluster } from './operator.fixture.js';

const demands = {
  tags: { model: 'resnet50', rateRps: 3000, latencyMs: 200 },
  search: { model: 'bert-base', rateRps: 700, latencyMs: 100 },
};
const gateway = { name: 'public', namespace: 'edge', hostname: 'example.com' };

describe.skipIf(whyNoCluster)(`routes${skippedBecause}`, () => {
  let lab: OperatorCluster;

  beforeAll(async () => {
    lab = await startOperatorCluster({ nodes: 2, gpus: 2 });
  }, 120_000);
  afterAll(() => lab?.stop());

  const listRoutes = async () => (await lab.api.list(httpRoutes, { namespace: lab.namespace })).items;
  const ofTypes = async () =>
    (await lab.api.list(services, { namespace: lab.namespace })).items.filter(
      ({ metadata }) => metadata.labels?.[labels.profile] !== undefined,
    );

  it('come with the Gateway API while the operator runs, and do not come before', async () => {
    const { api, namespace } = lab;
    lab.start();
    await api.create(inferenceWorkloads, anInferenceWorkload(namespace, demands, { gateway }));
    await planOfPhase(api, namespace, 'Ready');
    const degraded = await eventually('the workload says what is missing', async () => {
      const { status } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
      return status?.conditions?.find(({ type, status: value }) => type === 'Degraded' && value === 'True');
    });
    expect(degraded.message).toContain('do not go through the gateway public');
    expect(await ofTypes()).toEqual([]);

    await installRouteKind(api);
    const routes = await eventually('there is a route for each service', async () => {
      const found = await listRoutes();
      return found.length === 2 && found;
    });
    const found = await api.list(deployments, { namespace });
    const served = (await ofTypes()).map(({ metadata }) => metadata.name).sort();
    expect(served).toEqual(found.items.map(({ metadata }) => metadata.name).sort());
    const plan = await planOfPhase(api, namespace, 'Ready');
    for (const { metadata, spec } of routes) {
      const service = metadata.labels?.[labels.service] ?? '';
      expect(spec.parentRefs).toMatchObject([{ name: 'public', namespace: 'edge' }]);
      expect(spec.hostnames).toEqual([`${service}.example.com`]);
      // From the Deployments of the cluster and what the plan says of a pod.
      const types = plan.spec.services.find(({ key }) => key === `${namespace}.media.${service}`)?.types ?? [];
      const own = found.items.filter((one) => one.metadata.labels?.[labels.service] === service);
      const rates = own.map((one) => {
        const on = one.metadata.labels ?? {};
        const type = types.find(({ profile, batch, processes }) => {
          return (
            on[labels.profile] === profile.replace('+', '.') && on[labels.batch] === `${batch}` && on[labels.processes] === `${processes}`
          );
        });
        expect(type?.plannedRps).toBeLessThanOrEqual(Number(one.metadata.annotations?.[annotations.capacityRps]));
        return (type?.plannedRps ?? 0) * (one.spec.replicas ?? 0);
      });
      const sum = rates.reduce((all, rps) => all + rps, 0);
      const shares = sharesOf({ metadata, spec });
      for (const [index, one] of own.entries()) expect(shares[one.metadata.name]).toBeCloseTo((rates[index] as number) / sum, 3);
    }
  }, 120_000);

  it('are written once, kept against a person, and removed with the gateway', async () => {
    const { api, namespace } = lab;
    const [route] = await listRoutes();
    const where = { namespace, name: route?.metadata.name ?? '' };
    await new Promise((resolve) => setTimeout(resolve, 1000));
    // The defaults that the server fills in are no change.
    expect((await api.get(httpRoutes, where)).metadata.resourceVersion).toBe(route?.metadata.resourceVersion);
    await api.patch(httpRoutes, where, { spec: { hostnames: ['elsewhere.example.com'] } });
    await eventually(
      'the host name is back',
      async () => (await api.get(httpRoutes, where)).spec.hostnames[0] === route?.spec.hostnames[0],
    );
    await api.patch(inferenceWorkloads, { namespace, name: 'media' }, { spec: { gateway: null } });
    await eventually('the routes are gone', async () => (await listRoutes()).length === 0);
    await eventually('and what they pointed to', async () => (await ofTypes()).length === 0);
    expect((await api.list(services, { namespace })).items.map(({ metadata }) => metadata.name).sort()).toEqual([
      'media-search',
      'media-tags',
    ]);
  }, 120_000);

  it('do not hinder the operator when the Gateway API goes', async () => {
    const { api, namespace } = lab;
    await api.patch(inferenceWorkloads, { namespace, name: 'media' }, { spec: { gateway } });
    await eventually('the routes are there', async () => (await listRoutes()).length === 2);
    await api.remove(customResourceDefinitions, aRouteKind().metadata);
    await eventually('the workload says so', async () => {
      const { status } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
      return status?.conditions?.some(({ type, message }) => type === 'Degraded' && message?.includes('do not go through'));
    });
    await eventually('Services of types are gone', async () => (await ofTypes()).length === 0);
    await setRates(api, namespace, { tags: 2000 });
    await planOfPhase(api, namespace, 'Ready');
  }, 120_000);
});
