import type { KubernetesApi } from '../cluster/client/kubernetes-api.js';
import { scaleDelays } from '../cluster/emulate/delays.js';
import { addEmulatedNodes } from '../cluster/emulate/emulated-fleet.js';
import { startEmulator } from '../cluster/emulate/emulator.js';
import type { MigStrategy } from '../cluster/emulate/hardware.js';
import { inlayError } from '../errors.js';
import { builtInCatalogue } from '../gpu/catalogue.js';
import type { CliIo } from './io.js';
import { createLog } from './log.js';
import { resolveGpu } from './resolve-hardware.js';
import { watchTermination } from './watch-termination.js';

/** What `inlay emulate` was asked to add and to play. */
export interface FleetRequest {
  readonly nodes: number;
  readonly gpusPerNode: number;
  readonly gpu: string;
  readonly prefix: string;
  readonly strategy: MigStrategy;
  readonly label: readonly string[];
  readonly taint?: boolean;
  readonly speed: string;
  readonly migNamespace: string;
  readonly migConfigMap: string;
}

const mostNodes = 5000;
const mostGpusPerNode = 16;

/** Adds the nodes that are missing and serves all emulated nodes until the command is stopped. */
export async function emulateFleet(api: KubernetesApi, request: FleetRequest, io: CliIo): Promise<void> {
  const model = resolveGpu(builtInCatalogue, request.gpu);
  const speed = Number(request.speed);
  if (!(speed > 0 && speed <= 1000)) throw usage('--speed', 'a factor above 0 and at most 1000', request.speed);
  if (request.nodes > mostNodes) throw usage('--nodes', `at most ${mostNodes}`, String(request.nodes));
  if (request.gpusPerNode < 1 || request.gpusPerNode > mostGpusPerNode) {
    throw usage('--gpus-per-node', `1 to ${mostGpusPerNode}`, String(request.gpusPerNode));
  }
  const labels = Object.fromEntries(request.label.map(readLabel));
  const taints = request.taint === true ? [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' as const }] : undefined;
  const fleet = Array.from({ length: request.nodes }, (_, index) => ({
    name: `${request.prefix}-${index + 1}`,
    model: model.name,
    gpus: request.gpusPerNode,
    strategy: request.strategy,
    labels,
    ...(taints === undefined ? {} : { taints }),
  }));
  const added = await addEmulatedNodes(api, fleet);
  const log = createLog(io);
  const signal = watchTermination(io);
  const emulator = startEmulator(api, {
    delays: scaleDelays(1 / speed),
    migManager: { namespace: request.migNamespace, configMap: request.migConfigMap },
    log: (message, details) => log.info(details, message),
  });
  log.info({ added, model: model.name }, 'emulating');
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
  emulator.stop();
}

function readLabel(text: string): [string, string] {
  const [key = '', value, ...rest] = text.split('=');
  if (key === '' || value === undefined || rest.length > 0) throw usage('--label', 'KEY=VALUE', text);
  return [key, value];
}

function usage(option: string, expected: string, received: string): Error {
  return inlayError('USAGE', { message: `${option} cannot be ${received}.`, expected, received });
}
