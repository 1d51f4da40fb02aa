import type { TransitionDocument, TransitionStep } from '../../../demand/documents/transition.js';
import { typeKey } from '../../decide/own-pods.js';
import type { ModelOfGpu, PlannedType } from '../../decide/planned-types.js';
import { nodeOf } from '../../decide/progress.js';
import { describeSize, type SharingPlan } from '../../objects/sharing-plan.js';
import { deploymentName } from '../../serve/names.js';
import type { Replicas } from './count-replicas.js';

/** What the steps are told from. */
export interface StepFacts {
  readonly plan: SharingPlan;
  readonly transition: TransitionDocument;
  readonly types: ReadonlyMap<string, PlannedType>;
  readonly replicas: ReadonlyMap<string, Replicas>;
  readonly modelOf: ModelOfGpu;
  configOf(step: string): string | undefined;
}

/** The steps of a plan for a person, with commands, in the order in which they are expected to start. */
export function writeSteps({ plan, transition, types, replicas, modelOf, configOf }: StepFacts): string {
  const { metadata, spec } = plan;
  const count = new Map([...replicas].map(([type, { before }]) => [type, before]));
  const lines = [
    `Plan ${metadata.name}, ${spec.planId}`,
    `In the end: ${describeSize(spec)}`,
    '',
    'A step may begin when those that it comes after have ended: a pod that starts is ready, a pod that stops is gone, a GPU that is',
    'cut is offered by its node. In this order no service falls below what it must deliver on the way. Which node of equal slices a',
    'pod comes to does not matter. To cut a GPU: close its node, wait until its pods are gone, run the command on the node, open it.',
    '',
    'First, which moves nothing: kubectl apply -f manifests.yaml',
    '',
  ];
  for (const step of transition.steps) {
    const after = step.after.length === 0 ? '' : `, after ${step.after.join(' ')}`;
    const type = 'service' in step ? typeKey({ ...step, gpuModel: modelOf(step.gpu) }) : '';
    const change = step.kind === 'start-pod' ? 1 : step.kind === 'stop-pod' ? -1 : 0;
    count.set(type, (count.get(type) ?? 0) + change);
    const commands = listCommands(step, types.get(type), count.get(type) ?? 0, configOf(step.id));
    lines.push(`${step.id}: ${describe(step)}${after}`, ...commands.map((command) => `    ${command}`));
  }
  const over = [...replicas].flatMap(([type, { after }]) => {
    const planned = types.get(type);
    return planned === undefined ? [] : [after > 0 ? scale(planned, after) : `kubectl delete ${nameOf(planned)}`];
  });
  return [...lines, '', 'In the end:', ...over.sort().map((command) => `    ${command}`), ''].join('\n');
}

function describe(step: TransitionStep): string {
  if (step.kind === 'wipe-gpu') {
    const layout = step.layout.map(({ profile, start }) => `${profile}@${start}`).join(' ');
    return layout === '' ? `GPU ${step.gpu} is free` : `cut GPU ${step.gpu} into ${layout}`;
  }
  const place = `${step.profile}@${step.start} of GPU ${step.gpu}`;
  if (step.kind === 'create-instance') return `create ${place}`;
  if (step.kind === 'delete-instance') return `delete ${place}`;
  return `${step.kind === 'start-pod' ? 'start' : 'stop'} a pod of ${step.service} on ${place}`;
}

function listCommands(
  step: TransitionStep,
  type: PlannedType | undefined,
  replicas: number,
  config: string | undefined,
): readonly string[] {
  if (step.kind === 'wipe-gpu')
    return config === undefined ? [] : [`on ${nodeOf(step.gpu)}: nvidia-mig-parted apply -f mig-parted.yaml -c ${config}`];
  if (type === undefined) return [];
  if (step.kind === 'start-pod') return [scale(type, replicas)];
  const [namespace] = type.service.split('.');
  return [`kubectl annotate -n ${namespace} pod POD controller.kubernetes.io/pod-deletion-cost=-1000`, scale(type, replicas)];
}

const scale = (type: PlannedType, replicas: number): string => `kubectl scale ${nameOf(type)} --replicas=${replicas}`;

/** Namespaces and services have no dots in their names, workloads may. */
function nameOf(type: PlannedType): string {
  const [namespace = '', ...rest] = type.service.split('.');
  const service = rest.pop() ?? '';
  return `-n ${namespace} deployment/${deploymentName(rest.join('.'), service, type)}`;
}
