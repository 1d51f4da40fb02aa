import { inlayError } from '../../errors.js';
import { baseProfiles } from '../../gpu/base-profiles.js';
import type { GpuModel, Layout, LayoutRules, MigProfile } from '../../gpu/gpu-model.js';
import { enumerateLayouts, maximalLayouts, undominatedLayouts } from '../../gpu/layouts.js';
import { formatLayout } from '../../gpu/slice-mask.js';
import { formatCount } from '../format-number.js';
import type { CliIo } from '../io.js';
import { toInstances } from '../layout-text.js';
import { readCatalogue } from '../read-catalogue.js';
import { reportNotes, writeJson } from '../report-problems.js';
import { resolveGpu, resolveProfiles } from '../resolve-hardware.js';
import type { LayoutOptions } from './layout.js';

interface ListOptions extends LayoutOptions {
  readonly maximal?: boolean;
  readonly undominated?: boolean;
  readonly profiles?: readonly string[];
}

type Selection = 'all' | 'maximal' | 'undominated';

const describe: Readonly<Record<Selection, string>> = {
  all: 'legal layout',
  maximal: 'maximal layout',
  undominated: 'undominated combination',
};

/** Runs `inlay layout list`. */
export async function runLayoutList(model: string, options: ListOptions, io: CliIo): Promise<void> {
  const gpu = resolveGpu(await readCatalogue(options.gpuModels), model);
  if (options.profiles?.length === 0) {
    throw inlayError('USAGE', { message: '--profiles names no profile.', expected: 'a list such as 1g.10gb,2g.20gb', received: 'nothing' });
  }
  const named = options.profiles === undefined ? undefined : resolveProfiles(gpu, options.profiles);
  reportNotes(named?.notes ?? [], io, options);
  const profiles = named === undefined ? defaultProfiles(gpu) : [...new Set(named.profiles)];
  const selection = options.undominated === true ? 'undominated' : options.maximal === true ? 'maximal' : 'all';
  const layouts = selectLayouts(gpu, profiles, selection, { forbid4gWith3g: options.forbid4gWith3g === true });
  const names = profiles.map((profile) => profile.name);
  if (options.json === true) {
    writeJson(io, { gpu: gpu.name, profiles: names, selection, layouts: layouts.map(toInstances) });
  } else {
    const title = `${formatCount(layouts.length, describe[selection])} of ${gpu.name} from ${names.join(', ')}`;
    io.stdout.write(`${title}\n\n${layouts.map((layout) => `  ${formatLayout(layout)}\n`).join('')}`);
  }
}

function defaultProfiles(gpu: GpuModel): readonly MigProfile[] {
  const base = baseProfiles(gpu);
  return base.length === 0 ? [gpu.full] : base;
}

function selectLayouts(gpu: GpuModel, profiles: readonly MigProfile[], selection: Selection, rules: LayoutRules): readonly Layout[] {
  if (selection === 'undominated') return undominatedLayouts(gpu, profiles, { rules }).map((shape) => shape.layout);
  return selection === 'maximal' ? maximalLayouts(gpu, profiles, rules) : enumerateLayouts(gpu, profiles, rules);
}
