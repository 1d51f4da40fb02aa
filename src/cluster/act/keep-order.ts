import { configMaps } from '../client/resources.js';
import type { Write } from '../decide/write.js';
import { sharingPlans } from '../objects/kinds.js';

/** Which writes of one look wait for another one. */
export interface Order {
  /** Whether nothing that a write rests on is missing. */
  allows(write: Write): boolean;
  /** Says that a write was not made. */
  missed(write: Write): void;
}

/**
 * The record of a group goes before all else: which steps of its plan are done, and the parts of a new plan. While that is not
 * written, nothing else of the group is but statuses: an effect could be undone that nobody has noted, and a plan stand without its parts.
 */
export function keepOrder(): Order {
  const held = new Set<string>();
  const records = new Set([sharingPlans.kind, configMaps.kind]);
  return {
    allows: (write) => write.group === undefined || !held.has(write.group) || (write.kind === 'patch' && write.subresource === 'status'),
    missed(write) {
      if (write.group !== undefined && records.has(write.resource.kind)) held.add(write.group);
    },
  };
}
