import { nvidia, resourceOfProfile } from '../objects/names.js';
import type { Allocation } from './backend.js';

/** NVIDIA's device plugin with the strategy `mixed`: a node's allocatable says what it has, pods ask by resource limits. */
export const devicePlugin: Allocation = {
  name: 'device-plugin',
  readOffer({ status }) {
    const own = Object.entries(status?.allocatable ?? {}).flatMap(([name, count]): [string, number][] => {
      const profile = profileOfResource(name);
      // The kubelet keeps names that are gone with the count 0.
      return profile === undefined || !(Number(count) > 0) ? [] : [[profile, Number(count)]];
    });
    return new Map(own);
  },
  isAskedBy: ({ spec }) =>
    spec.containers.some(({ resources }) =>
      Object.keys({ ...resources?.requests, ...resources?.limits }).some((name) => profileOfResource(name) !== undefined),
    ),
  requestOf: ({ profile }) => ({ resources: { [resourceOfProfile(profile)]: '1' } }),
};

/** The profile of a resource's instances, `full` for whole GPUs; undefined for a resource of others. A `+` is a dot there. */
function profileOfResource(name: string): string | undefined {
  if (name === nvidia.gpuResource) return 'full';
  return name.startsWith(nvidia.migResource) ? name.slice(nvidia.migResource.length).replace(/(gb)\./, '$1+') : undefined;
}
