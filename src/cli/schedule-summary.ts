import type { PhaseOutcome, ScheduleOutcome } from '../simulate/schedule/scheduled-service.js';
import { formatCount, formatNumber } from './format-number.js';
import { type Column, formatTable } from './text-table.js';

const mostLines = 40;

const columns: readonly Column[] = [
  { title: 'from s', align: 'right' },
  { title: 'to s', align: 'right' },
  { title: '' },
  { title: 'requests', align: 'right' },
  { title: 'late', align: 'right' },
  { title: 'lost', align: 'right' },
  { title: 'services that miss' },
];

/** A played schedule for people: a line a phase, then the verdict. */
export function summarizeSchedule(name: string, outcomes: readonly ScheduleOutcome[]): string {
  const phases = outcomes[0]?.phases ?? [];
  const rows = phases.map((phase, i) => rowOf(phase, outcomes, i));
  const rest = rows.length - mostLines;
  const more = rest > 0 ? `  … and ${formatCount(rest, 'more phase')} (all of them with --json)\n` : '';
  return `${name}: ${formatCount(outcomes.length, 'service')}, ${formatCount(phases.length, 'phase')}\n\n${formatTable(columns, rows.slice(0, mostLines))}${more}\n${verdictOf(outcomes)}\n`;
}

function rowOf(phase: PhaseOutcome, outcomes: readonly ScheduleOutcome[], i: number): string[] {
  const parts = outcomes.map((outcome) => outcome.phases[i] as PhaseOutcome);
  const sum = (key: 'requests' | 'late' | 'lost') => String(parts.reduce((total, part) => total + part[key], 0));
  const missing = outcomes.filter((_, service) => parts[service]?.meets === false).map(({ name }) => name);
  const named = missing.length > 3 ? `${missing.slice(0, 3).join(', ')} and ${missing.length - 3} more` : missing.join(', ');
  const kind = phase.kind === 'move' ? 'move' : '';
  return [formatNumber(phase.fromMs / 1000), formatNumber(phase.toMs / 1000), kind, sum('requests'), sum('late'), sum('lost'), named];
}

function verdictOf(outcomes: readonly ScheduleOutcome[]): string {
  const all = outcomes.flatMap(({ phases }) => phases);
  const moving = all.filter(({ kind }) => kind === 'move');
  const sum = (phases: readonly PhaseOutcome[], key: 'late' | 'lost') => phases.reduce((total, phase) => total + phase[key], 0);
  const missing = outcomes.filter(({ phases }) => phases.some(({ meets }) => !meets)).length;
  const verdict =
    missing === 0
      ? 'Every service meets its percentile in every phase.'
      : `${missing} of ${formatCount(outcomes.length, 'service')} ${missing === 1 ? 'misses its' : 'miss their'} percentile in some phase.`;
  if (moving.length === 0) return `${verdict} ${sum(all, 'late')} requests are late, ${sum(all, 'lost')} lost.`;
  return `${verdict} During moves ${sum(moving, 'late')} requests are late and ${sum(moving, 'lost')} lost; ${sum(all, 'late')} and ${sum(all, 'lost')} in all.`;
}
