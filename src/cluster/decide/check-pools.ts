import { type Problem, problem } from '../../errors.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import type { ObservedPool } from './read-hardware.js';

/** Whether a workload may use the pools that it names, and all of them together. */
export function checkPools(workload: InferenceWorkload, pools: readonly ObservedPool[]): readonly Problem[] {
  const named = pools.filter(({ pool }) => workload.spec.pools.includes(pool.metadata.name));
  return [...checkNames(workload, pools), ...checkSpelling(named), ...checkBackends(named)];
}

function checkNames({ spec, metadata: { namespace = '' } }: InferenceWorkload, pools: readonly ObservedPool[]): readonly Problem[] {
  return spec.pools.flatMap((name, index) => {
    const path = `spec.pools[${index}]`;
    const found = pools.find(({ pool }) => pool.metadata.name === name);
    if (found === undefined) {
      const known = pools.map(({ pool }) => pool.metadata.name).join(', ');
      return [
        problem('POOL_UNKNOWN', {
          message: `There is no GpuPool ${name}.`,
          path,
          expected: known === '' ? 'a GpuPool' : known,
          received: name,
        }),
      ];
    }
    const { namespaces } = found.pool.spec;
    if (!namespaces.includes('*') && !namespaces.includes(namespace)) {
      return [
        problem('POOL_NOT_ALLOWED', {
          message: `Namespace ${namespace} may not use the GpuPool ${name}.`,
          path,
          expected: `a namespace of ${namespaces.join(', ')}`,
          received: namespace,
        }),
      ];
    }
    return found.problems;
  });
}

/** Pods of one type ask for their slice by one name, so pools of one model that a workload may use must spell it alike. */
function checkSpelling(named: readonly ObservedPool[]): readonly Problem[] {
  for (const [p, one] of named.entries()) {
    for (const other of named.slice(p + 1)) {
      if (one.model?.name !== other.model?.name) continue;
      for (const profile of [...one.names.keys(), ...other.names.keys()]) {
        const [a, b] = [one, other].map(({ names }) => names.get(profile) ?? profile) as [string, string];
        if (a === b || !isCut(one, profile) || !isCut(other, profile)) continue;
        const [x, y] = [one.pool.metadata.name, other.pool.metadata.name];
        return [
          problem('PROFILE_SETS_DIFFER', {
            message: `The pools ${x} and ${y} name one profile of ${one.model?.name} differently: ${a} and ${b}.`,
            path: 'spec.pools',
            expected: 'one of them',
          }),
        ];
      }
    }
  }
  return [];
}

/** Only of a profile that some GPU is cut into the driver's name is known. */
function isCut({ nodes }: ObservedPool, profile: string): boolean {
  return nodes.some(({ gpus }) => gpus.some(({ instances }) => instances.some((one) => one.profile === profile)));
}

/** Steps of one plan are for the operator or for a person; pods of one type ask for their slice in one way. */
function checkBackends(named: readonly ObservedPool[]): readonly Problem[] {
  const refuse = (one: ObservedPool, other: ObservedPool, why: string): readonly Problem[] => [
    problem('BACKENDS_DIFFER', {
      message: `The pools ${one.pool.metadata.name} (${one.pool.spec.backend}) and ${other.pool.metadata.name} (${other.pool.spec.backend}) cannot be used together: ${why}.`,
      path: 'spec.pools',
      expected: 'one of them',
    }),
  ];
  for (const [p, one] of named.entries()) {
    for (const other of named.slice(p + 1)) {
      if (one.backend === undefined || other.backend === undefined) continue;
      if (one.backend.executor !== other.backend.executor)
        return refuse(one, other, 'one is changed by the operator, the other by a person');
      if (one.model?.name === other.model?.name && one.backend.allocation.name !== other.backend.allocation.name)
        return refuse(one, other, `pods ask for slices of ${one.model?.name} in two ways`);
    }
  }
  return [];
}
