import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInCatalogue } from '../../gpu/catalogue.js';
import { inferenceWorkloadSpecSchema } from '../objects/inference-workload.js';
import { workloadName } from '../objects/names.js';
import { type ServedService, typeSelectorOf, writeBudget, writeDeployment, writeService } from './manifests.js';
import { deploymentName, serviceName } from './names.js';
import { writeRoute, writeTypeService } from './routes.js';

/** RFC 1035 as Services want it; Deployments, budgets and routes take more. */
const dnsLabel = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const hostName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

const alphabet = fc.constantFrom(...'ab1-');
const word = (longest: number) => fc.oneof(fc.string({ unit: alphabet, maxLength: 6 }), fc.string({ unit: alphabet, maxLength: longest }));
const workloads = word(63).filter((name) => workloadName.pattern.test(name));
const services = word(30).filter((name) => inferenceWorkloadSpecSchema.shape.services.element.shape.name.safeParse(name).success);
const profiles = fc.constantFrom('full', ...new Set(builtInCatalogue.models.flatMap((model) => model.profiles.map(({ name }) => name))));
const models = fc.constantFrom('Lab GPU (rev. 2)', 'a_b.c', 'G'.repeat(63), '日本', ...builtInCatalogue.models.map(({ name }) => name));
const types = fc.record({
  gpuModel: models,
  profile: profiles,
  batch: fc.integer({ min: 1, max: 1024 }),
  processes: fc.integer({ min: 1, max: 48 }),
});
const namespaces = word(63).filter((name) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name));

const template = { spec: { containers: [{ name: 'server', image: 'server:1' }] } };

describe('names of what the operator makes', () => {
  it('are names that the API server takes, whatever workloads, services and namespaces are called', () => {
    fc.assert(
      fc.property(workloads, services, namespaces, types, (workload, name, namespace, type) => {
        const service = { name, model: 'm', rateRps: 1, latencyMs: 1, port: 80, template };
        const served: ServedService = { namespace, workload, service };
        const full = { ...type, replicas: 1, capacityRps: 1, request: { resources: {} } };
        const route = writeRoute(served, { name: 'public' }, [{ ...type, rps: 1 }]);
        const made = [writeDeployment(served, full), writeService(served), writeBudget(served, 1), writeTypeService(served, type), route];
        for (const object of made) expect(object?.metadata.name).toMatch(dnsLabel);
        for (const value of Object.values(typeSelectorOf(served, type))) expect(value).toMatch(labelValue);
        for (const host of route?.spec.hostnames ?? []) {
          expect(host).toMatch(hostName);
          expect(host.length).toBeLessThanOrEqual(253);
        }
        // A Deployment's pods are called NAME-HASH-HASH, and their host names are cut at 63.
        expect(deploymentName(workload, name, type).length).toBeLessThanOrEqual(63 - '-xxxxxxxxxx-xxxxx'.length + 1);
      }),
      { seed: 8, numRuns: 2000 },
    );
  });

  it('differ for different services, wherever the dashes are', () => {
    expect(serviceName('media', 'photo-tags')).toBe('media-photo-tags');
    expect(serviceName('a-b', 'c')).not.toBe(serviceName('a', 'b-c'));
    const type = { gpuModel: 'A100-80GB', profile: '1g.10gb', batch: 1, processes: 1 };
    expect(deploymentName('a-b', 'c', type)).not.toBe(deploymentName('a', 'b-c', type));
    fc.assert(
      fc.property(fc.array(fc.tuple(workloads, services), { minLength: 2, maxLength: 40 }), types, (pairs, own) => {
        const keys = new Set(pairs.map(([workload, service]) => `${workload}/${service}`));
        const names = pairs.flatMap(([workload, service]) => [serviceName(workload, service), deploymentName(workload, service, own)]);
        expect(new Set(names).size).toBe(2 * keys.size);
      }),
      { seed: 8, numRuns: 500 },
    );
  });

  it('of a service never is that of a type of another', () => {
    const type = { gpuModel: 'A30', profile: 'full', batch: 8, processes: 3 };
    expect(serviceName('media', 'tags-a30-full-b8-p3')).not.toBe(deploymentName('media', 'tags', type));
  });
});
