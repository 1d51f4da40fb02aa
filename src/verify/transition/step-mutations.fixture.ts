import {
  atSamePlace,
  type Draft,
  isOf,
  keptPods,
  moveTo,
  onStep,
  removeStep,
  rename,
  retime,
  stepsOf,
  stopsOfMovedService,
  type TransitionMutation,
} from './mutation.fixture.js';

/** Ways to take steps that must not be taken; ids and makespans are made anew afterwards. */
export const stepMutations: readonly TransitionMutation[] = [
  {
    name: 'let the stops of a service wait for nothing, at the same times',
    check: 'floor under delay',
    apply: (scenario) => {
      const stops = stopsOfMovedService(scenario);
      for (const stop of stops) stop.after = [];
      return stops.length > 0 && undefined;
    },
  },
  {
    name: 'stop every pod of a service at once',
    check: 'floor',
    apply: (scenario) => {
      const stops = stopsOfMovedService(scenario);
      for (const stop of stops) moveTo(scenario.transition, stop, 0);
      return stops.length > 0 && undefined;
    },
  },
  {
    name: 'let a pod not wait for its instance, at the same times',
    check: 'order',
    apply: onStep('start-pod', (step, { transition }) => {
      if (step.after.length === 0 || atSamePlace(transition, step).length === 0) return false;
      step.after = [];
    }),
  },
  {
    name: 'let a deletion or release not wait for its pods, at the same times',
    check: 'order',
    apply: ({ transition }, pick) => {
      const steps = stepsOf(transition, 'delete-instance', 'wipe-gpu').filter(({ gpu, after }) =>
        after.some((id) => stepsOf(transition, 'stop-pod').some((stop) => stop.id === id && stop.gpu === gpu)),
      );
      if (steps.length === 0) return false;
      pick(steps).after = [];
    },
  },
  {
    name: 'start a pod before its instance is there',
    check: 'pods',
    apply: onStep('start-pod', (step, { state, transition }) => {
      if (transition.backend !== 'instance' || state.gpus.some(({ id }) => id === step.gpu)) return false;
      moveTo(transition, step, 0);
    }),
  },
  {
    name: 'delete an instance under its pod',
    check: 'placements',
    apply: onStep('delete-instance', (step, { transition }) => {
      const stop = stepsOf(transition, 'stop-pod').find(({ gpu, start }) => gpu === step.gpu && start === step.start);
      if (stop === undefined) return false;
      removeStep(transition, stop);
    }),
  },
  {
    name: 'delete an instance while its pod still stops',
    check: 'placements',
    apply: onStep('delete-instance', (step, { transition }) => {
      const stop = stepsOf(transition, 'stop-pod').find(({ gpu, start }) => gpu === step.gpu && start === step.start);
      if (stop === undefined) return false;
      moveTo(transition, step, stop.startS + 1);
    }),
  },
  {
    name: 'wipe a GPU while its pods still stop',
    check: 'placements',
    apply: onStep('wipe-gpu', (step, { transition }) => {
      const stop = stepsOf(transition, 'stop-pod').find(({ gpu }) => gpu === step.gpu);
      if (step.layout.length > 0 || stop === undefined) return false;
      moveTo(transition, step, stop.startS + 1);
    }),
  },
  {
    name: 'leave out the start of a pod',
    check: 'target',
    apply: onStep('start-pod', (step, { transition }) => {
      if (step.gpu === 'spare') return false;
      removeStep(transition, step);
    }),
  },
  {
    name: 'leave out the creation of an instance',
    check: 'pods',
    apply: onStep('create-instance', (step, { transition }) => {
      if (!atSamePlace(transition, step).some(({ kind }) => kind === 'start-pod')) return false;
      removeStep(transition, step);
    }),
  },
  {
    name: 'leave out the deletion of an instance',
    check: 'target',
    apply: onStep('delete-instance', (step, { transition }) => removeStep(transition, step) as undefined),
  },
  {
    name: 'create an instance at an illegal start',
    check: 'placements',
    apply: onStep('create-instance', (step) => {
      step.start = 7;
    }),
  },
  {
    name: 'create an instance on top of another',
    check: 'placements',
    apply: onStep('create-instance', (step, { transition }) => {
      transition.steps.push({ ...step, id: rename(transition) });
      retime(transition);
    }),
  },
  {
    name: 'create a profile that the pool does not offer',
    check: 'placements',
    apply: onStep('create-instance', (step) => {
      step.profile = '1g+me';
    }),
  },
  {
    name: 'leave an illegal layout after a wipe',
    check: 'placements',
    apply: onStep('wipe-gpu', (step) => {
      step.layout.push({ profile: '7g', start: 0 }, { profile: '7g', start: 0 });
    }),
  },
  {
    name: 'start a second pod on an instance',
    check: 'pods',
    apply: onStep('start-pod', (step, { transition }) => {
      transition.steps.push({ ...step, id: rename(transition), after: [step.id] });
      retime(transition);
    }),
  },
  {
    name: 'start a pod with a batch that was not measured',
    check: 'pods',
    apply: onStep('start-pod', (step) => {
      step.batch = 3;
    }),
  },
  {
    name: 'start a pod of a stranger',
    check: 'pods',
    apply: onStep('start-pod', (step) => {
      step.service = 'stranger';
    }),
  },
  {
    name: 'inflate the capacity of a started pod',
    check: 'pods',
    apply: onStep('start-pod', (step) => {
      step.capacityRps *= 1.01;
    }),
  },
  {
    name: 'play down the capacity of a stopped pod',
    check: 'pods',
    apply: onStep('stop-pod', (step) => {
      step.capacityRps *= 0.9;
    }),
  },
  {
    name: 'stop a pod that runs otherwise',
    check: 'pods',
    apply: onStep('stop-pod', (step) => {
      step.processes += 1;
    }),
  },
  {
    name: 'stop a pod that the target keeps',
    check: 'target',
    apply: (scenario, pick) => {
      const kept = keptPods(scenario);
      if (kept.length === 0) return false;
      const { gpu, instance } = pick(kept);
      const { profile, start, service, batch = 1, processes = 1, capacityRps = 0 } = instance;
      const pod = { profile, start, service: service ?? '', batch, processes, capacityRps };
      scenario.transition.steps.push({
        id: rename(scenario.transition),
        kind: 'stop-pod',
        gpu: gpu.id,
        ...pod,
        after: [],
        startS: 0,
        endS: 5,
      });
      retime(scenario.transition);
    },
  },
  {
    name: 'restart a pod that the target keeps, and call it kept',
    check: 'counts',
    apply: (scenario, pick) => {
      const kept = keptPods(scenario);
      if (kept.length === 0) return false;
      const { gpu, instance } = pick(kept);
      const { profile, start, service, batch = 1, processes = 1, capacityRps = 0 } = instance;
      const pod = { gpu: gpu.id, profile, start, service: service ?? '', batch, processes, capacityRps };
      const { steps } = scenario.transition;
      steps.push({ id: 'out', kind: 'stop-pod', ...pod, after: [], startS: 0, endS: 5 });
      steps.push({ id: 'in', kind: 'start-pod', ...pod, after: ['out'], startS: 5, endS: 35 });
      retime(scenario.transition);
    },
  },
  {
    name: 'let two steps wait for each other',
    check: 'steps',
    apply: ({ transition }) => {
      const [first, second] = transition.steps;
      if (first === undefined || second === undefined) return false;
      first.after.push(second.id);
      second.after.push(first.id);
    },
  },
  {
    name: 'wait for a step that does not exist',
    check: 'steps',
    apply: onStep('start-pod', (step) => void step.after.push('nowhere')),
  },
  {
    name: 'give two steps one id',
    check: 'steps',
    apply: ({ transition: { steps } }) => {
      const [first, second] = steps;
      if (first === undefined || second === undefined) return false;
      second.id = first.id;
    },
  },
  {
    name: 'make a step shorter than it is',
    check: 'steps',
    apply: onStep('start-pod', (step) => {
      step.endS -= 10;
    }),
  },
  {
    name: 'start a step before its predecessors end',
    check: 'steps',
    apply: ({ transition }, pick) => {
      const waiting = transition.steps.filter(({ after }) => after.length > 0);
      if (waiting.length === 0) return false;
      const step = pick(waiting);
      moveTo(transition, step, step.startS - 0.5);
    },
  },
  {
    name: 'take a step on a GPU that nobody lists',
    check: 'gpus',
    apply: onStep('start-pod', (step) => {
      step.gpu = 'nobody';
    }),
  },
  {
    name: 'touch an instance that others hold',
    check: 'reserved',
    apply: ({ state, transition }) => {
      const deleted = stepsOf(transition, 'delete-instance', 'wipe-gpu').find(({ gpu }) =>
        state.gpus.some(({ id, instances }) => id === gpu && instances.length > 0),
      );
      const instance = state.gpus
        .find(({ id }) => id === deleted?.gpu)
        ?.instances.find(({ start }) => deleted?.kind === 'wipe-gpu' || deleted?.start === start);
      if (instance === undefined) return false;
      instance.reserved = true;
    },
  },
  {
    name: 'carry the steps out with another backend',
    check: 'backend',
    apply: ({ transition }) => {
      if (stepsOf(transition, 'wipe-gpu', 'create-instance', 'delete-instance').length === 0) return false;
      transition.backend = transition.backend === 'instance' ? 'gpu-wipe' : 'instance';
    },
  },
  {
    name: 'wipe a GPU into what it already is',
    check: 'backend',
    apply: (scenario) => {
      if (!isOf('gpu-wipe', 'node')(scenario)) return false;
      const { steps, target } = scenario.transition;
      target.gpus.push({ ...structuredClone(target.gpus[0] as Draft['target']['gpus'][number]), id: 'idle', instances: [] });
      steps.unshift({ id: 'useless', kind: 'wipe-gpu', gpu: 'idle', layout: [], after: [], startS: 0, endS: 5 });
    },
  },
  {
    name: 'wipe two GPUs of a node at once',
    check: 'backend',
    apply: (scenario) => {
      if (!isOf('node')(scenario)) return false;
      const { gpus } = scenario.transition.target;
      const created = new Set(
        stepsOf(scenario.transition, 'wipe-gpu')
          .filter(({ layout }) => layout.length > 0)
          .map(({ gpu }) => gpu),
      );
      if (created.size < 2) return false;
      for (const gpu of gpus) if (created.has(gpu.id)) gpu.node = 'one';
      for (const wipe of stepsOf(scenario.transition, 'wipe-gpu')) if (created.has(wipe.gpu)) moveTo(scenario.transition, wipe, 0);
    },
  },
  {
    name: 'place a pod on a node on which a GPU is wiped',
    check: 'backend',
    apply: (scenario) => {
      if (!isOf('node')(scenario)) return false;
      const start = stepsOf(scenario.transition, 'start-pod')[0];
      const wipe = stepsOf(scenario.transition, 'wipe-gpu').find(({ gpu }) => gpu !== start?.gpu);
      if (start === undefined || wipe === undefined) return false;
      const nodeOf = (id: string) => [...scenario.state.gpus, ...scenario.transition.target.gpus].filter((gpu) => gpu.id === id);
      for (const gpu of [...nodeOf(start.gpu), ...nodeOf(wipe.gpu)]) gpu.node = 'one';
      moveTo(scenario.transition, wipe, start.startS - 1);
    },
  },
];
