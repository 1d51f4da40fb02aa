import { type Problem, problem } from '../../errors.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { GpuModel } from '../../gpu/gpu-model.js';
import { placeOnGpu } from '../../gpu/placement.js';
import type { Backend } from '../backends/backend.js';
import type { Node } from '../client/object-types.js';
import type { GpuPool } from '../objects/gpu-pool.js';
import { annotations, cordonOwner, nvidia } from '../objects/names.js';
import type { NodeState } from '../objects/node-state.js';
import { checkReport } from './check-report.js';

/** One instance that exists, with the pod that the kubelet gave it to. */
export interface ObservedInstance {
  /** Catalogue's name. */
  readonly profile: string;
  readonly start: number;
  readonly pod?: { readonly namespace: string; readonly name: string };
}

export interface ObservedGpu {
  /** `node/index`. */
  readonly id: string;
  readonly node: string;
  readonly index: number;
  readonly uuid?: string;
  readonly migEnabled: boolean;
  /** Ascending by start; with MIG off nothing, or `full` while a pod holds the GPU. */
  readonly instances: readonly ObservedInstance[];
}

/** A node of a pool as it is. */
export interface ObservedNode {
  readonly name: string;
  readonly pool: string;
  readonly object: Node;
  readonly gpus: readonly ObservedGpu[];
  /** Where the layouts come from; without an agent nobody knows which pod sits on which GPU. */
  readonly source: 'agent' | 'config' | 'none';
  /** Instances that it offers to pods, by the driver's profile, `full` for whole GPUs. */
  readonly offer: ReadonlyMap<string, number>;
  readonly cordon: 'no' | 'own' | 'foreign';
  /** Whether plans may use it. */
  readonly usable: boolean;
  /** Time that a report which contradicts the device plugin may still be late, ms: nothing is planned from it. Absent when they agree. */
  readonly settlesInMs?: number;
  /** Driver's name of a profile where it differs from the catalogue's. */
  readonly names: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** Seconds that a node may be away, or disagree with its layout, before plans do without it. */
const patienceMs = 120_000;

/** What is known of a node besides its own object. */
export interface NodeFacts {
  readonly pool: GpuPool;
  readonly model: GpuModel;
  readonly backend: Backend;
  readonly offer: ReadonlyMap<string, number>;
  readonly state?: NodeState | undefined;
  /** Without a state: number of instances by profile for each GPU, as the backend can tell. */
  readonly config?: readonly Readonly<Record<string, number>>[] | undefined;
  /** Whether a pod of others that asks for GPUs is there. */
  readonly hasForeignPods: boolean;
  /** Why it is not of the model of its pool. */
  readonly stranger?: Problem | undefined;
  readonly nowMs: number;
}

/** Reads a node: the agent's report where there is one, else the config that was applied, else nothing but the number of GPUs. */
export function readNode(object: Node, facts: NodeFacts): ObservedNode {
  const { name, labels = {}, annotations: notes = {}, deletionTimestamp } = object.metadata;
  const { pool, model, state, nowMs } = facts;
  const problems: Problem[] = facts.stranger === undefined ? [] : [facts.stranger];
  const names = new Map<string, string>();
  const gpus = state
    ? readReport(name, model, state, names, problems)
    : readConfig(name, model, Number(labels[nvidia.count] ?? 0), facts.config);
  const source = state ? 'agent' : facts.config ? 'config' : 'none';
  const cordoned = object.spec?.unschedulable === true;
  const cordon = !cordoned ? 'no' : notes[annotations.cordonedBy] === cordonOwner ? 'own' : 'foreign';
  const strategy = labels[nvidia.migStrategy];
  if (model.profiles.length > 0 && strategy !== undefined && strategy !== 'mixed') {
    problems.push(
      problem('MIG_STRATEGY', {
        message: `Node ${name} runs the device plugin with the MIG strategy ${strategy}, which cannot offer slices of several sizes.`,
        path: `metadata.labels["${nvidia.migStrategy}"]`,
        expected: 'mixed',
        received: strategy,
      }),
    );
  }
  const isUnknown = source === 'none' || facts.backend.isChanging(object);
  const shortfall = isUnknown ? undefined : findDisagreement(object, facts.offer, gpus, names);
  const since = Date.parse(state?.spec.observedAt ?? '') || 0;
  const leftMs = since + patienceMs - nowMs;
  if (shortfall !== undefined && leftMs < 0) problems.push(shortfall);
  // Without a report foreign pods could sit anywhere on the node.
  const isGuess = source !== 'agent' && facts.hasForeignPods;
  // Whoever cuts GPUs by hand closes their node meanwhile.
  const isLeftOut = cordon === 'foreign' && facts.backend.executor === 'operator';
  const usable = problems.length === 0 && !isLeftOut && deletionTimestamp === undefined && !isGuess && !isAway(object, nowMs);
  const settlesInMs = shortfall !== undefined && leftMs >= 0 && usable ? { settlesInMs: leftMs } : {};
  return { name, pool: pool.metadata.name, object, gpus, source, offer: facts.offer, cordon, usable, ...settlesInMs, names, problems };
}

function isAway({ status }: Node, nowMs: number): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready === undefined || ready.status === 'True') return false;
  return nowMs - (Date.parse(ready.lastTransitionTime ?? '') || 0) > patienceMs;
}

function readReport(node: string, model: GpuModel, { spec }: NodeState, names: Map<string, string>, problems: Problem[]): ObservedGpu[] {
  const gpus = spec.gpus
    .map(({ index, uuid, migEnabled, instances, pod }): ObservedGpu => {
      const known = instances.flatMap(({ profile, start, pod: holder }): ObservedInstance[] => {
        const found = findProfile(model, profile);
        if (found.kind === 'unknown') {
          problems.push(
            problem('UNKNOWN_PROFILE', {
              message: `Node ${node} has an instance of profile ${profile}, which ${model.name} does not have.`,
              path: `spec.gpus[${index}].instances`,
              received: profile,
              hint: 'Mend the GPU model of the pool.',
            }),
          );
          return [];
        }
        if (profile !== found.profile.name) names.set(found.profile.name, profile);
        return [{ profile: found.profile.name, start, ...(holder && { pod: holder }) }];
      });
      const full: ObservedInstance[] = pod === undefined ? [] : [{ profile: 'full', start: 0, pod }];
      return {
        id: `${node}/${index}`,
        node,
        index,
        uuid,
        migEnabled,
        instances: migEnabled ? known.sort((a, b) => a.start - b.start) : full,
      };
    })
    .sort((a, b) => a.index - b.index);
  problems.push(...checkReport(node, model, gpus));
  return gpus.filter(({ index }, n) => index !== gpus[n - 1]?.index);
}

/** Without a report: GPUs cut as the applied config says, or as many empty ones as the node counts. */
function readConfig(node: string, model: GpuModel, count: number, config: NodeFacts['config']): ObservedGpu[] {
  const layouts: readonly Readonly<Record<string, number>>[] = config ?? Array.from({ length: count }, () => ({}));
  return layouts.map((counts, index) => {
    const wanted = Object.entries(counts).flatMap(([name, number]) => {
      const found = findProfile(model, name);
      return found.kind === 'found' ? Array.from({ length: number }, () => found.profile) : [];
    });
    const placed = placeOnGpu(model, wanted);
    const instances = placed.kind === 'placed' ? placed.layout.map(({ profile, start }) => ({ profile: profile.name, start })) : [];
    return { id: `${node}/${index}`, node, index, migEnabled: wanted.length > 0, instances };
  });
}

/** Number of instances of each driver's profile that the layouts of a node promise; a GPU with MIG off is one `full`. */
export function countProfiles(
  gpus: readonly Pick<ObservedGpu, 'migEnabled' | 'instances'>[],
  names: ReadonlyMap<string, string>,
): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (profile: string) => counts.set(profile, (counts.get(profile) ?? 0) + 1);
  for (const { migEnabled, instances } of gpus) {
    if (!migEnabled) add('full');
    else for (const { profile } of instances) add(names.get(profile) ?? profile);
  }
  return counts;
}

function findDisagreement(
  node: Node,
  offered: ReadonlyMap<string, number>,
  gpus: readonly ObservedGpu[],
  names: ReadonlyMap<string, string>,
): Problem | undefined {
  const expected = countProfiles(gpus, names);
  const wrong = [...new Set([...expected.keys(), ...offered.keys()])].filter((name) => expected.get(name) !== offered.get(name));
  const [first] = wrong.sort();
  if (first === undefined) return undefined;
  return problem('NODE_DISAGREES', {
    message: `Node ${node.metadata.name} offers other GPU resources than its GPUs are cut into.`,
    path: `nodes/${node.metadata.name}`,
    expected: `${expected.get(first) ?? 0} of ${first}`,
    received: `${offered.get(first) ?? 0}`,
  });
}
