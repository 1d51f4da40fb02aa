import type { PlanDocument } from '../demand/documents/plan.js';
import { writeCsv } from '../formats/write-csv.js';
import { type ComparedStrategy, type Comparison, ratioToBound } from './compare-strategies.js';
import { formatCount, formatNumber } from './format-number.js';
import { type Column, formatTable } from './text-table.js';

/** What a comparison can be printed as, besides JSON. */
export type TableFormat = 'table' | 'markdown' | 'csv';

/** One line a workload and strategy. `seconds` is the only column that a clock has a say in. */
export function formatComparisons(comparisons: readonly Comparison[], format: TableFormat, seconds: boolean): string {
  const columns = columnsFor(comparisons[0]?.objective ?? 'gpus', seconds);
  const rows = comparisons.flatMap((comparison) =>
    comparison.strategies.map((compared) => columns.map((column) => column.cell(comparison, compared))),
  );
  switch (format) {
    case 'table':
      return formatTable(columns, rows, '');
    case 'markdown':
      return [columns.map(({ title }) => title), columns.map(({ align }) => (align === 'right' ? '---:' : '---')), ...rows]
        .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`)
        .join('');
    case 'csv':
      return writeCsv([columns.map(({ name }) => name), ...rows]);
  }
}

/** The comparisons as data; plans are given by their totals. */
export function comparisonsToJson(comparisons: readonly Comparison[], seconds: boolean): object {
  return {
    kind: 'comparison',
    workloads: comparisons.map(({ workload, objective, bound, strategies }) => ({
      workload,
      objective,
      bound: bound === undefined ? null : { value: bound.value, gpus: bound.gpus },
      strategies: strategies.map(({ strategy, outcome, seconds: taken }) => ({
        strategy,
        ...(outcome.kind === 'infeasible'
          ? outcome
          : {
              kind: outcome.kind,
              ...outcome.plan.totals,
              ratio: bound === undefined ? null : ratioToBound(outcome.plan, bound),
              optimal: outcome.plan.optimal,
              stoppedBy: outcome.plan.stoppedBy,
              ...(outcome.kind === 'broken' ? { violations: outcome.violations } : {}),
            }),
        ...(seconds ? { seconds: taken } : {}),
      })),
    })),
  };
}

interface ComparisonColumn extends Column {
  /** Name in CSV. */
  readonly name: string;
  cell(comparison: Comparison, compared: ComparedStrategy): string;
}

function columnsFor(objective: PlanDocument['objective'], seconds: boolean): readonly ComparisonColumn[] {
  const number = (name: string, title: string, cell: ComparisonColumn['cell']): ComparisonColumn => ({ name, title, align: 'right', cell });
  const ofPlan =
    (show: (plan: PlanDocument, bound: Comparison['bound']) => string): ComparisonColumn['cell'] =>
    ({ bound }, { outcome }) =>
      outcome.kind === 'infeasible' ? '' : show(outcome.plan, bound);
  const achieved = {
    gpus: [],
    cost: [
      number(
        'cost',
        'cost',
        ofPlan(({ totals }) => formatNumber(totals.cost)),
      ),
    ],
    'max-min': [
      number(
        'share',
        '× the rates',
        ofPlan(({ totals }) => formatNumber(totals.factor ?? 0)),
      ),
    ],
  };
  return [
    { name: 'workload', title: 'workload', cell: ({ workload }) => workload },
    { name: 'strategy', title: 'strategy', cell: (_, { strategy }) => strategy },
    ...achieved[objective],
    number(
      'gpus',
      'GPUs',
      ofPlan(({ totals }) => String(totals.gpus)),
    ),
    number('bound', objective === 'gpus' ? 'at least' : 'bound', ({ bound }) =>
      bound === undefined ? '' : formatNumber(objective === 'gpus' ? (bound.gpus ?? bound.value) : bound.value),
    ),
    number(
      'ratio',
      '÷ bound',
      ofPlan((plan, bound) => (bound === undefined ? '' : ratioToBound(plan, bound).toFixed(3))),
    ),
    number(
      'instances',
      'instances',
      ofPlan(({ totals }) => String(totals.instances)),
    ),
    ...(seconds ? [number('seconds', 'seconds', (_, compared) => compared.seconds.toFixed(2))] : []),
    { name: 'note', title: 'note', cell: (_, { outcome }) => noteOf(outcome) },
  ];
}

function noteOf(outcome: ComparedStrategy['outcome']): string {
  switch (outcome.kind) {
    case 'broken':
      return `BROKEN: ${firstOf(outcome.violations)}`;
    case 'infeasible':
      return `infeasible: ${firstOf(outcome.conflicts.map(({ message }) => message))}`;
    case 'planned': {
      const { optimal, stoppedBy } = outcome.plan;
      if (optimal) return 'proven';
      return stoppedBy === 'time' || stoppedBy === 'interrupt' ? 'stopped early' : '';
    }
  }
}

function firstOf(messages: readonly string[]): string {
  const rest = messages.length - 1;
  return `${messages[0] ?? ''}${rest > 0 ? ` (and ${formatCount(rest, 'more reason')})` : ''}`;
}
