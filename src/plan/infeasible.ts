import type { Conflict } from '../demand/conflict.js';
import { whyNone } from '../demand/why-none.js';
import { problem } from '../errors.js';
import type { PlanRequest } from './strategies/strategy.js';

/** What rules a plan out before any search: services without a usable row, and more replicas than there are GPUs. */
export function findConflicts({ workload, finder, cuts }: PlanRequest): Conflict[] {
  const wanting = workload.services.filter((service) => service.rateRps > 0);
  const stuck = wanting.flatMap((service) => whyNone(workload, finder, service, service.rateRps) ?? []);
  if (stuck.length > 0) return stuck;
  return wanting.flatMap((service): Conflict[] => {
    if (service.minReplicas === 1) return [];
    const points = finder.pointsOf(service, service.rateRps);
    const pools = new Set(finder.index.sizes.flatMap((size, k) => (points[k] === undefined ? [] : [size.pool])));
    const available = cuts.reduce((sum, cut) => (pools.has(cut.pool) ? sum + cut.limit : sum), 0);
    if (service.minReplicas <= available) return [];
    return [
      toConflict('REPLICAS_TOO_MANY', {
        service: service.name,
        message: `service ${service.name} wants replicas on ${service.minReplicas} different GPUs, but the pools it can use have ${available}`,
        needed: service.minReplicas,
        available,
      }),
    ];
  });
}

/** What is known of the largest common share of the rates that the pools can serve. */
export interface ServedShare {
  /** No plan serves more than this share; 1 or more proves nothing about the whole rates. */
  readonly bound: number;
  readonly best?: { readonly factor: number };
}

/**
 * The pools hold fewer GPUs than are needed: how many are proven to be needed, or that more than they have was not
 * proven but no plan was found.
 */
export function describeShortage({ workload, cuts, objective }: PlanRequest, bound: number, share: ServedShare | undefined): Conflict[] {
  const pools = workload.pools.filter(({ count }) => count !== Number.POSITIVE_INFINITY);
  const usable = cuts.filter(({ limit, layouts }) => limit !== Number.POSITIVE_INFINITY && layouts.length > 0);
  const available = usable.reduce((sum, cut) => sum + cut.limit, 0);
  const isFixed = pools.length === workload.pools.length;
  const names = pools.map(({ name }) => name).join(', ');
  const holders = pools.length === 1 ? `pool ${names} has` : `the pools ${names} have`;
  const needed = objective === 'cost' || !isFixed ? undefined : Math.ceil(bound - 1e-6);
  const best = share?.best === undefined ? '' : `; they can serve ${formatPercent(share.best.factor)} of every rate`;
  const details = pools.length === 1 ? { pool: names, available } : { available };
  if (needed !== undefined && needed > available) {
    return [
      toConflict('POOL_TOO_SMALL', {
        ...details,
        needed,
        message: `${needed === 1 ? '1 GPU is' : `${needed} GPUs are`} the proven minimum, but ${holders} ${available}${best}`,
      }),
    ];
  }
  const verdict = share !== undefined && share.bound < 1 ? 'proven to be too few' : 'and no plan was found that fits';
  return [toConflict('POOL_TOO_SMALL', { ...details, message: `${holders} ${available} GPUs, ${verdict}${best}` })];
}

/** Services for which no plan was found with their replicas on enough different GPUs. */
export function describeCrowding({ workload }: PlanRequest, crowded: readonly number[]): Conflict[] {
  return crowded.flatMap((i): Conflict[] => {
    const service = workload.services[i];
    if (service === undefined) return [];
    const message = `no plan was found with replicas of service ${service.name} on ${service.minReplicas} different GPUs`;
    return [toConflict('REPLICAS_TOO_MANY', { service: service.name, message, needed: service.minReplicas })];
  });
}

/** The search was ended before it had a plan that fits the pools. */
export function describeEarlyStop(): Conflict[] {
  return [toConflict('STOPPED_EARLY', { message: 'planning was stopped before a plan that fits the pools was found' })];
}

/** Rounded down, so that the share named can be served. */
function formatPercent(share: number): string {
  return `${Math.floor(share * 1000) / 10} %`;
}

function toConflict(code: 'POOL_TOO_SMALL' | 'REPLICAS_TOO_MANY' | 'STOPPED_EARLY', details: Omit<Conflict, 'code' | 'hint'>): Conflict {
  const { hint } = problem(code, { message: details.message });
  return { code, ...details, ...(hint === undefined ? {} : { hint }) };
}
