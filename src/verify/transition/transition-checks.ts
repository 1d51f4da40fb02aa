import type { VerifyReport } from '../verify-report.js';

/** The promises of a transition, in the order in which they are checked. */
export const transitionCheckNames = [
  'identity',
  'demand',
  'gpus',
  'steps',
  'placements',
  'pods',
  'reserved',
  'backend',
  'floor',
  'target',
  'peak',
  'counts',
  'bounds',
  'order',
  'floor under delay',
] as const;

/** Name of a check of transitions; stable, so that programs can tell checks apart. */
export type TransitionCheckName = (typeof transitionCheckNames)[number];

/** What a check promises, for people. */
export const transitionCheckPromises: Readonly<Record<TransitionCheckName, string>> = {
  identity: 'the id is the hash of the transition',
  demand: 'the target is for this workload and delivers every rate',
  gpus: 'GPUs are known, of their pool’s model, and the same in state and target',
  steps: 'steps wait for their predecessors and take as long as they should',
  placements: 'every GPU is cut legally at every moment, and nothing in use is deleted',
  pods: 'pods start on free instances by measured rows, and only pods that are ready stop',
  reserved: 'nothing that others hold is touched',
  backend: 'every step is one that the backend can take, when it can take it',
  floor: 'no service falls below its floor at any moment of the schedule',
  target: 'the steps end in the target',
  peak: 'never more GPUs in use than stated and allowed',
  counts: 'what is kept, started, moved and changed adds up',
  bounds: 'limits, gaps and what is achieved fit together',
  order: 'the dependencies alone keep every placement legal, however long steps take',
  'floor under delay': 'the dependencies alone keep every service above its floor, however long steps take',
};

/** Whether a transition keeps every promise, with all checks in order, kept ones too. */
export type TransitionReport = VerifyReport<TransitionCheckName>;
