import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { devicePlugin } from '../backends/device-plugin.js';
import { readOwnPod } from '../decide/own-pods.js';
import { modelLabel } from '../objects/names.js';
import { fewestPods, type ServedService, writeDeployment } from './manifests.js';
import { deploymentName } from './names.js';

const served: ServedService = {
  namespace: 'team',
  workload: 'media',
  service: {
    name: 'tags',
    model: 'm',
    rateRps: 1,
    latencyMs: 1,
    port: 8000,
    template: {
      metadata: { labels: { app: 'tags' } },
      spec: {
        containers: [
          { name: 'proxy', image: 'proxy:1' },
          {
            name: 'server',
            image: 'server:1',
            env: [
              { name: 'INLAY_BATCH', value: '9' },
              { name: 'HOME', value: '/' },
            ],
            resources: { limits: { memory: '8Gi' } },
          },
        ],
      },
    },
  },
};

const requestOf = (profile: string) => devicePlugin.requestOf({ gpuModel: 'A100-80GB', profile, name: 'media-tags', namespace: 'team' });

describe('writeDeployment', () => {
  it('gives the slice and its settings to the server alone, and keeps the rest of the template', () => {
    const { spec } = writeDeployment(served, {
      gpuModel: 'A100-80GB',
      profile: '1g.10gb+me',
      batch: 8,
      processes: 3,
      request: requestOf('1g.10gb+me'),
      replicas: 2,
      capacityRps: 10,
    });
    const [proxy, server] = spec.template.spec.containers;
    expect(proxy).toEqual({ name: 'proxy', image: 'proxy:1' });
    expect(server).toMatchObject({
      env: [
        { name: 'HOME', value: '/' },
        { name: 'INLAY_BATCH', value: '8' },
        { name: 'INLAY_PROCESSES', value: '3' },
      ],
      resources: { limits: { memory: '8Gi', 'nvidia.com/mig-1g.10gb.me': '1' }, requests: { 'nvidia.com/mig-1g.10gb.me': '1' } },
    });
    expect(spec.template.metadata?.labels).toMatchObject({ app: 'tags' });
    expect(spec.template.spec.schedulingGates).toEqual([{ name: 'inlay.dev/slot' }]);
  });

  it('asks for a slice by the name that the driver of the pool has for it, for a whole GPU by its own, and by claims', () => {
    const type = { gpuModel: 'A100-80GB', batch: 1, processes: 1, replicas: 1, capacityRps: 1 };
    const server = (profile: string) =>
      writeDeployment(served, { ...type, profile, request: requestOf(profile) }).spec.template.spec.containers[1];
    expect(server('3g.39gb')?.resources?.limits).toHaveProperty(['nvidia.com/mig-3g.39gb'], '1');
    expect(server('full')?.resources?.limits).toHaveProperty(['nvidia.com/gpu'], '1');
    const resourceClaims = [{ name: 'slice', resourceClaimTemplateName: 'media-tags' }];
    const { spec } = writeDeployment(served, { ...type, profile: 'full', request: { resources: {}, resourceClaims } }).spec.template;
    expect(spec['resourceClaims']).toEqual(resourceClaims);
    expect(spec.containers[1]?.resources).toEqual({ claims: [{ name: 'slice' }], limits: { memory: '8Gi' }, requests: {} });
  });

  it('makes pods that are read back as what they are', () => {
    const type = { gpuModel: 'A100-80GB', profile: '1g.10gb+me', batch: 8, processes: 3 };
    const { spec } = writeDeployment(served, { ...type, request: requestOf('1g.10gb+me'), replicas: 2, capacityRps: 10 });
    expect(readOwnPod({ metadata: { ...spec.template.metadata, name: 'x', namespace: 'team' }, spec: spec.template.spec })).toMatchObject({
      ...type,
      service: 'team.media.tags',
    });
  });
});

describe('fewestPods', () => {
  it('is the size of the smallest set of pods that delivers the rate', () => {
    const pods = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 8 });
    fc.assert(
      fc.property(pods, fc.integer({ min: 0, max: 200 }), (capacities, rate) => {
        let best = capacities.length;
        for (let set = 0; set < 1 << capacities.length; set++) {
          const chosen = capacities.filter((_, index) => (set >> index) & 1);
          if (chosen.reduce((sum, one) => sum + one, 0) >= rate) best = Math.min(best, chosen.length);
        }
        expect(fewestPods(capacities, rate)).toBe(best);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

describe('deploymentName', () => {
  it('is a DNS label that leaves room for what Deployments append, different for different pods', () => {
    const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,60}[a-z0-9])?$/);
    const type = fc.record({
      gpuModel: fc.constantFrom('A100-80GB', 'RTX-PRO-6000-96GB', 'Lab GPU (2nd try)'),
      profile: fc.constantFrom('1g.10gb', '1g.10gb+me', 'full'),
      batch: fc.integer({ min: 1, max: 65_536 }),
      processes: fc.integer({ min: 1, max: 48 }),
    });
    fc.assert(
      fc.property(name, fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,28}[a-z0-9])?$/), type, (workload, service, kind) => {
        const made = deploymentName(workload, service, kind);
        expect(made).toMatch(/^[a-z0-9]([-a-z0-9]{0,45}[a-z0-9])?$/);
        expect(made).not.toBe(deploymentName(workload, service, { ...kind, batch: kind.batch + 1 }));
        expect(made).not.toBe(deploymentName(workload, service, { ...kind, gpuModel: 'H100-80GB' }));
      }),
      { seed: 6, numRuns: 300 },
    );
  });
});

describe('modelLabel', () => {
  it('is a value of a label, different for different names, and the same again of what it wrote', () => {
    const name = fc.oneof(fc.string({ minLength: 1, maxLength: 100 }), fc.stringMatching(/^[A-Z0-9-]{1,80}$/));
    fc.assert(
      fc.property(name, name, (one, other) => {
        const written = modelLabel(one);
        expect(written).toMatch(/^[A-Za-z0-9]([-_.A-Za-z0-9]{0,61}[A-Za-z0-9])?$/);
        expect(modelLabel(written)).toBe(written);
        if (one !== other) expect(modelLabel(other)).not.toBe(written);
      }),
      { seed: 7, numRuns: 500 },
    );
    expect(modelLabel('H100-80GB')).toBe('H100-80GB');
  });
});
