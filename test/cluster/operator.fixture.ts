import { readFileSync } from 'node:fs';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { configMaps, namespaces, nodes } from '../../src/cluster/client/resources.js';
import { scaleDelays } from '../../src/cluster/emulate/delays.js';
import { type Emulator, startEmulator } from '../../src/cluster/emulate/emulator.js';
import { makeNode } from '../../src/cluster/emulate/node-objects.js';
import type { GpuPool } from '../../src/cluster/objects/gpu-pool.js';
import type { InferenceWorkload } from '../../src/cluster/objects/inference-workload.js';
import { gpuPools, inferenceWorkloads, sharingPlans } from '../../src/cluster/objects/kinds.js';
import type { SharingPlan } from '../../src/cluster/objects/sharing-plan.js';
import { createMetrics } from '../../src/cluster/operator/metrics.js';
import { type OperatorLog, type RunningOperator, runOperator } from '../../src/cluster/operator/run-operator.js';
import { builtInCatalogue } from '../../src/gpu/catalogue.js';
import { createInlineSolver } from '../../src/solver/highs/highs-solver.js';
import { eventually, startCluster, type TestCluster } from './cluster.fixture.js';
import { installCrds } from './crds.fixture.js';

/** A cluster with the own kinds, emulated GPU nodes, one pool, and the example's table. */
export interface OperatorCluster {
  readonly cluster: TestCluster;
  readonly api: KubernetesApi;
  readonly namespace: string;
  readonly emulator: Emulator;
  /** Whatever the operators said, newest last. */
  readonly log: string[];
  start(options?: StartOptions): Started;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly api?: KubernetesApi;
  readonly identity?: string;
  readonly election?: { readonly namespace: string; readonly leaseMs: number };
}

export interface Started {
  readonly operator: RunningOperator;
  readonly metrics: ReturnType<typeof createMetrics>;
  stop(): Promise<void>;
  /** Ends it without waiting: what it was doing stays undone. */
  kill(): void;
}

const solver = createInlineSolver();

export async function startOperatorCluster(shape: {
  readonly nodes: number;
  readonly gpus: number;
  readonly pool?: Partial<GpuPool['spec']>;
}): Promise<OperatorCluster> {
  const cluster = await startCluster();
  const api = await cluster.api();
  await installCrds(api);
  for (const name of ['gpu-operator', 'inlay-system']) await api.create(namespaces, { metadata: { name } });
  const namespace = await cluster.namespace();
  await api.create(configMaps, {
    metadata: { name: 'tables', namespace },
    data: { 'a100.csv': readFileSync('examples/media/a100.csv', 'utf8') },
  });
  for (let n = 0; n < shape.nodes; n++) {
    await api.create(nodes, makeNode({ name: `gpu-${n}`, model: 'A100-80GB', gpus: shape.gpus, labels: { pool: 'a100' } }));
  }
  const emulator = startEmulator(api, { delays: scaleDelays(0.02) });
  await emulator.ready;
  await api.create(gpuPools, aGpuPool(shape.pool));
  const log: string[] = [];
  const running = new Set<Started>();
  const say = (level: string) => (facts: object, message: string) => void log.push(`${level} ${message} ${JSON.stringify(facts)}`);
  const logger: OperatorLog = { info: say('info'), warn: say('warn'), error: say('error') };
  const inline = await solver;
  return {
    cluster,
    api,
    namespace,
    emulator,
    log,
    start(options = {}) {
      const stopping = new AbortController();
      const metrics = createMetrics();
      const operator = runOperator({
        api: options.api ?? api,
        catalogue: builtInCatalogue,
        solver: inline,
        log: logger,
        metrics,
        signal: stopping.signal,
        identity: options.identity ?? 'operator-1',
        ...(options.election && { election: options.election }),
      });
      const started: Started = {
        operator,
        metrics,
        async stop() {
          running.delete(started);
          stopping.abort();
          await operator.ended.catch(() => {});
        },
        kill() {
          running.delete(started);
          stopping.abort();
        },
      };
      running.add(started);
      return started;
    },
    async stop() {
      for (const one of running) await one.stop();
      emulator.stop();
      await cluster.stop();
    },
  };
}

export function aGpuPool(spec: Partial<GpuPool['spec']> = {}): GpuPool {
  return {
    metadata: { name: 'a100' },
    spec: {
      gpu: 'A100-80GB',
      nodeSelector: { pool: 'a100' },
      backend: 'mig-manager',
      namespaces: ['*'],
      migManager: {
        namespace: 'gpu-operator',
        configMap: 'inlay-mig-config',
        settleSeconds: 0,
        timeoutSeconds: 30,
        retries: 2,
        backoffSeconds: 0,
      },
      ...spec,
    },
  };
}

export type Demands = Readonly<
  Record<string, { readonly model: string; readonly rateRps: number; readonly latencyMs: number; readonly profiles?: string[] }>
>;

export function anInferenceWorkload(
  namespace: string,
  services: Demands,
  spec: Partial<InferenceWorkload['spec']> = {},
): InferenceWorkload {
  return {
    metadata: { name: 'media', namespace },
    spec: {
      mode: 'Apply',
      pools: ['a100'],
      performance: [{ configMap: 'tables', key: 'a100.csv' }],
      // Every change of demand gets a plan, even where the present one would do.
      hysteresis: { minSavedGpus: 0 },
      services: Object.entries(services).map(([name, demand]) => ({
        name,
        ...demand,
        port: 8000,
        template: { spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'server', image: 'server:1' }] } },
      })),
      ...spec,
    },
  };
}

/** Sets the rates of a workload's services. */
export async function setRates(api: KubernetesApi, namespace: string, rates: Readonly<Record<string, number>>): Promise<void> {
  const workload = await api.get(inferenceWorkloads, { namespace, name: 'media' });
  const services = workload.spec.services.map((service) => ({ ...service, rateRps: rates[service.name] ?? service.rateRps }));
  await api.patch(inferenceWorkloads, { namespace, name: 'media' }, { spec: { services } });
}

/** The newest plan once it is in the phase and made for the workload's generation. */
export async function planOfPhase(api: KubernetesApi, namespace: string, phase: string, withinMs = 60_000): Promise<SharingPlan> {
  const { metadata } = await api.get(inferenceWorkloads, { namespace, name: 'media' });
  return eventually(
    `the plan for generation ${metadata.generation} is ${phase}`,
    async () => {
      const { items } = await api.list(sharingPlans);
      const own = items.filter(({ spec }) => spec.workloads.some((one) => one.namespace === namespace));
      const newest = own.toSorted((a, b) => b.spec.sequence - a.spec.sequence)[0];
      const made = newest?.spec.workloads.find((one) => one.namespace === namespace);
      return newest?.status?.phase === phase && made?.generation === metadata.generation && newest;
    },
    withinMs,
  );
}
