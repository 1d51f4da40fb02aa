import type { Conflict } from '../../demand/conflict.js';
import type { GpuModel, Layout } from '../../gpu/gpu-model.js';
import { type FewestPlacement, placeOnFewest } from '../../gpu/place-on-fewest.js';
import { formatLayout } from '../../gpu/slice-mask.js';
import type { CliIo } from '../io.js';
import { toConflict, toInstances } from '../layout-text.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportInfeasible, reportNotes, writeJson } from '../report-problems.js';
import { resolveGpu, resolveInstances } from '../resolve-hardware.js';
import { formatTable } from '../text-table.js';
import type { LayoutOptions } from './layout.js';

interface PlaceOptions extends LayoutOptions {
  readonly gpus: number;
}

/** Runs `inlay layout place`: exit 0 with a layout for every used GPU, or 3 when they do not fit. */
export async function runLayoutPlace(model: string, requests: readonly string[], options: PlaceOptions, io: CliIo): Promise<void> {
  const gpu = resolveGpu(await readCatalogue(options.gpuModels), model);
  const wanted = resolveInstances(gpu, requests);
  reportNotes(wanted.notes, io, options);
  const rules = { forbid4gWith3g: options.forbid4gWith3g === true };
  const placement = placeOnFewest(gpu, wanted.profiles, options.gpus, rules);
  if (placement.kind !== 'placed') {
    reportInfeasible({ kind: 'infeasible', conflicts: [explain(placement, gpu, options.gpus)] }, io, options);
  } else if (options.json === true) {
    const gpus = placement.layouts.map((layout) => ({ instances: toInstances(layout) }));
    writeJson(io, { kind: 'placed', gpu: gpu.name, available: options.gpus, proven: placement.proven, gpus });
  } else {
    io.stdout.write(summarize(gpu, placement.layouts, options.gpus, placement.proven));
  }
}

function explain(placement: Exclude<FewestPlacement, { kind: 'placed' }>, gpu: GpuModel, gpus: number): Conflict {
  if (placement.kind === 'illegal') return toConflict(placement);
  const { needed, proven } = placement;
  const message = proven
    ? `These instances need ${needed} × ${gpu.name}, there are ${gpus}.`
    : `These instances fit on ${needed} × ${gpu.name}; no way was found to put them on ${gpus}.`;
  return { code: 'POOL_TOO_SMALL', message, needed, available: gpus, hint: `Give ${needed} GPUs, or ask for fewer or smaller instances.` };
}

function summarize(gpu: GpuModel, layouts: readonly Layout[], gpus: number, proven: boolean): string {
  const title = `${layouts.length} of ${gpus} × ${gpu.name} used${proven ? '; fewer cannot hold these instances' : '; fewer may be possible'}.`;
  const counts = new Map<string, number>();
  for (const text of layouts.map(formatLayout)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const folded = [...counts].map(([text, count]) => [`${count} ×`, text]);
  const table = formatTable([{ title: 'GPUs', align: 'right' }, { title: 'layout' }], folded);
  return layouts.length === 0 ? `${title}\n` : `${title}\n\n${table}`;
}
