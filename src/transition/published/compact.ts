import type { PlacedProfile } from '../../gpu/gpu-model.js';
import { placeAll, sortLargestFirst } from '../../gpu/place-all.js';
import { layoutMask } from '../../gpu/slice-mask.js';
import type { DraftPod } from '../draft-step.js';
import type { GpuTimeline } from '../gpu-timeline.js';
import type { GpuSupply } from './exchange.js';
import { isFree, type PlacedPod, podKey } from './placed-pods.js';

/** One GPU of the plan: what runs where on it. */
export interface PlanGpuContent {
  readonly pool: number;
  readonly pods: readonly { readonly placed: PlacedProfile; readonly pod: DraftPod }[];
}

/** GPU content with the GPU on which it is gathered, and what is not there yet. */
interface Assignment {
  readonly content: PlanGpuContent;
  gpu: GpuTimeline;
  missing: PlanGpuContent['pods'][number][];
}

/**
 * The compact phase of MIG-serving's controller: every GPU of the plan is gathered on the GPU that already holds most of it;
 * a pod migrates (start there, then stop here) as soon as its place is free. When nothing can move, the content of which
 * least is in place is gathered on an extra GPU. `after` are the steps of the phase before; waves start at `firstWave`.
 */
export function compact(
  running: readonly PlacedPod[],
  contents: readonly PlanGpuContent[],
  supply: GpuSupply,
  firstWave: number,
  after: readonly number[],
): void {
  const pods = new Set(running);
  const assignments = assign(contents, supply);
  const settle = (): void => {
    for (const one of assignments) one.missing = one.content.pods.filter((wanted) => findSettled(pods, one.gpu, wanted) === undefined);
  };
  settle();
  const settled = new Set<PlacedPod>();
  for (const { gpu, content } of assignments) {
    for (const wanted of content.pods) {
      const pod = findSettled(pods, gpu, wanted);
      if (pod !== undefined) settled.add(pod);
    }
  }
  for (let wave = firstWave; assignments.some(({ missing }) => missing.length > 0); wave++) {
    const sources: PlacedPod[] = [];
    for (const one of assignments) {
      one.missing = one.missing.filter((wanted) => {
        if (!isFree(one.gpu, wanted.placed)) return true;
        const source = findSource(pods, settled, wanted, one.content.pool);
        if (source === undefined) return true;
        one.gpu.startPod(wanted.placed, wanted.pod, wave, wave === firstWave ? after : []);
        const moved = { gpu: one.gpu, placed: wanted.placed, pod: wanted.pod };
        pods.delete(source);
        pods.add(moved);
        settled.add(moved);
        sources.push(source);
        return false;
      });
    }
    for (const { gpu, placed } of sources) gpu.stopPod(placed.start, wave + 1);
    if (sources.length === 0) gatherElsewhere(assignments, pods, settled, supply);
    else releaseEmpty(assignments, supply, wave + 1);
  }
}

/** Largest overlap first; what overlaps stays where it is if the rest of the content fits around it. */
function assign(contents: readonly PlanGpuContent[], supply: GpuSupply): Assignment[] {
  const pairs = contents.flatMap((content, c) =>
    supply.gpus.flatMap((gpu, g) => {
      const overlap = gpu.pool === content.pool ? countOverlap(content, gpu) : 0;
      return overlap === 0 ? [] : [{ c, g, overlap }];
    }),
  );
  pairs.sort((a, b) => b.overlap - a.overlap || a.c - b.c || a.g - b.g);
  const chosen = new Map<number, GpuTimeline>();
  const taken = new Set<number>();
  for (const { c, g } of pairs) {
    if (chosen.has(c) || taken.has(g)) continue;
    chosen.set(c, supply.gpus[g] as GpuTimeline);
    taken.add(g);
  }
  return contents.map((content, c) => {
    let gpu = chosen.get(c);
    if (gpu === undefined) {
      const g = supply.gpus.findIndex((other, index) => other.pool === content.pool && !taken.has(index));
      gpu = supply.gpus[g] ?? supply.addGpu(content.pool);
      taken.add(g < 0 ? supply.gpus.length - 1 : g);
    }
    return { content: arrange(content, gpu), gpu, missing: [] };
  });
}

/** Pods of the content that run on the GPU, by number and kind. */
function countOverlap({ pods }: PlanGpuContent, gpu: GpuTimeline): number {
  return matchPods(pods, gpu).filter((start) => start !== undefined).length;
}

/** For each pod of the content the start of one of its kind on the GPU, each used once. */
function matchPods(pods: PlanGpuContent['pods'], gpu: GpuTimeline): (number | undefined)[] {
  const present = gpu.instances.flatMap(({ pod, profile, start }) =>
    pod === undefined ? [] : [{ start, key: podKey(pod, gpu.pool, profile) }],
  );
  return pods.map(({ pod, placed }) => {
    const key = podKey(pod, gpu.pool, placed.profile);
    const at = present.findIndex((one) => one.key === key);
    return at < 0 ? undefined : present.splice(at, 1)[0]?.start;
  });
}

function arrange(content: PlanGpuContent, gpu: GpuTimeline): PlanGpuContent {
  const starts = matchPods(content.pods, gpu);
  const staying = content.pods.flatMap(({ placed: { profile } }, n) => (starts[n] === undefined ? [] : [{ profile, start: starts[n] }]));
  const moving = content.pods.flatMap(({ placed }, n) => (starts[n] === undefined ? [placed.profile] : []));
  const [layout] = placeAll(sortLargestFirst(moving), layoutMask(staying));
  if (layout === undefined) return content;
  const left = [...layout];
  const pods = content.pods.map(({ pod, placed }, n) => {
    const { profile } = placed;
    const start =
      starts[n] ??
      left.splice(
        left.findIndex((one) => one.profile === profile),
        1,
      )[0]?.start ??
      placed.start;
    return { pod, placed: { profile, start } };
  });
  return { pool: content.pool, pods };
}

function findSettled(pods: ReadonlySet<PlacedPod>, gpu: GpuTimeline, wanted: PlanGpuContent['pods'][number]): PlacedPod | undefined {
  const key = podKey(wanted.pod, gpu.pool, wanted.placed.profile);
  for (const one of pods) {
    if (one.gpu === gpu && one.placed.start === wanted.placed.start && podKey(one.pod, gpu.pool, one.placed.profile) === key) return one;
  }
  return undefined;
}

function findSource(
  pods: ReadonlySet<PlacedPod>,
  settled: ReadonlySet<PlacedPod>,
  { pod, placed }: PlanGpuContent['pods'][number],
  pool: number,
): PlacedPod | undefined {
  const key = podKey(pod, pool, placed.profile);
  for (const one of pods) if (!settled.has(one) && podKey(one.pod, one.gpu.pool, one.placed.profile) === key) return one;
  return undefined;
}

function gatherElsewhere(
  assignments: readonly Assignment[],
  pods: ReadonlySet<PlacedPod>,
  settled: Set<PlacedPod>,
  supply: GpuSupply,
): void {
  const open = assignments.filter(({ missing }) => missing.length > 0);
  const inPlace = ({ content, missing }: Assignment): number => content.pods.length - missing.length;
  const least = open.reduce((a, b) => (inPlace(b) < inPlace(a) ? b : a));
  for (const pod of pods) if (pod.gpu === least.gpu) settled.delete(pod);
  least.gpu = supply.addGpu(least.content.pool);
  least.missing = [...least.content.pods];
}

/** GPUs without pods that nothing is gathered on are given back. */
function releaseEmpty(assignments: readonly Assignment[], supply: GpuSupply, wave: number): void {
  const used = new Set(assignments.map(({ gpu }) => gpu));
  for (const gpu of supply.gpus) if (!used.has(gpu) && gpu.instances.every(({ pod }) => pod === undefined)) gpu.clear(wave);
}
