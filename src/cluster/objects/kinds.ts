import { type Resource, resourceOf } from '../client/resources.js';
import type { GpuPool } from './gpu-pool.js';
import type { InferenceWorkload } from './inference-workload.js';
import { group, version } from './names.js';
import type { NodeState } from './node-state.js';
import type { PlanApproval, SharingPlan } from './sharing-plan.js';

/** Where the API server stores the own kinds. */
export const gpuPools: Resource<GpuPool> = resourceOf(`gpupools.${version}.${group}`, 'GpuPool', 'cluster');
export const inferenceWorkloads: Resource<InferenceWorkload> = resourceOf(
  `inferenceworkloads.${version}.${group}`,
  'InferenceWorkload',
  'namespaced',
);
export const sharingPlans: Resource<SharingPlan> = resourceOf(`sharingplans.${version}.${group}`, 'SharingPlan', 'cluster');
export const planApprovals: Resource<PlanApproval> = resourceOf(`planapprovals.${version}.${group}`, 'PlanApproval', 'cluster');
export const nodeStates: Resource<NodeState> = resourceOf(`nodestates.${version}.${group}`, 'NodeState', 'cluster');
