import { parse, parseAllDocuments } from 'yaml';
import type { Deployment, KubeObject, Node } from '../../client/object-types.js';
import type { SimulatedCluster } from '../../decide/simulated-cluster.fixture.js';
import { isOf, placeInstances } from '../../decide/simulated-objects.fixture.js';
import type { NodeState } from '../../objects/node-state.js';

type Files = Readonly<Record<string, string>>;

interface Step {
  readonly title: string;
  readonly commands: readonly string[];
}

/** The files of a plan, as a person finds them. */
export function filesOf(cluster: SimulatedCluster, plan: string): Files {
  return cluster.view().configMaps.find(({ metadata }) => metadata.name === `${plan}-files`)?.data ?? {};
}

/** The steps of the file, and what is to be done in the end as the last one. */
export function readSteps(files: Files): readonly Step[] {
  const lines = (files['steps.txt'] ?? '').split('\n');
  const steps: { title: string; commands: string[] }[] = [];
  for (const line of lines) {
    if (/^(s\d+|In the end):/.test(line)) steps.push({ title: line, commands: [] });
    else if (line.startsWith('    ')) steps.at(-1)?.commands.push(line.trim());
  }
  return steps;
}

/** Applies the manifests as `kubectl apply` does. */
export function applyManifests(cluster: SimulatedCluster, files: Files): void {
  for (const document of parseAllDocuments(files['manifests.yaml'] ?? '')) cluster.put(document.toJS() as KubeObject);
}

/** Does what the commands of a step say, and nothing else. */
export function doStep(cluster: SimulatedCluster, { title, commands }: Step, files: Files): void {
  for (const command of commands) {
    const [, node, config] = /^on (\S+): nvidia-mig-parted apply -f mig-parted\.yaml -c (\S+)$/.exec(command) ?? [];
    const [, scaled, replicas] = /^kubectl scale -n team deployment\/(\S+) --replicas=(\d+)$/.exec(command) ?? [];
    const deleted = /^kubectl delete -n team deployment\/(\S+)$/.exec(command)?.[1];
    if (node !== undefined && config !== undefined) cut(cluster, node, config, files);
    else if (scaled !== undefined) {
      const deployment = cluster.view().deployments.find(({ metadata }) => metadata.name === scaled) as Deployment;
      cluster.put({ ...deployment, spec: { ...deployment.spec, replicas: Number(replicas) } } as Deployment);
    } else if (deleted !== undefined) cluster.drop('Deployment', deleted, 'team');
    else if (command.includes('pod-deletion-cost')) markPod(cluster, title, commands.at(-1) ?? '');
    else throw new Error(`nobody knows how to: ${command}`);
  }
}

/** What mig-parted does to a node: GPUs that an entry names are emptied and cut, the others stay. */
function cut(cluster: SimulatedCluster, name: string, config: string, files: Files): void {
  const entries = parse(files['mig-parted.yaml'] ?? '')['mig-configs'][config];
  const state = cluster.view().nodeStates.find(({ metadata }) => metadata.name === name) as NodeState;
  const gpus = state.spec.gpus.map((gpu) => {
    const entry = entries.find(({ devices }: { devices: number[] }) => devices.includes(gpu.index));
    if (entry === undefined) return gpu;
    if (gpu.instances.some(({ pod }) => pod !== undefined)) throw new Error(`GPU ${name}/${gpu.index} is in use`);
    const profiles = Object.entries<number>(entry['mig-devices'] ?? {}).flatMap(([profile, count]) => Array<string>(count).fill(profile));
    const instances = placeInstances(gpu.product, profiles, `${name}-${gpu.index}-${config}`);
    return { ...gpu, migEnabled: entry['mig-enabled'], instances };
  });
  // The device plugin needs a while to offer what there is.
  const observedAt = new Date(cluster.nowMs).toISOString();
  cluster.put({ ...state, spec: { ...state.spec, observedAt, gpus } } as NodeState);
}

/** The pod on the GPU that the step names goes first when its Deployment shrinks. */
function markPod(cluster: SimulatedCluster, title: string, scale: string): void {
  const { deployments, nodeStates, pods } = cluster.view();
  const deployment = deployments.find(({ metadata }) => scale.includes(`deployment/${metadata.name} `)) as Deployment;
  const [node = '', index] = (/ of GPU (\S+?),?( |$)/.exec(title)?.[1] ?? '').split('/');
  const gpu = nodeStates.find(({ metadata }) => metadata.name === node)?.spec.gpus.find((one) => one.index === Number(index));
  const there = new Set(gpu?.instances.flatMap(({ pod }) => pod?.name ?? []));
  const pod = pods.find((one) => isOf(deployment, one) && there.has(one.metadata.name));
  if (pod === undefined) return;
  const annotations = { ...pod.metadata.annotations, 'controller.kubernetes.io/pod-deletion-cost': '-1000' };
  cluster.put({ ...pod, metadata: { ...pod.metadata, annotations } });
}

/** Closes or opens nodes, as `kubectl cordon` and `uncordon`. */
export function close(cluster: SimulatedCluster, names: ReadonlySet<string>): void {
  for (const node of cluster.view().nodes) {
    cluster.put({ ...node, spec: { ...node.spec, unschedulable: names.has(node.metadata.name) } } as Node);
  }
}
