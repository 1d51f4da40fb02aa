import { type TransitionReport, transitionCheckPromises } from '../verify/transition/transition-checks.js';
import { checkPromises, type VerifyReport, type Violation } from '../verify/verify-report.js';
import { printable } from './printable.js';

/** Violations of one check shown in full on a terminal; the rest is counted. `--json` holds all of them. */
const mostShown = 10;

/** The checks of a plan for people: one line each, what broke it beneath, and the verdict. */
export function summarizeReport(report: VerifyReport): string {
  return summarizeChecks(report, checkPromises, 'plan');
}

/** The same for the checks of a transition. */
export function summarizeTransitionReport(report: TransitionReport): string {
  return summarizeChecks(report, transitionCheckPromises, 'transition');
}

function summarizeChecks<Name extends string>(report: VerifyReport<Name>, promises: Readonly<Record<Name, string>>, what: string): string {
  const lines = report.checks.flatMap(({ name, ok, violations }) => {
    const rest = violations.length - mostShown;
    return [
      `${ok ? '✓' : '✗'} ${name}: ${promises[name]}`,
      ...violations.slice(0, mostShown).flatMap(formatViolation),
      ...(rest > 0 ? [`    … and ${rest} more (all of them with --json)`] : []),
    ];
  });
  const broken = report.checks.filter(({ ok }) => !ok).length;
  const verdict = broken === 0 ? `The ${what} keeps every promise.` : `The ${what} breaks ${broken} of ${report.checks.length} promises.`;
  return `${[...lines, '', verdict].join('\n')}\n`;
}

function formatViolation({ where, message, expected, received }: Violation): readonly string[] {
  const place = message.startsWith(where) ? '' : `${where}: `;
  return [`    ${printable(`${place}${message}`)}`, `      expected ${printable(expected)}, received ${printable(received)}`];
}
