import { type Problem, problem } from '../../errors.js';
import type { ClusterService } from '../objects/inference-workload.js';
import { nvidia } from '../objects/names.js';
import { findShapeErrors } from './template-shape.js';

/** Variables by which a container would choose its GPU itself, past the device that the plugin gives it. */
const deviceVariables = new Set(['NVIDIA_VISIBLE_DEVICES', 'CUDA_VISIBLE_DEVICES']);

/** What a pod template may not say, because the plan says it: the GPU, and several GPUs at once. */
export function checkTemplate({ template, name }: ClusterService, path: string): readonly Problem[] {
  const refuse = (where: string, message: string, hint: string): Problem =>
    problem('TEMPLATE_REFUSED', { message: `The pod template of ${name} ${message}`, path: `${path}.template.spec${where}`, hint });
  const shape = findShapeErrors(template);
  if (shape.length > 0) {
    return shape.map(({ path: where, message }) =>
      problem('TEMPLATE_REFUSED', {
        message: `The pod template of ${name} is none that Kubernetes takes, at ${where.slice(1)}: ${message}.`,
        path: `${path}.template${where}`,
        hint: 'See kubectl explain pod.spec.',
      }),
    );
  }
  const problems: Problem[] = [];
  for (const [index, container] of [...template.spec.containers, ...(template.spec.initContainers ?? [])].entries()) {
    const where =
      index < template.spec.containers.length ? `.containers[${index}]` : `.initContainers[${index - template.spec.containers.length}]`;
    const asked = Object.keys({ ...container.resources?.requests, ...container.resources?.limits }).find((key) =>
      key.startsWith('nvidia.com/'),
    );
    if (asked !== undefined)
      problems.push(refuse(`${where}.resources`, `asks for ${asked}.`, 'Leave GPU resources out: the plan chooses the slice.'));
    const variable = container.env?.find((entry) => deviceVariables.has(entry.name));
    if (variable !== undefined) {
      problems.push(refuse(`${where}.env`, `sets ${variable.name}.`, 'Leave it out: the device plugin sets the device of the slice.'));
    }
    if (splitsModel([...(container.command ?? []), ...(container.args ?? [])])) {
      problems.push(
        refuse(
          `${where}.args`,
          'splits the model over several GPUs.',
          'A MIG slice cannot be joined with another: use tensor parallel size 1.',
        ),
      );
    }
  }
  const placing = ['nodeName', 'nodeSelector', 'schedulingGates'].filter((key) => !isEmpty(template.spec[key]));
  const affinity = template.spec['affinity'] as { readonly nodeAffinity?: Readonly<Record<string, unknown>> | null } | null | undefined;
  if (!isEmpty(affinity?.nodeAffinity?.['requiredDuringSchedulingIgnoredDuringExecution'])) placing.push('affinity.nodeAffinity');
  for (const key of placing)
    problems.push(
      refuse(`.${key}`, `chooses its node: it has ${key}.`, 'Leave it out: the plan chooses the node, and a GpuPool which there are.'),
    );
  if (Object.keys(template.metadata?.labels ?? {}).some((key) => key.startsWith('inlay.dev/'))) {
    problems.push(refuse('', 'has labels of inlay.dev.', `Leave them out, and ${nvidia.gpuResource} too: the operator sets them.`));
  }
  return problems;
}

/** Nothing, however it is written. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** `--tensor-parallel-size 2`, `--tensor-parallel-size=2`, `-tp 2`, and the same for pipelines. */
function splitsModel(args: readonly string[]): boolean {
  const flag = /^(--tensor-parallel-size|--pipeline-parallel-size|-tp|-pp)(?:=(\d+))?$/;
  return args.some((arg, index) => {
    const match = flag.exec(arg.replaceAll('_', '-'));
    return match !== null && Number(match[2] ?? args[index + 1] ?? 1) > 1;
  });
}
