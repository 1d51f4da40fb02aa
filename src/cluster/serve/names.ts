import { createHash } from 'node:crypto';
import type { PodType } from '../decide/own-pods.js';
import { modelLabel } from '../objects/names.js';

/** Longest name of a Deployment whose pods still have readable names of at most 63 characters. */
const longest = 47;

/** `media-tags-h100-80gb-1g-10gb-b8-p3`: a DNS label of at most 47 characters; a long one is cut and ends in a hash. */
export function deploymentName(workload: string, service: string, type: Omit<PodType, 'service'>): string {
  const { gpuModel, profile, batch, processes } = type;
  const slice = `${modelLabel(gpuModel).toLowerCase()}-${profile.replace(/[^a-z0-9]+/g, '-')}`;
  return nameOf(workload, `${service}-${slice}-b${batch}-p${processes}`);
}

/** Name of the Service and the PodDisruptionBudget of a service. One that reads like a name of a type ends in a hash. */
export const serviceName = (workload: string, service: string): string => nameOf(workload, service, !/-b\d+-p\d+$/.test(service));

/** With a dash in the workload's name nothing tells where the service's begins: then a hash does. */
function nameOf(workload: string, rest: string, isPlain = true): string {
  const name = `${workload}-${rest}`;
  const plain = name.replace(/[^a-z0-9-]+/g, '-');
  if (isPlain && !workload.includes('-') && plain === name && plain.length <= longest) return plain;
  const hash = createHash('sha256').update(`${workload}/${rest}`).digest('hex').slice(0, 8);
  return `${plain.slice(0, longest - 9).replace(/-+$/, '')}-${hash}`;
}
