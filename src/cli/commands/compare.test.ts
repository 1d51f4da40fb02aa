import { describe, expect, it, vi } from 'vitest';
import type { PlanDocument } from '../../demand/documents/plan.js';
import { verifyPlan } from '../../verify/verify-plan.js';
import { runInProcess } from '../io.fixture.js';
import { planWithLimits } from '../plan-with-limits.js';

vi.mock('../plan-with-limits.js', () => ({ planWithLimits: vi.fn() }));
vi.mock('../../verify/verify-plan.js', () => ({ verifyPlan: vi.fn() }));

const example = 'examples/media/workload.yaml';

/** The parts of a plan that a comparison looks at. */
function aPlan(totals: PlanDocument['totals'], parts: Partial<PlanDocument> = {}): PlanDocument {
  return {
    objective: 'gpus',
    totals,
    bound: { value: 7.2, gpus: 8, certificate: { slicePrices: {}, poolPrices: {} } },
    optimal: false,
    stoppedBy: 'rounds',
    ...parts,
  } as PlanDocument;
}

/** What each strategy answers, and which strategy's plan is broken. */
function answer(results: Readonly<Record<string, PlanDocument | string>>, broken?: string): void {
  vi.mocked(planWithLimits).mockImplementation(async (_, { strategy = '' }) => {
    const given = results[strategy] ?? 'no answer';
    const result =
      typeof given === 'string'
        ? { kind: 'infeasible' as const, conflicts: [{ code: 'STRATEGY_CANNOT_APPLY' as const, message: given }] }
        : { kind: 'plan' as const, plan: given };
    return { result, planMs: 1234, interrupted: false };
  });
  vi.mocked(verifyPlan).mockImplementation((_, plan) => {
    const violation = { message: 'a100-0001 is cut twice.', where: 'a100-0001', expected: 'once', received: 'twice' };
    const isBroken = broken !== undefined && plan === results[broken];
    return {
      kind: isBroken ? 'broken' : 'holds',
      checks: [{ name: 'placements', ok: !isBroken, violations: isBroken ? [violation] : [] }],
    };
  });
}

const compare = (...args: readonly string[]) => runInProcess(['compare', example, ...args]);
const three = {
  exact: aPlan({ gpus: 8, cost: 8, instances: 30 }, { optimal: true, stoppedBy: 'proof' }),
  greedy: aPlan({ gpus: 10, cost: 10, instances: 32 }, { stoppedBy: 'time' }),
  whole: 'strategy whole: api fits no whole GPU | at all, "never"',
};

describe('inlay compare', () => {
  it('prints one line a strategy, with the ratio to the bound rounded up', async () => {
    answer(three);
    const { stdout, stderr, exitCode } = await compare('--strategies', 'exact,greedy,whole');
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout).toMatchInlineSnapshot(`
      "workload  strategy  GPUs  at least  ÷ bound  instances  seconds  note
      media     exact        8         8    1.000         30     1.23  proven
      media     greedy      10         8    1.250         32     1.23  stopped early
      media     whole                  8                         1.23  infeasible: strategy whole: api fits no whole GPU | at all, "never"
      "
    `);
  });

  it.each(['markdown', 'csv', 'json'])('prints %s', async (format) => {
    answer(three);
    const { stdout } = await compare('--strategies', 'exact,greedy,whole', '--format', format, '--no-seconds');
    expect(stdout).toMatchSnapshot();
  });

  it('divides costs by the bound itself', async () => {
    const bound = { value: 5, certificate: { slicePrices: {}, poolPrices: {} } };
    answer({ exact: aPlan({ gpus: 8, cost: 5.5, instances: 30 }, { objective: 'cost', bound }) });
    const { stdout } = await compare('--strategies', 'exact', '--objective', 'cost', '--format', 'csv', '--no-seconds');
    expect(stdout).toMatchInlineSnapshot(`
      "workload,strategy,cost,gpus,bound,ratio,instances,note
      media,exact,5.5,8,5,1.100,30,
      "
    `);
  });

  it('takes the strongest bound of the plans that verify', async () => {
    const strong = { value: 9, gpus: 9, certificate: { slicePrices: {}, poolPrices: {} } };
    answer({ ...three, greedy: aPlan({ gpus: 9, cost: 9, instances: 30 }, { bound: strong }) });
    const { stdout } = await compare('--strategies', 'exact,greedy', '--json');
    expect(JSON.parse(stdout).workloads[0].bound).toEqual({ value: 9, gpus: 9 });
  });

  it('shows a broken plan as such and ends with 1', async () => {
    answer(three, 'greedy');
    const { stdout, exitCode } = await compare('--strategies', 'exact,greedy', '--format', 'csv', '--no-seconds');
    expect(exitCode).toBe(1);
    expect(stdout).toMatchInlineSnapshot(`
      "workload,strategy,gpus,bound,ratio,instances,note
      media,exact,8,8,1.000,30,proven
      media,greedy,10,8,1.250,32,BROKEN: a100-0001 is cut twice.
      "
    `);
  });

  it('ends with 3 when a workload has no plan at all', async () => {
    answer(three);
    expect(await compare('--strategies', 'whole')).toMatchObject({ exitCode: 3 });
  });

  it('stops at Ctrl-C with what it has', async () => {
    answer(three);
    const stop = new AbortController();
    vi.mocked(planWithLimits).mockImplementationOnce(async () => {
      stop.abort('interrupt');
      return { result: { kind: 'plan', plan: three.exact }, planMs: 1, interrupted: true };
    });
    const { stdout, exitCode } = await runInProcess(['compare', example, example], { watchInterrupt: () => stop.signal });
    expect(exitCode).toBe(130);
    expect(stdout.split('\n')).toHaveLength(3);
  });

  it('refuses a strategy that does not exist, and names the others', async () => {
    const { stderr, exitCode } = await compare('--strategies', 'exact,magic');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('utility-first');
  });
});
