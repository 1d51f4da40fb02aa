import { nodeOf, type Progress } from '../decide/progress.js';
import { countProfiles, type ObservedGpu } from '../decide/read-node.js';
import type { LayoutStep, PlanNode } from './backend.js';

/** What can be said of a GPU's layout. */
export type Cut = Pick<ObservedGpu, 'migEnabled' | 'instances'>;

/** Whether a GPU is cut as a step leaves it: a wipe by its profiles, wherever they sit; one instance by its place. */
export function isCutAs({ migEnabled, instances }: Cut, step: LayoutStep): boolean {
  if (step.kind !== 'wipe-gpu') {
    const { profile, start } = step;
    const isThere =
      profile === 'full' ? !migEnabled : migEnabled && instances.some((one) => one.profile === profile && one.start === start);
    // A whole GPU is what is left when nothing is cut: there is nothing to delete.
    return step.kind === 'create-instance' ? isThere : profile === 'full' || !isThere;
  }
  const wanted = step.layout.map(({ profile }) => profile).sort();
  if (wanted.length === 1 && wanted[0] === 'full') return !migEnabled;
  const has = instances.map(({ profile }) => profile).sort();
  return migEnabled && wanted.join() === has.join();
}

/** Whether a node offers what its GPUs are cut into. */
export function isOffered({ node, pool }: PlanNode): boolean {
  const expected = countProfiles(node.gpus, pool.names);
  return expected.size === node.offer.size && [...expected].every(([name, count]) => node.offer.get(name) === count);
}

/** Whether a GPU is cut as a step leaves it, and its node offers what its GPUs are cut into. */
export function isCutAndOffered(step: LayoutStep, planNode: PlanNode): boolean {
  const gpu = planNode.node.gpus.find(({ id }) => id === step.gpu);
  return gpu !== undefined && isCutAs(gpu, step) && isOffered(planNode);
}

/** The layout steps of a node that may run and whose effect is not there, in the order of the transition. */
export function listOpenSteps({ node }: PlanNode, { enabled, done }: Progress): readonly LayoutStep[] {
  return enabled.filter((step): step is LayoutStep => {
    if (step.kind === 'start-pod' || step.kind === 'stop-pod' || done.has(step.id) || nodeOf(step.gpu) !== node.name) return false;
    return !node.gpus.some((gpu) => gpu.id === step.gpu && isCutAs(gpu, step));
  });
}
