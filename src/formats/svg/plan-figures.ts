import type { PlanDocument } from '../../demand/documents/plan.js';
import { formatCount, formatPercent, formatQuantity } from './format-quantity.js';

/** A number in the head of the picture and what it counts. */
export interface Figure {
  readonly value: string;
  readonly caption: string;
}

/** The numbers a reader looks for first: what is achieved, what is proven, how much there is of everything. */
export function planFigures(plan: PlanDocument, usedShare: number): readonly Figure[] {
  const { totals, services } = plan;
  return [
    ...achieved(plan),
    { value: String(totals.instances), caption: totals.instances === 1 ? 'instance' : 'instances' },
    { value: String(services.length), caption: services.length === 1 ? 'service' : 'services' },
    { value: formatPercent(usedShare), caption: 'of memory slices in use' },
  ];
}

function achieved({ objective, totals, bound, gap, gapGpus = 0, optimal }: PlanDocument): readonly Figure[] {
  const gpus = { value: String(totals.gpus), caption: totals.gpus === 1 ? 'GPU' : 'GPUs' };
  switch (objective) {
    case 'gpus': {
      const caption = optimal || gapGpus === 0 ? 'proven minimum' : `proven minimum, ${formatCount(gapGpus, 'GPU')} below`;
      return [gpus, { value: String(bound.gpus ?? Math.ceil(bound.value - 1e-6)), caption }];
    }
    case 'cost':
      return [
        gpus,
        { value: formatQuantity(totals.cost), caption: 'cost' },
        {
          value: formatQuantity(bound.value),
          caption: optimal ? 'proven minimum cost' : `proven minimum cost, gap ${formatQuantity(gap * 100)} %`,
        },
      ];
    case 'max-min':
      return [
        gpus,
        { value: `× ${formatQuantity(totals.factor ?? 0)}`, caption: 'of every rate' },
        { value: `× ${formatQuantity(bound.value)}`, caption: 'proven maximum' },
      ];
  }
}

/** The same in one sentence, for those who hear the picture. */
export function describePlan(plan: PlanDocument): string {
  const { totals, services, optimal } = plan;
  const head = `${formatCount(totals.gpus, 'GPU')} with ${formatCount(totals.instances, 'instance')} for ${formatCount(services.length, 'service')}`;
  return `${head}. ${optimal ? 'Proven: no better plan exists.' : `The proven limit is ${formatQuantity(plan.bound.value)}.`}`;
}
