import { describe, expect, it } from 'vitest';
import { configMaps, pods, type Resource } from '../client/resources.js';
import type { Write } from '../decide/write.js';
import { inferenceWorkloads, sharingPlans } from '../objects/kinds.js';
import { keepOrder } from './keep-order.js';

const where = { namespace: 'team', name: 'x' };
const evict = (group?: string): Write => ({
  kind: 'evict',
  resource: pods,
  where,
  uid: 'u',
  why: 'test',
  ...(group !== undefined && { group }),
});
const status = (resource: Resource): Write => ({
  kind: 'patch',
  subresource: 'status',
  resource,
  where,
  body: {},
  why: 'test',
  group: 'a',
});
const create = (resource: Resource): Write => ({ kind: 'create', resource, where, object: { metadata: where }, why: 'test', group: 'a' });

describe('the order of writes', () => {
  it.each([
    ['the steps that are done', status(sharingPlans)],
    ['a part of a plan', create(configMaps)],
  ])('holds back what follows in a group when %s could not be written', (_what, record) => {
    const order = keepOrder();
    for (const write of [evict('a'), create(sharingPlans)]) expect(order.allows(write)).toBe(true);
    order.missed(record);
    for (const write of [evict('a'), create(sharingPlans)]) expect(order.allows(write)).toBe(false);
    for (const write of [evict('b'), evict(), status(inferenceWorkloads)]) expect(order.allows(write)).toBe(true);
  });

  it('does not depend on a pod that could not be evicted', () => {
    const order = keepOrder();
    order.missed(evict('a'));
    expect(order.allows(create(sharingPlans))).toBe(true);
  });
});
