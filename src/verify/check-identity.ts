import { planId } from '../demand/documents/canonical.js';
import type { PlanFacts } from './plan-facts.js';
import type { Violation } from './verify-report.js';

/** The plan's id is the hash of everything else in it. */
export function checkIdentity({ plan }: PlanFacts): readonly Violation[] {
  const { id, ...metadata } = plan.metadata;
  const expected = planId({ ...plan, metadata });
  if (expected === id) return [];
  return [{ where: 'metadata.id', message: 'The plan was changed after its id was made.', expected, received: id }];
}
