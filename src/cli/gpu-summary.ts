import { entryOf } from '../demand/entry-of.js';
import type { Certainty, Fact, GpuModel, MediaEngines, MigProfile } from '../gpu/gpu-model.js';
import { formatSlices } from '../gpu/slice-mask.js';
import { explainMarks, formatFact, markOf } from './evidence-marks.js';
import { formatCount } from './format-number.js';
import { formatGiB } from './layout-text.js';
import { formatTable } from './text-table.js';

/** Every known GPU model, one a line. */
export function summarizeGpus(models: readonly GpuModel[]): string {
  const rows = models.map((model) => [
    model.name,
    model.profiles.length === 0 ? 'no MIG' : `${model.computeSlices} + ${model.memorySlices}`,
    formatFact(model.full.memoryMiB, formatGiB),
    formatFact(model.full.sms),
    formatFact(model.minimumDriver),
    model.profiles
      .filter(({ variant }) => variant === 'base')
      .map(({ name }) => name)
      .join(' '),
  ]);
  const table = formatTable(
    [
      { title: 'model' },
      { title: 'slices' },
      { title: 'memory', align: 'right' },
      { title: 'SMs', align: 'right' },
      { title: 'driver' },
      { title: 'profiles' },
    ],
    rows,
  );
  const facts = models.flatMap(({ full, minimumDriver }) => [full.memoryMiB, full.sms, minimumDriver]);
  return [
    `${formatCount(models.length, 'GPU model')}\n\n`,
    table,
    '\nslices: compute + memory. memory and SMs: of the whole GPU with MIG off. driver: the first with MIG.\n',
    marksOf(facts),
    'Media and double-memory profiles, placements and sources: inlay gpus MODEL\n',
  ].join('');
}

/** Everything that is known of one GPU model, with where it comes from. */
export function summarizeGpu(model: GpuModel): string {
  const profiles = [...model.profiles, model.full];
  const facts = [...profiles.flatMap(({ memoryMiB, sms, placement }) => [memoryMiB, sms, placement]), model.minimumDriver];
  const lines = [
    ...(model.variantOf === undefined ? [] : [`Variant of ${model.variantOf}: same layouts, other speed.`]),
    ...(model.products.length === 0 ? [] : [`Also known as ${model.products.join(', ')}.`]),
    ...(model.pciIds.length === 0 ? [] : [`PCI ids (vendor 10DE): ${model.pciIds.join(', ')}.`]),
    ...model.remarks,
  ];
  return [
    `${model.name}: ${slicesOf(model)}\n\n`,
    formatProfiles(profiles),
    '\n',
    ...lines.map((line) => `${line}\n`),
    lines.length === 0 ? '' : '\n',
    marksOf(facts),
    'Sources\n',
    ...listSources(model, profiles).map((source) => `  ${source}\n`),
  ].join('');
}

function slicesOf(model: GpuModel): string {
  if (model.profiles.length === 0) return 'no MIG, one instance';
  const driver = model.minimumDriver === undefined ? '' : `, MIG from driver ${formatFact(model.minimumDriver)}`;
  return `${formatCount(model.computeSlices, 'compute slice')}, ${formatCount(model.memorySlices, 'memory slice')}${driver}`;
}

function formatProfiles(profiles: readonly MigProfile[]): string {
  return formatTable(
    [
      { title: 'profile' },
      { title: 'compute', align: 'right' },
      { title: 'memory', align: 'right' },
      { title: 'starts' },
      { title: 'most', align: 'right' },
      { title: 'usable', align: 'right' },
      { title: 'SMs', align: 'right' },
      { title: 'media engines' },
    ],
    profiles.map((profile) => [
      profile.name,
      `${profile.computeSlices}`,
      `${profile.memorySlices}`,
      formatSlices(profile.starts) + markOf(profile.placement.certainty),
      `${profile.maxCount}`,
      formatFact(profile.memoryMiB, formatGiB),
      formatFact(profile.sms),
      formatEngines(profile.engines),
    ]),
  );
}

function formatEngines({ decoder, encoder, jpeg, opticalFlow }: MediaEngines): string {
  const parts = [
    [decoder, 'dec'],
    [encoder, 'enc'],
    [jpeg, 'jpeg'],
    [opticalFlow, 'ofa'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, name]) => `${count} ${name}`)
      .join(' ') || '-'
  );
}

function marksOf(facts: readonly ({ readonly certainty: Certainty } | undefined)[]): string {
  const used = new Set(facts.flatMap((fact) => (fact === undefined ? [] : [fact.certainty])));
  const lines = explainMarks(used);
  return lines.length === 0 ? '' : `${['no mark: from NVIDIA, or shown by independent outputs', ...lines].join('\n')}\n`;
}

/** One line a source, with what it says: `SMs; memory of 1g.5gb 2g.10gb: …`. */
function listSources(model: GpuModel, profiles: readonly MigProfile[]): readonly string[] {
  const told = new Map<string, string[]>();
  const tell = (subject: string, of: (profile: MigProfile) => Pick<Fact<unknown>, 'source'> | undefined) => {
    const named = new Map<string, string[]>();
    for (const profile of profiles) {
      const source = of(profile)?.source;
      if (source !== undefined) entryOf(named, source, () => []).push(profile.name);
    }
    for (const [source, names] of named) {
      const all = names.length === profiles.length || (names.length === model.profiles.length && !names.includes(model.full.name));
      entryOf(told, source, () => []).push(all ? subject : `${subject} of ${names.join(' ')}`);
    }
  };
  tell('starts', (profile) => (profile === model.full ? undefined : profile.placement));
  tell('memory', (profile) => profile.memoryMiB);
  tell('SMs', (profile) => profile.sms);
  if (model.minimumDriver !== undefined) entryOf(told, model.minimumDriver.source, () => []).push('driver');
  return [...told].map(([source, subjects]) => `${subjects.join('; ')}: ${source}`);
}
