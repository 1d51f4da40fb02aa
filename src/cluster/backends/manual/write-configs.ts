import { type CutNode, renderConfigs } from '../../../formats/mig-parted/render-configs.js';
import type { ModelOfGpu } from '../../decide/planned-types.js';
import { nodeOf } from '../../decide/progress.js';
import type { PlanFacts } from '../backend.js';

/** The mig-parted file of a plan, and the config of each step that cuts a GPU, by the step's id. */
export interface PlanConfigs {
  readonly text: string;
  configOf(step: string): string | undefined;
}

interface Layout {
  readonly gpu: string;
  readonly instances: readonly { readonly profile: string }[];
}

/**
 * One config for each step that cuts a GPU, and one for each node with all that is cut on it in the end. GPUs that the plan leaves
 * as they are appear in none.
 */
export function writeConfigs({ plan, transition, pools, catalogue }: PlanFacts, modelOf: ModelOfGpu): PlanConfigs {
  const names = new Map(pools.flatMap((pool) => pool.nodes.map((node) => [node.name, pool.names] as const)));
  const cut = (layouts: readonly Layout[], remark: string): CutNode[] => {
    const [first] = layouts;
    const model = catalogue.models.find(({ name }) => name === modelOf(first?.gpu ?? ''));
    if (first === undefined || model === undefined) return [];
    const gpus: CutNode['gpus'][number][] = [];
    for (const { gpu, instances } of layouts) {
      const index = Number(gpu.slice(gpu.lastIndexOf('/') + 1));
      while (gpus.length <= index) gpus.push(undefined);
      gpus[index] = { id: gpu, migDevices: countProfiles(instances, names.get(nodeOf(gpu))) };
    }
    return [{ model, gpus, remark }];
  };
  const wipes = transition.steps.flatMap((step) => (step.kind === 'wipe-gpu' && step.layout.length > 0 ? [step] : []));
  const last = new Map(wipes.map(({ gpu, layout }) => [gpu, layout]));
  const nodes = [...new Set(wipes.map(({ gpu }) => nodeOf(gpu)))];
  const ends = nodes.map((node) => [...last].flatMap(([gpu, instances]) => (nodeOf(gpu) === node ? [{ gpu, instances }] : [])));
  const entries = [
    ...wipes.flatMap((step) =>
      cut([{ gpu: step.gpu, instances: step.layout }], `step ${step.id}: GPU ${step.gpu}`).map((node) => ({ step: step.id, node })),
    ),
    ...ends.flatMap((layouts, n) => cut(layouts, `all GPUs of ${nodes[n]} that are cut anew`).map((node) => ({ step: undefined, node }))),
  ];
  const head = [
    `mig-parted configuration of the plan ${plan.metadata.name}, ${plan.spec.planId}`,
    'mig-parted empties a GPU before it changes how the GPU is cut: take the pods away first. GPUs that no entry names stay as they are.',
  ];
  const { text, names: configs } = renderConfigs(
    head,
    entries.map(({ node }) => node),
    catalogue,
  );
  const byStep = new Map(entries.map(({ step }, index) => [step, configs[index]]));
  return { text, configOf: (step) => byStep.get(step) };
}

function countProfiles(
  instances: Layout['instances'],
  names: ReadonlyMap<string, string> | undefined,
): readonly (readonly [string, number])[] | undefined {
  if (instances.some(({ profile }) => profile === 'full')) return undefined;
  const counts = new Map<string, number>();
  for (const { profile } of instances) {
    const name = names?.get(profile) ?? profile;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
