import { describe, expect, it } from 'vitest';
import { KubernetesError } from '../client/kubernetes-error.js';
import { deployments } from '../client/resources.js';
import type { Write } from '../decide/write.js';
import { createRefusals } from './refusals.js';

const write = (name: string): Write => ({
  kind: 'apply',
  resource: deployments,
  where: { namespace: 'team', name },
  object: { metadata: { name, labels: { 'inlay.dev/workload': 'media' } } },
  why: 'test',
});
const error = (status: number) => new KubernetesError('no image', { status, reason: '', request: 'PATCH' });

describe('refusals', () => {
  it('tells of a write from the second refusal on, until it is made or no longer wanted', () => {
    const refusals = createRefusals();
    const [a, b] = [write('a'), write('b')];
    for (const one of [a, b]) refusals.refused(one, error(422));
    expect(refusals.list()).toEqual([]);
    for (const one of [a, b]) refusals.refused(one, error(422));
    const told = { kind: 'Deployment', namespace: 'team', workload: 'media', message: 'no image' };
    expect(refusals.list()).toEqual([
      { ...told, name: 'a' },
      { ...told, name: 'b' },
    ]);
    refusals.done(a);
    expect(refusals.list().map(({ name }) => name)).toEqual(['b']);
    refusals.want([a]);
    expect(refusals.list()).toEqual([]);
  });

  it.each([0, 429])('does not tell of status %d', (status) => {
    const refusals = createRefusals();
    for (let n = 0; n < 3; n++) refusals.refused(write('a'), error(status));
    expect(refusals.list()).toEqual([]);
  });
});
