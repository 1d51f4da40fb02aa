import { describe, expect, it } from 'vitest';
import type { TransitionDocument } from '../../demand/documents/transition.js';
import type { SharingPlan } from '../objects/sharing-plan.js';
import { emptyView } from '../observe/cluster-view.js';
import { adoptParts } from './adopt-parts.js';
import type { GroupPlans } from './choose-plan.js';
import { storeTransition } from './plan-storage.js';

describe('adoptParts', () => {
  const large = { padding: Array.from({ length: 400_000 }, (_, n) => String.fromCharCode(33 + ((n * n * 7919) % 89))).join('') };
  const { spec, parts } = storeTransition(large as unknown as TransitionDocument, 'a100-2');
  const plan = { metadata: { name: 'a100-2', uid: 'plan-uid' }, spec } as SharingPlan;
  const plans = { active: plan, older: [], sequence: 2 } as unknown as GroupPlans;
  const stored = parts.map((part, n) => ({ ...part, metadata: { ...part.metadata, uid: `part-${n}` } }));

  it('makes every part of a plan go with it, and does so once', () => {
    const view = { ...emptyView, configMaps: stored };
    const writes = adoptParts(plans, view);
    expect(writes.map(({ where }) => where)).toEqual(parts.map(({ metadata: { namespace, name } }) => ({ namespace, name })));
    expect(parts.length).toBeGreaterThan(0);
    const owner = [{ apiVersion: 'inlay.dev/v1alpha1', kind: 'SharingPlan', name: 'a100-2', uid: 'plan-uid' }];
    for (const write of writes) expect(write).toMatchObject({ kind: 'patch', body: { metadata: { ownerReferences: owner } } });
    const adopted = stored.map((part) => ({ ...part, metadata: { ...part.metadata, ownerReferences: owner } }));
    expect(adoptParts(plans, { ...view, configMaps: adopted })).toEqual([]);
  });

  it('takes nothing that belongs to another plan or to nobody it knows', () => {
    const others = ['a100-2-9', 'a100-20-0', 'b-a100-2-0'].map((name) => ({ metadata: { name, namespace: 'inlay-system' } }));
    const elsewhere = stored.map((part) => ({ ...part, metadata: { ...part.metadata, namespace: 'team' } }));
    expect(adoptParts(plans, { ...emptyView, configMaps: [...others, ...elsewhere] })).toEqual([]);
    const small = { ...plan, spec: { transition: {} } } as unknown as SharingPlan;
    expect(adoptParts({ ...plans, active: small } as GroupPlans, { ...emptyView, configMaps: stored })).toEqual([]);
  });
});
