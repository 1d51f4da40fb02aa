import { stringify } from 'yaml';
import { listTypes, nameModels } from '../../decide/planned-types.js';
import type { PlanFacts } from '../backend.js';
import { countReplicas } from './count-replicas.js';
import { writeConfigs } from './write-configs.js';
import { writeManifests } from './write-manifests.js';
import { writeSteps } from './write-steps.js';

/** What a person needs to carry a plan out: the steps in order, the mig-parted file and the manifests that they name. */
export function writeFiles(facts: PlanFacts): Readonly<Record<string, string>> {
  const { plan, transition, pools } = facts;
  const gpus = pools.flatMap(({ model, nodes }) => nodes.flatMap((node) => node.gpus.map(({ id }) => ({ id, type: model?.name ?? '' }))));
  const modelOf = nameModels(transition, gpus);
  const types = listTypes(transition, modelOf);
  const replicas = countReplicas(transition, modelOf);
  const configs = writeConfigs(facts, modelOf);
  return {
    'steps.txt': writeSteps({ plan, transition, types, replicas, modelOf, configOf: configs.configOf }),
    'mig-parted.yaml': configs.text,
    'manifests.yaml': writeManifests(facts, types, replicas)
      .map((manifest) => stringify(manifest, { aliasDuplicateObjects: false, lineWidth: 0 }))
      .join('---\n'),
  };
}
