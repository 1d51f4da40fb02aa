import { expect, it } from 'vitest';
import { builtInCatalogue } from '../gpu/catalogue.js';
import { nameCanonically } from './canonical-state.js';

it('writes GPU models and profiles as the catalogue does, and leaves unknown names', () => {
  const state = nameCanonically(
    {
      apiVersion: 'inlay.dev/v1alpha1',
      kind: 'State',
      metadata: { name: 'now' },
      services: [],
      gpus: [
        { id: 'g0', pool: 'p', type: 'NVIDIA A100-SXM4-80GB', instances: [{ profile: '3g.39gb', start: 4, service: null }] },
        { id: 'g1', pool: 'p', type: 'X1', instances: [{ profile: '9g', start: 0, service: 'a' }] },
      ],
    },
    builtInCatalogue,
  );
  expect(state.gpus.map(({ type, instances }) => [type, instances[0]?.profile])).toEqual([
    ['A100-80GB', '3g.40gb'],
    ['X1', '9g'],
  ]);
});
