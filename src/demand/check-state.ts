import { type Problem, problem } from '../errors.js';
import { findGpuModel, type GpuModelSearch } from '../gpu/find-gpu-model.js';
import { findProfile } from '../gpu/find-profile.js';
import type { GpuCatalogue, GpuModel, PlacedProfile } from '../gpu/gpu-model.js';
import { checkLayout } from '../gpu/placement.js';
import type { StateDocument, StateGpu } from './documents/state.js';
import { entryOf } from './entry-of.js';
import { driftedProfile, unknownProfile, unresolvedGpu } from './name-problems.js';

/** What is wrong with a state and what the user should know about it; problems carry their path. */
export interface CheckedState {
  readonly problems: readonly Problem[];
  readonly notes: readonly Problem[];
}

/**
 * Checks that a state can exist: known GPU models and profiles, instances that can sit together, names and uuids only
 * once, one GPU at an index of a node, and no service on an instance that is not listed.
 */
export function checkState({ gpus, services }: StateDocument, catalogue: GpuCatalogue): CheckedState {
  const problems: Problem[] = [
    ...findRepeated(services, 'services', 'services are called', (service) => service.name, 'name'),
    ...findRepeated(gpus, 'gpus', 'GPUs have the id', (gpu) => gpu.id, 'id'),
    ...findRepeated(gpus, 'gpus', 'GPUs have the uuid', (gpu) => gpu.uuid, 'uuid'),
    ...findRepeated(gpus, 'gpus', 'GPUs are', slotOf, 'index'),
  ];
  const notes: Problem[] = [];
  const known = new Set(services.map((service) => service.name));
  const models = new Map<string, GpuModelSearch>();
  for (const [index, gpu] of gpus.entries()) {
    const path = `gpus[${index}]`;
    const found = entryOf(models, gpu.type, () => findGpuModel(catalogue, gpu.type));
    if (found.kind === 'found') problems.push(...checkInstances(gpu, path, found.model, notes));
    else problems.push(unresolvedGpu(found, gpu.type, { path: `${path}.type` }));
    problems.push(...findStrangers(gpu, path, known));
  }
  return { problems, notes };
}

function findRepeated<T>(
  items: readonly T[],
  list: string,
  what: string,
  nameOf: (item: T) => string | undefined,
  key: string,
): readonly Problem[] {
  const firstOf = new Map<string, number>();
  return items.flatMap((item, index) => {
    const name = nameOf(item);
    if (name === undefined) return [];
    const first = firstOf.get(name);
    if (first === undefined) {
      firstOf.set(name, index);
      return [];
    }
    return [
      problem('DUPLICATE_NAME', {
        message: `Two ${what} ${name}; the other is ${list}[${first}].`,
        path: `${list}[${index}].${key}`,
        received: name,
      }),
    ];
  });
}

function slotOf({ node, index }: StateGpu): string | undefined {
  return node === undefined || index === undefined ? undefined : `number ${index} of node ${node}`;
}

function checkInstances(gpu: StateGpu, path: string, model: GpuModel, notes: Problem[]): readonly Problem[] {
  const problems: Problem[] = [];
  const layout: PlacedProfile[] = [];
  for (const [index, instance] of gpu.instances.entries()) {
    const found = findProfile(model, instance.profile);
    const where = `${path}.instances[${index}].profile`;
    if (found.kind === 'unknown') {
      problems.push(unknownProfile(model, instance.profile, found.suggestions, { path: where }));
      continue;
    }
    if (found.drifted === true) {
      notes.push(driftedProfile(model, instance.profile, found.profile.name, { path: where }));
    }
    layout.push({ profile: found.profile, start: instance.start });
  }
  const checked = checkLayout(model, layout);
  if (problems.length === 0 && checked.kind === 'illegal') {
    problems.push(
      problem('STATE_IMPOSSIBLE', {
        message: `The instances of GPU ${gpu.id} cannot exist together: ${checked.reason}`,
        path: `${path}.instances`,
        expected: `a layout that ${model.name} can hold`,
        received: layout.map((placed) => `${placed.profile.name}@${placed.start}`).join(' '),
      }),
    );
  }
  return problems;
}

function findStrangers(gpu: StateGpu, path: string, known: ReadonlySet<string>): readonly Problem[] {
  return gpu.instances.flatMap(({ service, reserved }, index) =>
    service === null || reserved === true || gpu.reserved === true || known.has(service)
      ? []
      : [
          problem('UNKNOWN_SERVICE', {
            message: `An instance of GPU ${gpu.id} runs ${service}, which services does not list.`,
            path: `${path}.instances[${index}].service`,
            expected: 'a name from services, or null',
            received: service,
            hint: 'Add the service to services, or mark the instance as reserved if it belongs to others.',
          }),
        ],
  );
}
