import { createHash } from 'node:crypto';
import { canonicalJson } from '../../demand/documents/canonical.js';
import { apiVersion } from '../../demand/documents/common.js';
import type { WorkloadDocument } from '../../demand/documents/workload.js';
import type { RawPerformanceRow } from '../../demand/raw-performance-row.js';
import { resolveWorkload } from '../../demand/resolve-workload.js';
import { type Problem, problem } from '../../errors.js';
import { parsePerformanceCsv } from '../../formats/performance-csv.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import type { ConfigMap } from '../client/object-types.js';
import type { InferenceWorkload } from '../objects/inference-workload.js';
import type { ClusterView } from '../observe/cluster-view.js';
import { checkPools } from './check-pools.js';
import { checkTemplate } from './check-template.js';
import type { Memory } from './memory.js';
import { serviceKey } from './own-pods.js';
import type { ObservedPool } from './read-hardware.js';

/** A workload object, checked on its own. */
export interface ReadWorkload {
  readonly object: InferenceWorkload;
  readonly name: string;
  readonly namespace: string;
  /** None for a workload that can be planned. */
  readonly problems: readonly Problem[];
  readonly services: WorkloadDocument['spec']['services'];
  readonly rows: readonly RawPerformanceRow[];
  /** Hash of everything that a plan takes from it. */
  readonly hash: string;
}

/** Reads every workload, by namespace and name; names of services and models become unique in the cluster. */
export function readWorkloads(
  view: ClusterView,
  pools: readonly ObservedPool[],
  catalogue: GpuCatalogue,
  memory: Memory,
): readonly ReadWorkload[] {
  const maps = new Map(view.configMaps.map((map) => [`${map.metadata.namespace}/${map.metadata.name}`, map]));
  return view.workloads
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => compare(`${a.metadata.namespace}/${a.metadata.name}`, `${b.metadata.namespace}/${b.metadata.name}`))
    .map((object) => readOne(object, maps, pools, catalogue, memory));
}

function readOne(
  object: InferenceWorkload,
  maps: ReadonlyMap<string, ConfigMap>,
  pools: readonly ObservedPool[],
  catalogue: GpuCatalogue,
  memory: Memory,
): ReadWorkload {
  const { name, namespace = '' } = object.metadata;
  const { spec } = object;
  const prefix = `${namespace}.${name}/`;
  const problems: Problem[] = [];
  const rows: RawPerformanceRow[] = [];
  const tables: string[] = [];
  for (const [index, { configMap, key }] of spec.performance.entries()) {
    const text = maps.get(`${namespace}/${configMap}`)?.data?.[key];
    const path = `spec.performance[${index}]`;
    if (text === undefined) {
      problems.push(
        problem('FILE_NOT_FOUND', {
          message: `ConfigMap ${configMap} has no key ${key} in namespace ${namespace}.`,
          path,
          hint: 'Create it.',
        }),
      );
      continue;
    }
    const table = memory.keep(`table ${createHash('sha256').update(text).digest('hex')}`, () => parsePerformanceCsv(text, key));
    tables.push(text);
    problems.push(...table.problems);
    for (const row of table.rows) {
      if (row.processes > (spec.processes?.max ?? row.processes)) continue;
      rows.push({ ...row, model: `${prefix}${row.model}`, source: { ...row.source, file: `${configMap}/${key}` } });
    }
  }
  problems.push(...spec.services.flatMap((service, index) => checkTemplate(service, `spec.services[${index}]`)));
  problems.push(...checkPools(object, pools));
  const services = spec.services.map((service): WorkloadDocument['spec']['services'][number] => {
    const { template: _template, port: _port, latency, ...rest } = service;
    const rule = latencyRule({ ...spec.latency, ...latency });
    // Workloads that share one pool are planned together, and each still uses only those that it names.
    const { pools: own } = spec;
    return { ...rest, name: serviceKey(namespace, name, service.name), model: `${prefix}${service.model}`, pools: own, latency: rule };
  });
  const hash = createHash('sha256')
    .update(canonicalJson({ services, processes: spec.processes, pools: spec.pools, tables }))
    .digest('hex');
  const read: ReadWorkload = { object, name, namespace, problems, services, rows, hash };
  if (problems.length > 0) return read;
  const offered = pools.filter(({ pool }) => spec.pools.includes(pool.metadata.name));
  const offer = offered.map(({ pool }) => pool.spec);
  const own = memory.keep(`workload ${hash} ${canonicalJson(offer)}`, () =>
    resolveWorkload(writeDocument([read], offered, name), rows, catalogue).problems.map((found) =>
      inOwnWords(found, [prefix, `${namespace}.${name}.`]),
    ),
  );
  return { ...read, problems: own };
}

function latencyRule(spec: InferenceWorkload['spec']['latency'] & object): NonNullable<WorkloadDocument['spec']['latency']> {
  if (spec.factor !== undefined) return { factor: spec.factor };
  const { percentile = 99, burstiness, router = 'random', rule } = spec;
  return { percentile, router, ...(burstiness !== undefined && { burstiness }), ...(rule && { rule }) };
}

/** The workload document of a group: services of all its workloads, and the GPUs that its pools have. */
export function writeDocument(workloads: readonly ReadWorkload[], pools: readonly ObservedPool[], name: string): WorkloadDocument {
  return {
    apiVersion,
    kind: 'Workload',
    metadata: { name },
    spec: {
      performance: ['cluster'],
      pools: pools.map(({ pool: { metadata, spec }, nodes }) => {
        const gpus = nodes.flatMap((node) => node.gpus.map(() => node.usable));
        const unusable = gpus.filter((usable) => !usable).length;
        // A limit is of GPUs that plans use; those that must not be used are taken off again by the planner.
        const count = Math.min(gpus.length, (spec.limit ?? Number.POSITIVE_INFINITY) + unusable);
        return {
          name: metadata.name,
          gpu: spec.gpu,
          count,
          ...(spec.price !== undefined && { price: spec.price }),
          ...(spec.profiles && { profiles: spec.profiles }),
          ...(spec.exclude && { exclude: spec.exclude }),
        };
      }),
      services: workloads.flatMap(({ services }) => services),
    },
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A problem without the prefixes that make names unique in the cluster: the user did not write them. */
function inOwnWords(found: Problem, prefixes: readonly string[]): Problem {
  const fields = Object.entries(found).map(([key, value]) => [
    key,
    typeof value === 'string' ? prefixes.reduce((text, prefix) => text.replaceAll(prefix, ''), value) : value,
  ]);
  return Object.fromEntries(fields) as Problem;
}
