import type { StateGpu } from '../../demand/documents/state.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import type { Violation } from '../verify-report.js';
import type { TransitionFacts } from './transition-facts.js';

/** GPUs of steps and target are known and of their pool's model; a GPU is the same thing in state and target; none is listed twice. */
export function checkKnownGpus({ state, transition, gpus }: TransitionFacts): readonly Violation[] {
  const before = new Map(state.gpus.map((gpu) => [gpu.id, gpu]));
  const unknown = new Set(transition.steps.map(({ gpu }) => gpu).filter((id) => !gpus.has(id)));
  const violations: Violation[] = [...unknown].map((id) => {
    const message = `${id}: steps change a GPU that neither state nor target lists.`;
    return { where: id, message, expected: 'a GPU of the state or the target', received: id };
  });
  const seen = new Set<string>();
  const uuids = new Map<string, string>(state.gpus.flatMap(({ id, uuid }) => (uuid === undefined ? [] : [[uuid, id]])));
  for (const gpu of transition.target.gpus) {
    const { id, uuid } = gpu;
    if (seen.has(id)) violations.push({ where: id, message: `${id}: the target lists it twice.`, expected: 'once', received: 'twice' });
    seen.add(id);
    const owner = uuid === undefined ? undefined : (uuids.get(uuid) ?? id);
    if (uuid !== undefined) uuids.set(uuid, id);
    if (owner !== undefined && owner !== id) {
      violations.push({ where: id, message: `${id}: its uuid is another GPU’s.`, expected: 'its own uuid', received: `that of ${owner}` });
    }
    const known = before.get(id);
    if (known !== undefined && identityOf(known) !== identityOf(gpu)) {
      violations.push({
        where: id,
        message: `${id}: state and target differ on it.`,
        expected: identityOf(known),
        received: identityOf(gpu),
      });
    }
  }
  const touched = new Set([...transition.steps.map((step) => step.gpu), ...seen]);
  for (const { id, gpu, pool } of gpus.values()) {
    if (gpu.reserved === true || (!touched.has(id) && gpu.instances.length === 0)) continue;
    const model = pool && findGpuModel({ models: [pool.gpu] }, gpu.type);
    if (model?.kind === 'found') continue;
    const message =
      pool === undefined ? `${id}: the workload has no pool ${gpu.pool}.` : `${id}: pool ${gpu.pool} is of another GPU model.`;
    violations.push({ where: id, message, expected: pool?.gpu.name ?? 'a pool of the workload', received: pool ? gpu.type : gpu.pool });
  }
  return violations;
}

function identityOf({ pool, type, node, index, uuid, reserved = false }: StateGpu): string {
  const parts = [`pool ${pool}`, type, node && `node ${node}`, index === undefined ? '' : `number ${index}`, uuid, reserved && 'reserved'];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ');
}
