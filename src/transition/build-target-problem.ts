import type { PlanDocument } from '../demand/documents/plan.js';
import type { Backend } from '../demand/documents/transition.js';
import type { OperatingPoint } from '../demand/operating-point.js';
import type { BuiltProblem } from '../plan/build-problem.js';
import type { PlanRequest } from '../plan/strategies/strategy.js';
import { countPlanPods, type WantedPods } from './count-plan-pods.js';
import type { Fleet } from './fleet.js';
import { type GpuClass, groupGpus } from './gpu-classes.js';
import { asItIs, createLayoutLister, type LayoutOption } from './layout-options.js';
import type { PlanItem, ServiceItems, TargetProblem } from './target-problem.js';

/**
 * The problem of the target of least change. Under a backend that wipes, a GPU keeps its pods only with all its instances
 * as they are. With a `plan`, its numbers of pods are taken as given and only their places are open.
 */
export function buildTargetProblem(
  { workload, finder, cuts }: PlanRequest,
  { problem: packing, points }: BuiltProblem,
  fleet: Fleet,
  backend: Backend,
  plan?: PlanDocument,
): TargetProblem {
  const classes = groupGpus(fleet);
  const listLayouts = createLayoutLister(workload.pools, fleet, packing.sizeCount);
  const options = classes.map((group) => (backend === 'instance' ? listLayouts(group) : [asItIs(group, fleet, packing.sizeCount)]));
  const running = countRunning(classes, fleet);
  const wanted = plan === undefined ? undefined : countPlanPods(plan, workload, finder);
  const services = workload.services.map((service, i): ServiceItems | undefined => {
    if (service.rateRps === 0) return undefined;
    const kept = listKept(i, fleet, running);
    const demand = { demand: service.rateRps, minCount: service.minReplicas };
    if (wanted !== undefined) return { ...fixItems(kept, wanted[i] as readonly WantedPods[]), ...demand };
    const fresh = (points[i] as readonly (OperatingPoint | undefined)[]).flatMap((point, size): PlanItem[] =>
      point === undefined ? [] : [{ size, point, type: -1, limit: Infinity }],
    );
    return { items: [...kept, ...fresh], ...demand };
  });
  const untouched = classes.map((group) => leaveAlone(group, fleet, packing.sizeCount));
  const freshSlots = workload.pools.map((_, g) => (cuts[g]?.layouts ?? []).map(({ slots }) => slots));
  return { packing, fleet, classes, options, untouched, freshSlots, services, apart: new Set() };
}

function countRunning(classes: readonly GpuClass[], fleet: Fleet): Int32Array {
  const running = new Int32Array(fleet.types.list.length);
  for (const { instances, gpus } of classes) {
    for (const { type } of instances) if (type >= 0) (running[type] as number) += gpus.length;
  }
  return running;
}

function listKept(service: number, fleet: Fleet, running: Int32Array): PlanItem[] {
  return fleet.types.list.flatMap(({ service: i, size, point }, type): PlanItem[] =>
    i !== service || point === undefined ? [] : [{ size, point, type, limit: running[type] as number }],
  );
}

/** New pods of every kind that a plan wants, and the kept ones that can take their place. */
function fixItems(kept: readonly PlanItem[], wanted: readonly WantedPods[]): Pick<ServiceItems, 'items' | 'fixed'> {
  const items: PlanItem[] = wanted.map(({ size, point }) => ({ size, point, type: -1, limit: Infinity }));
  const fixed = wanted.map(({ size, point, count }, newItem) => {
    const alike = kept.find((item) => item.size === size && item.point.row === point.row);
    if (alike === undefined) return { newItem, keptItem: -1, count };
    items.push(alike);
    return { newItem, keptItem: items.length - 1, count };
  });
  return { items, fixed };
}

/** A GPU can be left alone when each of its pods can stay. */
function leaveAlone(group: GpuClass, fleet: Fleet, sizeCount: number): LayoutOption | undefined {
  const pods = group.instances.filter(({ type }) => type >= 0);
  if (pods.length === 0 || !pods.every(({ type }) => fleet.types.list[type]?.point !== undefined)) return undefined;
  return asItIs({ instances: pods }, fleet, sizeCount);
}
