import { describe, expect, it } from 'vitest';
import type { PlanDocument } from '../../demand/documents/plan.js';
import { devicePlugin } from '../backends/device-plugin.js';
import type { Deployment } from '../client/object-types.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import { labels } from '../objects/names.js';
import { writePlanManifests } from './plan-manifests.js';

describe('writePlanManifests', () => {
  it('gives equal profiles of two GPU models a Deployment each, with its own throughput, by the names that the operator gives', () => {
    const instance = (capacityRps: number) => ({
      service: 'tags',
      profile: '1g.10gb',
      batch: 1,
      processes: 1,
      capacityRps,
      plannedCapacityRps: 1,
    });
    const plan = {
      services: [{ name: 'tags', rateRps: 200, instances: 3 }],
      gpus: [
        { type: 'A100-80GB', instances: [instance(60), instance(60)] },
        { type: 'H100-80GB', instances: [instance(100)] },
      ],
    } as unknown as PlanDocument;
    const service = { name: 'tags', port: 8000, template: { spec: { containers: [{ name: 'server' }] } } };
    const workload = { metadata: { name: 'media', namespace: 'team' }, spec: { services: [service] } } as unknown as InferenceWorkload;
    const made = writePlanManifests(plan, workload, devicePlugin).filter(({ kind }) => kind === 'Deployment') as Deployment[];
    expect(made.map(({ metadata, spec }) => [metadata.name, spec.replicas, metadata.annotations?.['inlay.dev/capacity-rps']])).toEqual([
      ['media-tags-a100-80gb-1g-10gb-b1-p1', 2, '60'],
      ['media-tags-h100-80gb-1g-10gb-b1-p1', 1, '100'],
    ]);
    expect(made.map(({ spec }) => spec.selector.matchLabels?.[labels.gpuModel])).toEqual(['A100-80GB', 'H100-80GB']);
  });
});
