import { createHash } from 'node:crypto';
import type { PodType } from '../decide/own-pods.js';

/** Longest name of a Deployment whose pods still have readable names of at most 63 characters. */
const longest = 47;

/** `resnet-1g-10gb-b8-p3`: a DNS label of at most 47 characters; a long one is cut and ends in a hash. */
export function deploymentName(workload: string, service: string, { profile, batch, processes }: Omit<PodType, 'service'>): string {
  return shorten(`${workload}-${service}-${profile.replace(/[^a-z0-9]+/g, '-')}-b${batch}-p${processes}`);
}

/** Name of the Service and the PodDisruptionBudget of a service. */
export const serviceName = (workload: string, service: string): string => shorten(`${workload}-${service}`);

function shorten(name: string): string {
  const plain = name.replace(/[^a-z0-9-]+/g, '-');
  if (plain === name && plain.length <= longest) return plain;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${plain.slice(0, longest - 9).replace(/-+$/, '')}-${hash}`;
}
