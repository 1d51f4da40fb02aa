import type { PlanDocument } from '../../demand/documents/plan.js';
import { countGpus } from '../../demand/documents/unfold-plan.js';
import type { GpuModel } from '../../gpu/gpu-model.js';
import { findPlanModel, findPlanProfile } from '../plan-hardware.js';
import { drawGpu, gpuHeight } from './draw-gpu.js';
import { drawLabel } from './draw-label.js';
import { describeInLegend, drawLegend, legendHeight } from './draw-legend.js';
import { contentWidth, drawHead, drawPage, margin } from './draw-page.js';
import { element, type SvgElement } from './element.js';
import { fitText } from './fit-text.js';
import { foldGpus, type PoolGpus } from './fold-gpus.js';
import { formatCount } from './format-quantity.js';
import { describePlan, planFigures } from './plan-figures.js';
import { keyServices } from './service-key.js';

const gap = { x: 24, y: 18 } as const;

/** Beyond these the picture would be too long to look at; what is left out is counted in it. */
const mostGpus = 600;
const mostServices = 600;

/**
 * The fleet of a plan as an SVG document: each GPU a strip of memory slices, instances in the colour of their service, GPUs
 * that look alike folded. 1200 pixels wide. `models` has every GPU model that the plan names. Equal plans give equal bytes.
 */
export function drawPlan(plan: PlanDocument, models: readonly GpuModel[]): string {
  const prefix = `plan-${plan.metadata.id.replace('sha256:', '').slice(0, 8)}`;
  const services = keyServices(plan.services);
  const pools = keepMost(foldGpus(plan.gpus));
  const different = pools.reduce((sum, { folded }) => sum + folded.length, 0);
  const listed = plan.services.slice(0, mostServices);

  const figures = planFigures(plan, findUsedShare(plan, models));
  const parts: SvgElement[] = drawHead(
    plan.metadata.name,
    `objective ${plan.objective} · ${fitText(plan.strategy, { size: 12 }, 120)}`,
    figures,
  );
  let y = 148;
  for (const pool of pools) {
    const model = findPlanModel(models, pool.type);
    const columns = chooseColumns(different);
    const width = (contentWidth - (columns - 1) * gap.x) / columns;
    parts.push(drawPoolHeading(pool, y));
    y += 22;
    for (const [index, gpus] of pool.folded.entries()) {
      const left = margin + (index % columns) * (width + gap.x);
      const top = y + Math.floor(index / columns) * (gpuHeight + gap.y);
      parts.push(drawGpu(gpus, model, left, top, { width, prefix, services }));
    }
    y += Math.ceil(pool.folded.length / columns) * (gpuHeight + gap.y) + 18;
  }
  const hiddenGpus = countGpus(plan.gpus) - countGpus(pools.flatMap(({ folded }) => folded));
  if (hiddenGpus > 0) {
    parts.push(drawLabel(`and ${formatCount(hiddenGpus, 'more GPU')}, not drawn`, margin, y, { size: 13, tone: 'quiet' }));
    y += 30;
  }
  parts.push(drawLabel('Services', margin, y + 6, { size: 15, bold: true }));
  parts.push(...drawLegend(listed.map(describeInLegend), services, { x: margin, y: y + 22, width: contentWidth, prefix }));
  y += 22 + legendHeight(listed.length);
  if (plan.services.length > listed.length) {
    const hidden = formatCount(plan.services.length - listed.length, 'more service');
    parts.push(drawLabel(`and ${hidden}, numbered as in the plan`, margin, y + 14, { size: 13, tone: 'quiet' }));
    y += 24;
  }
  const title = `GPU plan ${plan.metadata.name}`;
  return drawPage({ prefix, title, description: describePlan(plan), height: y + 24 }, parts);
}

function drawPoolHeading({ pool, type, count, folded }: PoolGpus, y: number): SvgElement {
  const variety = folded.length < count ? `, ${folded.length} different` : '';
  return element(
    'text',
    { x: margin, y: y + 6, 'font-size': 15 },
    element('tspan', { class: 'strong' }, fitText(pool, { size: 15, bold: true }, 400)),
    element(
      'tspan',
      { class: 'quiet', 'font-size': 12, dx: 10 },
      `${fitText(type, { size: 12 }, 300)} · ${formatCount(count, 'GPU')}${variety}`,
    ),
  );
}

function chooseColumns(different: number): number {
  if (different <= 3) return 1;
  if (different <= 24) return 2;
  return different <= 90 ? 3 : 4;
}

function keepMost(pools: readonly PoolGpus[]): readonly PoolGpus[] {
  let room = mostGpus;
  return pools.map((pool) => {
    const folded = pool.folded.slice(0, room);
    room -= folded.length;
    return { ...pool, folded };
  });
}

function findUsedShare({ gpus }: PlanDocument, models: readonly GpuModel[]): number {
  let used = 0;
  let total = 0;
  for (const { type, instances, occupied = [], count = 1 } of gpus) {
    const model = findPlanModel(models, type);
    total += count * model.memorySlices;
    for (const { profile } of [...instances, ...occupied]) used += count * findPlanProfile(model, profile).memorySlices;
  }
  return total === 0 ? 0 : used / total;
}
