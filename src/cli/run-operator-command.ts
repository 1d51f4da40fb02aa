import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { connect } from '../cluster/client/connect.js';
import { toInlayError } from '../cluster/client/kubernetes-error.js';
import { createMetrics } from '../cluster/operator/metrics.js';
import { runOperator } from '../cluster/operator/run-operator.js';
import { serveHealth } from '../cluster/operator/serve-health.js';
import { createWorkerSolver } from '../solver/highs/worker-solver.js';
import type { OperatorCommandOptions } from './commands/operator.js';
import type { CliIo } from './io.js';
import { createLog } from './log.js';
import { readCatalogue } from './read-catalogue.js';
import { watchTermination } from './watch-termination.js';

/** A loop that stands still for so long will not come back by itself; planning a very large cluster takes minutes. */
const longestTurnMs = 30 * 60_000;

/** Runs the operator until it is told to end. */
export async function runOperatorCommand(options: OperatorCommandOptions, io: CliIo): Promise<void> {
  const catalogue = await readCatalogue(options.gpuModels);
  const log = createLog(io);
  const signal = watchTermination(io);
  const metrics = createMetrics();
  const api = await connect({ ...options, onRequest: ({ method, status }) => metrics.countRequest(method, status) });
  const solver = await createWorkerSolver();
  const identity = options.identity ?? `${hostname().toLowerCase()}-${randomBytes(3).toString('hex')}`;
  let followed = false;
  try {
    const operator = runOperator({
      api,
      catalogue,
      solver,
      log,
      metrics,
      signal,
      identity,
      ...(options.election && { election: { namespace: options.namespace, leaseMs: Math.max(1000, options.lease) } }),
    });
    operator.synced.then(
      () => {
        followed = true;
        log.info({ identity }, 'the cluster is followed');
      },
      () => {},
    );
    const health =
      options.port === 0
        ? undefined
        : await serveHealth(options.port, {
            isAlive: () => operator.stalledMs() < longestTurnMs,
            isReady: () => followed,
            metrics: metrics.render,
          });
    await operator.ended;
    health?.close();
  } catch (error) {
    throw toInlayError(error);
  } finally {
    await solver.terminate();
    api.close();
  }
}
