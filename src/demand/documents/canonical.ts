import { createHash } from 'node:crypto';
import type { PlanDocument } from './plan.js';
import type { TransitionDocument } from './transition.js';

/** JSON without white space and with the keys of every object sorted: equal values give equal texts. Keys without a value are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((inner) => canonicalJson(inner ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields).filter((key) => fields[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`)
    .join(',')}}`;
}

/** A plan that has not been given its id, or whose id is not to be trusted. */
export type PlanContent = Omit<PlanDocument, 'metadata'> & { readonly metadata: { readonly name: string; readonly id?: string } };

/** The id of a plan: the SHA-256 of its canonical JSON without `metadata.id`, as `sha256:` and 64 hex digits. */
export function planId(plan: PlanContent): string {
  return hashWithoutId(plan);
}

/** The id of a transition, made as that of a plan. */
export function transitionId(transition: TransitionDocument): string {
  return hashWithoutId(transition);
}

function hashWithoutId<T extends { readonly metadata: { readonly name: string } }>(document: T): string {
  const content = canonicalJson({ ...document, metadata: { name: document.metadata.name } });
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
