import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import type { Solver } from '../../solver/solver.js';
import { awaitWrites, type MadeWrite } from '../act/await-writes.js';
import { createBackoff } from '../act/backoff.js';
import { execute } from '../act/execute.js';
import { keepOrder } from '../act/keep-order.js';
import { createRefusals } from '../act/refusals.js';
import { writeEvent } from '../act/write-event.js';
import type { Backends } from '../backends/backend.js';
import { builtInBackends } from '../backends/registry.js';
import type { KubernetesApi } from '../client/kubernetes-api.js';
import { type Decision, decide } from '../decide/decide.js';
import { createPlanner } from '../decide/make-plan.js';
import { createMemory } from '../decide/memory.js';
import type { Write } from '../decide/write.js';
import { followCluster } from '../observe/follow-cluster.js';
import { runElection } from './leader.js';
import type { OperatorMetrics } from './metrics.js';
import { rememberPlans } from './remember-plans.js';

/** What the operator says while it works. */
export interface OperatorLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface OperatorOptions {
  readonly api: KubernetesApi;
  readonly catalogue: GpuCatalogue;
  /** Default: the built-in ones. */
  readonly backends?: Backends;
  readonly solver: Solver;
  readonly log: OperatorLog;
  readonly metrics: OperatorMetrics;
  readonly signal: AbortSignal;
  /** Unique to the process. */
  readonly identity: string;
  /** Without it this process takes itself for the only one. */
  readonly election?: { readonly namespace: string; readonly leaseMs: number };
  /** Called after each look at the cluster. */
  readonly onLook?: (decision: Decision) => void;
}

/** A running operator. */
export interface RunningOperator {
  /** Resolves when the cluster is followed. */
  readonly synced: Promise<void>;
  /** Milliseconds since the loop last turned, or since it waits for something to happen: 0. */
  stalledMs(): number;
  readonly ended: Promise<void>;
}

/** The cluster is looked at again after this time even if nothing seems to happen. */
const restMs = 30_000;
/** Changes come in bursts: how long to wait for the rest of one. */
const burstMs = 50;
const faultPauseMs = 2000;
/** How often a process that does not lead looks whether it does. */
const idleMs = 500;
const patienceMs = 10_000;

/** Observes, decides and acts until the signal aborts. Everything that matters is in the cluster: it may be killed at any time. */
export function runOperator(options: OperatorOptions): RunningOperator {
  const backends = options.backends ?? builtInBackends;
  const { api, catalogue, solver, log, metrics, signal, identity } = options;
  let wake: () => void = () => {};
  let changed = true;
  const onChange = () => {
    changed = true;
    wake();
  };
  const cluster = followCluster(api, {
    backends,
    onChange,
    onError(error) {
      metrics.countError('watch');
      log.warn({ error: String(error) }, 'the cluster could not be followed for a moment');
    },
  });
  // The lease is given back when the last write is over, not while it is under way.
  const retiring = new AbortController();
  const election =
    options.election &&
    runElection(api, {
      ...options.election,
      name: 'inlay-operator',
      identity,
      signal: retiring.signal,
      now: () => performance.now(),
      onChange(leads) {
        metrics.setLeading(leads);
        log.info({ identity, leads }, leads ? 'this process leads' : 'this process does not lead');
        onChange();
      },
      onError(error) {
        metrics.countError('election');
        log.warn({ error: String(error) }, 'the lease could not be renewed');
      },
    });
  const leads = () => election === undefined || election.leads();
  const planner = rememberPlans(createPlanner(solver), {
    most: 64,
    now: () => performance.now(),
    onPlanned: metrics.observePlanning,
    onFault(error) {
      metrics.countError('planning');
      log.error({ error: String(error) }, 'planning failed');
    },
  });
  const memory = createMemory();
  const backoff = createBackoff();
  const refusals = createRefusals();
  let events = 0;
  let turnedAtMs = performance.now();
  let resting = true;

  async function look(): Promise<number> {
    const startMs = performance.now();
    const nowMs = Date.now();
    const decision = await decide(cluster.view(), { catalogue, backends, planner, memory, nowMs, refusals: refusals.list() });
    refusals.want(decision.writes);
    metrics.observeLoop((performance.now() - startMs) / 1000);
    metrics.show(decision, nowMs);
    options.onLook?.(decision);
    const { made, waitMs } = await act(decision.writes);
    if (!(await awaitWrites(made, cluster, patienceMs, signal)))
      log.warn({ writes: made.length }, 'the cluster does not show yet what was written');
    if (made.length > 0) changed = true;
    return Math.min(restMs, decision.againInMs, waitMs);
  }

  async function act(writes: readonly Write[]): Promise<{ readonly made: readonly MadeWrite[]; readonly waitMs: number }> {
    const made: MadeWrite[] = [];
    const order = keepOrder();
    let waitMs = Number.POSITIVE_INFINITY;
    for (const write of writes) {
      if (signal.aborted || !leads()) {
        waitMs = idleMs;
        break;
      }
      if (!order.allows(write)) continue;
      const wait = backoff.waitMs(write, performance.now());
      if (wait > 0) {
        order.missed(write);
        waitMs = Math.min(waitMs, wait);
        continue;
      }
      const outcome = await execute(api, write);
      metrics.countWrite(write.kind, outcome.kind);
      const facts = { kind: write.kind, object: write.resource.kind, ...write.where, why: write.why };
      if (outcome.kind === 'refused') {
        backoff.refused(write, outcome.retryAfterMs, performance.now());
        refusals.refused(write, outcome.error);
        order.missed(write);
        waitMs = Math.min(waitMs, backoff.waitMs(write, performance.now()));
        log.warn(
          { ...facts, status: outcome.error.status, reason: outcome.error.reason, message: outcome.error.message },
          'a write was refused',
        );
        continue;
      }
      backoff.done(write, performance.now());
      refusals.done(write);
      if (outcome.kind === 'overtaken') {
        log.info(facts, 'somebody else was faster');
        onChange();
        continue;
      }
      made.push({ write, object: outcome.object });
      if (write.event === undefined) continue;
      log.info({ ...facts, event: write.event }, 'written');
      const uid = outcome.object?.metadata.uid ?? ('uid' in write ? write.uid : undefined);
      await writeEvent(api, write, uid, { instance: identity, number: events++, at: new Date().toISOString() }).catch((error: unknown) =>
        log.warn({ error: String(error) }, 'an event could not be written'),
      );
    }
    return { made, waitMs };
  }

  async function run(): Promise<void> {
    await cluster.synced;
    while (!signal.aborted) {
      // A lease that was lost for a moment comes back without an event.
      let waitMs = idleMs;
      resting = false;
      turnedAtMs = performance.now();
      if (leads()) {
        changed = false;
        try {
          waitMs = await look();
        } catch (error) {
          metrics.countError('loop');
          log.error({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }, 'the loop failed and goes on');
          waitMs = faultPauseMs;
        }
      } else changed = false;
      resting = true;
      await rest(waitMs);
    }
  }

  /** Until something changes or the time is over. */
  async function rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (changed || signal.aborted) wake();
      signal.addEventListener('abort', wake, { once: true });
    });
    signal.removeEventListener('abort', wake);
    wake = () => {};
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, burstMs));
  }

  const ended = run()
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    })
    .finally(() => {
      retiring.abort();
      cluster.stop();
    })
    .then(() => election?.ended);
  signal.addEventListener('abort', () => cluster.stop(), { once: true });
  return { synced: cluster.synced, stalledMs: () => (resting ? 0 : performance.now() - turnedAtMs), ended };
}
