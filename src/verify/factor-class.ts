import type { PlanFacts, ServiceFacts } from './plan-facts.js';
import { atMost } from './tolerance.js';

/** Whose common factor a `max-min` plan maximises, and who is served before. */
export interface FactorClass {
  readonly cut: readonly ServiceFacts[];
  /** Services of higher priority: they get their whole rate. */
  readonly before: readonly ServiceFacts[];
  /** Smallest factor in the class; 0 when no service wants anything. */
  readonly factor: number;
  /** Whether the class may have no more than its whole rate, since others wait behind it or went before. */
  readonly capped: boolean;
}

/**
 * The highest priority whose services do not all get their whole rate is the class that is cut.
 * When every service gets it, all of them share one factor of at least 1.
 */
export function findFactorClass({ services }: PlanFacts): FactorClass {
  const wanting = services.filter(({ service }) => service.rateRps > 0);
  const priorities = [...new Set(wanting.map(({ service }) => service.priority))].sort((a, b) => b - a);
  for (const priority of priorities) {
    const cut = wanting.filter(({ service }) => service.priority === priority);
    const factor = smallestFactor(cut);
    if (!atMost(1, factor))
      return { cut, before: wanting.filter(({ service }) => service.priority > priority), factor, capped: priorities.length > 1 };
  }
  return { cut: wanting, before: [], factor: smallestFactor(wanting), capped: false };
}

function smallestFactor(services: readonly ServiceFacts[]): number {
  return services.length === 0 ? 0 : Math.min(...services.map(({ summary }) => summary?.factor ?? 0));
}
