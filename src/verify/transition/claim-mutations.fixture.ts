import type { TransitionMutation } from './mutation.fixture.js';

/** Ways to claim what is not so; ids and (mostly) makespans are made anew afterwards. */
export const claimMutations: readonly TransitionMutation[] = [
  {
    name: 'state a shorter makespan',
    check: 'steps',
    keepMakespan: true,
    apply: ({ transition }) => {
      if (transition.steps.length === 0) return false;
      transition.makespanS -= 1;
    },
  },
  {
    name: 'state a lower peak',
    check: 'peak',
    apply: ({ transition }) => {
      if (transition.peakGpus === 0) return false;
      transition.peakGpus -= 1;
    },
  },
  {
    name: 'allow fewer extra GPUs than are used',
    check: 'peak',
    apply: ({ state, transition }) => {
      const used = transition.target.gpus.filter(({ instances }) => instances.length > 0).length;
      if (transition.peakGpus <= Math.max(state.gpus.length, used)) return false;
      transition.maxExtraGpus = transition.peakGpus - Math.max(state.gpus.length, used) - 1;
    },
  },
  ...(
    [
      'kept',
      'podStarts',
      'restartsInPlace',
      'moves',
      'temporaryPods',
      'instanceCreations',
      'instanceDeletions',
      'wipes',
      'gpusTouched',
    ] as const
  ).map(
    (count): TransitionMutation => ({
      name: `misstate counts.${count}`,
      check: 'counts',
      apply: ({ transition }) => {
        transition.counts[count] += 1;
      },
    }),
  ),
  {
    name: 'prove more than is achieved',
    check: 'bounds',
    apply: ({ transition: { bounds } }) => {
      if (bounds.podStarts === undefined) return false;
      bounds.podStarts.limit = bounds.podStarts.achieved + 1;
      bounds.podStarts.gap = 0;
    },
  },
  {
    name: 'misstate a gap',
    check: 'bounds',
    apply: ({ transition: { bounds } }) => {
      if (bounds.podStarts === undefined) return false;
      bounds.podStarts.gap += 1;
    },
  },
  {
    name: 'claim a bound for something that is not achieved',
    check: 'bounds',
    apply: ({ transition }) => {
      transition.bounds.gpus = { achieved: transition.peakGpus + 1, limit: transition.peakGpus + 1, gap: 0 };
    },
  },
  {
    name: 'leave a pod out of the target',
    check: 'target',
    apply: ({ transition }, pick) => {
      const used = transition.target.gpus.filter(({ instances }) => instances.length > 0);
      if (used.length === 0) return false;
      pick(used).instances.pop();
    },
  },
  {
    name: 'aim at a target that serves nobody',
    check: 'demand',
    apply: ({ transition }) => {
      for (const gpu of transition.target.gpus) gpu.instances = [];
    },
  },
  {
    name: 'aim at a target for other rates',
    check: 'demand',
    apply: ({ transition: { target } }, pick) => {
      pick(target.services).rateRps *= 0.9;
    },
  },
  {
    name: 'aim at a target for another service',
    check: 'demand',
    apply: ({ transition: { target } }) => {
      target.services.push({ name: 'other', model: 'net', rateRps: 1, latencyMs: 1 });
    },
  },
  {
    name: 'say that a GPU is of another model',
    check: 'gpus',
    apply: ({ transition: { target } }, pick) => {
      pick(target.gpus).type = 'SYN-40GB';
    },
  },
  {
    name: 'move a GPU to another node',
    check: 'gpus',
    apply: ({ state, transition: { target } }) => {
      const known = target.gpus.find(({ id }) => state.gpus.some((gpu) => gpu.id === id));
      if (known === undefined) return false;
      known.node = 'elsewhere';
    },
  },
];
