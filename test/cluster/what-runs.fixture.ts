import { runInProcess } from '../../src/cli/io.fixture.js';
import type { KubernetesApi } from '../../src/cluster/client/kubernetes-api.js';
import { deployments, nodes, pods } from '../../src/cluster/client/resources.js';
import { annotations } from '../../src/cluster/objects/names.js';
import type { StateDocument } from '../../src/demand/documents/state.js';
import { eventually } from './cluster.fixture.js';
import type { PoolLab } from './pool-lab.fixture.js';

/**
 * What runs in a pool as `inlay state` tells it, without names that differ from pool to pool: for each GPU how it is cut and what each
 * instance serves, for each node what is left of changes. Waits until nothing of the pool's namespace is on its way.
 */
export async function whatRuns(
  api: KubernetesApi,
  kubeconfig: string,
  { name, namespace, nodes: own }: PoolLab,
): Promise<readonly string[]> {
  await eventually(`everything of ${name} is at rest`, async () => {
    const all = (await api.list(pods, { namespace })).items;
    const made = (await api.list(deployments, { namespace })).items;
    const isWhole = made.every(({ spec, status }) => status?.readyReplicas === spec.replicas && status?.replicas === spec.replicas);
    return isWhole && all.every(({ metadata, spec }) => metadata.deletionTimestamp === undefined && spec.nodeName !== undefined);
  });
  const state = await eventually('the agents have reported every pod', async () => {
    const { stdout } = await runInProcess(['state', '--json', '--kubeconfig', kubeconfig]);
    const document = JSON.parse(stdout) as StateDocument;
    const gpus = document.gpus.filter(({ pool }) => pool === name);
    const served = gpus.flatMap(({ instances }) => instances.filter(({ service }) => service !== null));
    return served.length === (await api.list(pods, { namespace })).items.length && gpus;
  });
  const gpus = state.map(({ id, instances }) => {
    const slices = instances.map(({ profile, start, service, batch, processes }) => {
      const what = service === null ? 'idle' : `${service.split('.').at(-1)} b${batch} p${processes}`;
      return `${profile}@${start} ${what}`;
    });
    return `${id.replace(name, 'node')}: ${slices.join(', ')}`;
  });
  const marks = (await api.list(nodes, { labelSelector: `pool=${name}` })).items.flatMap(({ metadata, spec }) => {
    const left = [annotations.attempt, annotations.cordonedBy, annotations.failedConfig].filter(
      (key) => key in (metadata.annotations ?? {}),
    );
    return [...(spec?.unschedulable === true ? ['cordoned'] : []), ...left].map(
      (mark) => `${metadata.name.replace(name, 'node')}: ${mark}`,
    );
  });
  if (own.length === 0) throw new Error(`${name} has no nodes`);
  return [...gpus, ...marks];
}
