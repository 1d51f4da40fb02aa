import { type Problem, problem } from '../../errors.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { GpuModel } from '../../gpu/gpu-model.js';
import { checkLayout } from '../../gpu/placement.js';
import type { ObservedGpu } from './read-node.js';

/** What in the report of a node cannot be: two GPUs with one index or uuid, instances that cannot be on one GPU together. */
export function checkReport(node: string, model: GpuModel, gpus: readonly ObservedGpu[]): readonly Problem[] {
  const refuse = (message: string, index: number): Problem =>
    problem('STATE_IMPOSSIBLE', { message: `Node ${node} reports ${message}`, path: `spec.gpus[${index}]` });
  const seen = new Set<string>();
  return gpus.flatMap(({ index, uuid, migEnabled, instances }): Problem[] => {
    const names = [`index ${index}`, ...(uuid === undefined ? [] : [`uuid ${uuid}`])];
    const twice = names.filter((name) => seen.has(name)).map((name) => refuse(`two GPUs of ${name}.`, index));
    for (const name of names) seen.add(name);
    if (!migEnabled) return twice;
    const layout = instances.flatMap(({ profile, start }) => {
      const found = findProfile(model, profile);
      return found.kind === 'found' ? [{ profile: found.profile, start }] : [];
    });
    const checked = checkLayout(model, layout);
    return checked.kind === 'legal' ? twice : [...twice, refuse(`what cannot be on GPU ${index}: ${checked.reason}`, index)];
  });
}
