import type { CheckedPlan } from '../simulate/check-plan.js';
import { formatCount } from './format-number.js';
import { verdictOf } from './outcome-summary.js';

/** What the simulation says of a plan, in two sentences. */
export function summarizeCheck({ outcomes, rounds, requests, plan }: CheckedPlan): string {
  const depth = plan.check?.depth === 'full' ? 'verified with another seed and three times the length, ' : '';
  return `\nSimulated: ${verdictOf(outcomes)}\n${formatCount(rounds, 'round')}, ${depth}${(requests / 1e6).toFixed(1)} M requests in all.\n`;
}
