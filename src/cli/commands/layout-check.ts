import { inlayError } from '../../errors.js';
import type { GpuModel, Layout } from '../../gpu/gpu-model.js';
import { checkLayout, placeOnGpu } from '../../gpu/placement.js';
import { formatLayout, layoutMask, nameSlices, slicesOf } from '../../gpu/slice-mask.js';
import { formatCount } from '../format-number.js';
import type { CliIo } from '../io.js';
import { formatInstances, toConflict, toInstances } from '../layout-text.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportInfeasible, reportNotes, writeJson } from '../report-problems.js';
import { resolveGpu, resolveInstances, resolvePlaced } from '../resolve-hardware.js';
import type { LayoutOptions } from './layout.js';

interface CheckOptions extends LayoutOptions {
  readonly occupied?: readonly string[];
}

/** Runs `inlay layout check`: exit 0 with the starts, or 3 with the reason. */
export async function runLayoutCheck(model: string, requests: readonly string[], options: CheckOptions, io: CliIo): Promise<void> {
  const gpu = resolveGpu(await readCatalogue(options.gpuModels), model);
  const rules = { forbid4gWith3g: options.forbid4gWith3g === true };
  const wanted = resolveInstances(gpu, requests);
  const occupied = resolvePlaced(gpu, options.occupied ?? []);
  reportNotes([...wanted.notes, ...occupied.notes], io, options);
  const before = checkLayout(gpu, occupied.layout, rules);
  if (before.kind === 'illegal') {
    const hint = 'Name the instances as `nvidia-smi mig -lgi` lists them.';
    throw inlayError('USAGE', { message: `The occupied instances cannot exist together: ${before.reason}`, hint });
  }
  const placement = placeOnGpu(gpu, wanted.profiles, { occupied: occupied.layout, rules });
  if (placement.kind === 'illegal') {
    reportInfeasible({ kind: 'infeasible', conflicts: [toConflict(placement)] }, io, options);
  } else if (options.json === true) {
    writeJson(io, { kind: 'legal', gpu: gpu.name, instances: toInstances(placement.layout), occupied: toInstances(occupied.layout) });
  } else {
    io.stdout.write(summarize(gpu, placement.layout, occupied.layout));
  }
}

function summarize(gpu: GpuModel, layout: Layout, occupied: Layout): string {
  const beside = occupied.length === 0 ? '' : `, beside ${formatLayout(occupied)}`;
  const both = [...occupied, ...layout];
  const free = slicesOf(((1 << gpu.memorySlices) - 1) & ~layoutMask(both));
  const compute = gpu.computeSlices - both.reduce((sum, { profile }) => sum + profile.computeSlices, 0);
  const left = `Left free: ${free.length === 0 ? 'no memory slice' : nameSlices(free)}; ${formatCount(compute, 'compute slice')}.`;
  return `Legal on one ${gpu.name}${beside}.\n\n${formatInstances(layout)}\n${left}\n`;
}
