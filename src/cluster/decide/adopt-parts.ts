import { configMaps } from '../client/resources.js';
import { groupVersion } from '../objects/names.js';
import type { ClusterView } from '../observe/cluster-view.js';
import type { GroupPlans } from './choose-plan.js';
import type { Write } from './write.js';

/**
 * The parts of large plans become the plan's own, and so go away with it. They cannot be from the start: they are written first, so
 * that a plan never stands without them.
 */
export function adoptParts({ active, proposed }: GroupPlans, view: ClusterView): Write[] {
  return [active, proposed].flatMap((plan): Write[] => {
    const { transitionRef: ref } = plan?.spec ?? {};
    if (plan === undefined || ref === undefined) return [];
    const { name, uid = '' } = plan.metadata;
    const parts = new Set(Array.from({ length: ref.chunks }, (_, n) => `${ref.name}-${n}`));
    const orphans = view.configMaps.filter(
      ({ metadata }) =>
        metadata.namespace === ref.namespace &&
        parts.has(metadata.name) &&
        metadata.ownerReferences?.some((owner) => owner.uid === uid) !== true,
    );
    const ownerReferences = [{ apiVersion: groupVersion, kind: 'SharingPlan', name, uid }];
    return orphans.map(
      ({ metadata }): Write => ({
        kind: 'patch',
        resource: configMaps,
        where: { namespace: ref.namespace, name: metadata.name },
        body: { metadata: { uid: metadata.uid, ownerReferences } },
        why: `it goes with plan ${name}`,
      }),
    );
  });
}
