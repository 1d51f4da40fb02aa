import type { PlanDocument, PlanGpu, PlanInstance, PlanService } from '../demand/documents/plan.js';
import type { Service } from '../demand/workload.js';
import { boundTable } from './bound-table.js';
import { formatCount, formatNumber } from './format-number.js';
import { type Column, formatTable } from './text-table.js';

/** Most lines of a table; a longer one is folded or cut, with a count of what is left out. */
const mostLines = 40;

/** What the summary needs to know of a workload's services. */
export type Limited = Pick<Service, 'name' | 'latencyMs'>;

/** A plan for people: GPUs, the proof in a sentence, how GPUs are cut and what each service gets. */
export function summarizePlan(plan: PlanDocument, demand: readonly Limited[]): string {
  const change = plan.change === undefined ? [] : [boundTable(plan.change)];
  return [`${headline(plan)}\n${proof(plan)}\n`, ...change, gpuTable(plan.gpus), serviceTable(plan, demand)].join('\n');
}

function headline(plan: PlanDocument): string {
  const types = new Map<string, number>();
  for (const { type, count = 1 } of plan.gpus) types.set(type, (types.get(type) ?? 0) + count);
  const fleet = [...types].map(([type, count]) => `${count} × ${type}`).join(' + ');
  const { gpus, cost, instances, factor } = plan.totals;
  return [
    `${plan.metadata.name}: ${formatCount(gpus, 'GPU')}${fleet === '' ? '' : ` (${fleet})`}`,
    formatCount(instances, 'instance'),
    ...(plan.objective === 'cost' ? [`cost ${formatNumber(cost)}`] : []),
    ...(factor === undefined ? [] : [`${formatNumber(factor)} × the rates`]),
  ].join(', ');
}

/** What is proven about the plan, in one sentence, and why the search ended if not by the proof. */
export function proof(plan: PlanDocument): string {
  const stopped = {
    proof: '',
    time: ' Stopped by the time limit.',
    interrupt: ' Stopped by Ctrl-C.',
    rounds: ' Stopped when the search had used its rounds.',
  };
  return `${provenSentence(plan)}${stopped[plan.stoppedBy]}`;
}

function provenSentence({ objective, bound, gap, gapGpus = 0, optimal }: PlanDocument): string {
  const value = formatNumber(bound.value);
  const percent = `${formatNumber(gap * 100)} %`;
  if (objective === 'gpus') {
    const least = formatCount(bound.gpus ?? Math.ceil(bound.value - 1e-6), 'GPU');
    if (optimal) return `Proven: no plan has fewer GPUs (bound ${value}, so at least ${least}).`;
    return `At most ${formatCount(gapGpus, 'GPU')} above the minimum: every plan has at least ${least} (bound ${value}).`;
  }
  if (objective === 'cost') {
    if (optimal) return `Proven: no plan costs less (bound ${value}).`;
    return `At most ${percent} above the lowest cost: every plan costs at least ${value}.`;
  }
  if (optimal) return `Proven: no plan serves a larger share of every rate (bound ${value}).`;
  return `At most ${percent} below the largest share: no plan serves more than ${value} × the rates.`;
}

function gpuTable(gpus: readonly PlanGpu[]): string {
  const contents = fold(gpus, countOf, (gpu) => [gpu.type, gpu.pool, occupiedText(gpu) + instancesText(gpu.instances)]);
  const folded = contents.length <= mostLines;
  const rows = folded ? contents : fold(gpus, countOf, (gpu) => [gpu.type, gpu.pool, layoutText(gpu)]);
  const columns: readonly Column[] = [
    { title: 'GPUs', align: 'right' },
    { title: 'type' },
    { title: 'pool' },
    { title: folded ? 'instances: profile@start service batch×processes' : 'layout' },
  ];
  return formatTable(columns, rows.slice(0, mostLines)) + leftOut(rows.length, 'layout');
}

function serviceTable(plan: PlanDocument, demand: readonly Limited[]): string {
  const limits = new Map(demand.map((service) => [service.name, service.latencyMs]));
  const shown = plan.services.slice(0, mostLines);
  const instances = new Map<string, Placed[]>(shown.map((service) => [service.name, []]));
  for (const { instances: placed, count = 1 } of plan.gpus) {
    for (const instance of placed) instances.get(instance.service)?.push({ instance, count });
  }
  const columns: readonly Column[] = [
    { title: 'service' },
    { title: 'rate rps', align: 'right' },
    { title: 'planned rps', align: 'right' },
    { title: 'measured rps', align: 'right' },
    { title: 'predicted ms', align: 'right' },
    { title: 'limit ms', align: 'right' },
    { title: 'limited by' },
    { title: 'instances' },
  ];
  const rows = shown.map((service) => serviceRow(service, instances.get(service.name) ?? [], limits.get(service.name)));
  return formatTable(columns, rows) + leftOut(plan.services.length, 'service');
}

/** An instance of the plan, on so many GPUs. */
interface Placed {
  readonly instance: PlanInstance;
  readonly count: number;
}

function countOf({ count = 1 }: { readonly count?: number | undefined }): number {
  return count;
}

function serviceRow(service: PlanService, instances: readonly Placed[], limitMs: number | undefined): string[] {
  const predictions = instances.map(({ instance }) => instance.predictedP99Ms);
  const worst =
    predictions.includes(null) || predictions.length === 0
      ? undefined
      : predictions.reduce<number>((most, prediction) => Math.max(most, Number(prediction)), 0);
  return [
    service.name,
    formatNumber(service.rateRps),
    formatNumber(service.plannedCapacityRps),
    formatNumber(service.capacityRps),
    worst === undefined ? '–' : formatNumber(worst),
    limitMs === undefined ? '–' : formatNumber(limitMs),
    service.limitedBy,
    fold(instances, countOf, ({ instance }) => [instance.profile])
      .map(([count, profile]) => `${count} × ${profile}`)
      .join(', '),
  ];
}

/** Groups equal rows, most frequent first; each comes back with its count in front. */
function fold<T>(items: readonly T[], count: (item: T) => number, describe: (item: T) => readonly string[]): string[][] {
  const groups = new Map<string, { readonly row: readonly string[]; count: number }>();
  for (const item of items) {
    const row = describe(item);
    const key = JSON.stringify(row);
    const group = groups.get(key) ?? { row, count: 0 };
    group.count += count(item);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count).map(({ row, count }) => [String(count), ...row]);
}

/** Neighbours that are alike share one entry: `1g.10gb@0,1,2 search 8×3`. */
function instancesText(instances: readonly PlanInstance[]): string {
  const groups: { readonly starts: number[]; readonly profile: string; readonly load: string }[] = [];
  for (const { profile, start, service, batch, processes } of instances) {
    const load = `${service} ${batch}×${processes}`;
    const last = groups.at(-1);
    if (last?.profile === profile && last.load === load) last.starts.push(start);
    else groups.push({ profile, load, starts: [start] });
  }
  return groups.map(({ profile, starts, load }) => `${profile}@${starts.join(',')} ${load}`).join('; ');
}

function layoutText(gpu: PlanGpu): string {
  return occupiedText(gpu) + gpu.instances.map(({ profile, start }) => `${profile}@${start}`).join(' ');
}

function occupiedText(gpu: PlanGpu): string {
  return (gpu.occupied ?? []).map(({ profile, start }) => `${profile}@${start} (held by others); `).join('');
}

function leftOut(count: number, noun: string): string {
  return count > mostLines ? `  … and ${formatCount(count - mostLines, `more ${noun}`)} (all of them with -o FILE or --json)\n` : '';
}
