import type { PlanDocument, PlanGpu, PlanInstance, PlanService } from '../demand/documents/plan.js';

/** A plan that may be edited in place. */
export type Draft = { -readonly [K in keyof PlanDocument]: PlanDocument[K] };

/** Chooses one of several things, repeatably. */
export type Pick = <T>(items: readonly T[]) => T;

/** A way to break a promise. Answers false where the plan offers no place for it. */
export interface Mutation {
  readonly name: string;
  /** The check that must notice it; others may too. */
  readonly check: string;
  readonly apply: (draft: Draft, pick: Pick) => false | undefined;
}

const gpusWithInstances = (plan: Draft) => plan.gpus.filter((gpu) => gpu.instances.length > 0);

/** Edits one instance; false where there is none. */
const onInstance =
  (change: (instance: PlanInstance, gpu: PlanGpu, draft: Draft, pick: Pick) => false | undefined) => (draft: Draft, pick: Pick) => {
    const gpus = gpusWithInstances(draft);
    if (gpus.length === 0) return false;
    const gpu = pick(gpus);
    return change(pick(gpu.instances), gpu, draft, pick);
  };

/** Edits one service that is given something. */
const onService = (change: (service: PlanService, draft: Draft, pick: Pick) => false | undefined) => (draft: Draft, pick: Pick) => {
  const served = draft.services.filter(({ instances }) => instances > 0);
  return served.length > 0 ? change(pick(served), draft, pick) : false;
};

/** Removes an instance and mends every number that follows from it. */
function dropInstance(instance: PlanInstance, gpu: PlanGpu, draft: Draft): void {
  gpu.instances.splice(gpu.instances.indexOf(instance), 1);
  draft.totals.instances -= 1;
  const service = draft.services.find(({ name }) => name === instance.service);
  if (service !== undefined) reweigh(service, draft);
}

/** Recomputes a service's sums, weights and loads from its instances. */
function reweigh(service: PlanService, draft: Draft): void {
  const own = draft.gpus.flatMap((gpu) => gpu.instances).filter((instance) => instance.service === service.name);
  const rate = service.rateRps * (service.factor ?? 1);
  service.instances = own.length;
  service.capacityRps = own.reduce((sum, instance) => sum + instance.capacityRps, 0);
  service.plannedCapacityRps = own.reduce((sum, instance) => sum + instance.plannedCapacityRps, 0);
  for (const instance of own) {
    instance.weight = instance.plannedCapacityRps / service.plannedCapacityRps;
    instance.plannedLoad = (instance.weight * rate) / instance.capacityRps;
  }
}

/** Ways to break what a plan builds: GPUs, instances and what services get. Ids are made anew afterwards, so that none is caught by the hash alone. */
export const layoutMutations: readonly Mutation[] = [
  {
    name: 'move an instance to an illegal start',
    check: 'placements',
    apply: onInstance((instance) => {
      instance.start = 7;
    }),
  },
  {
    name: 'put an instance on top of another',
    check: 'placements',
    apply: onInstance((instance, gpu) => {
      const other = gpu.instances.find((one) => one !== instance);
      if (other === undefined) return false;
      instance.start = other.start;
    }),
  },
  {
    name: 'name a profile that does not exist',
    check: 'placements',
    apply: onInstance((instance) => {
      instance.profile = '5g';
    }),
  },
  {
    name: 'use another profile with the same row',
    check: 'operating points',
    apply: onInstance((instance) => {
      instance.profile = instance.profile === '1g' ? '2g' : '1g';
    }),
  },
  {
    name: 'use a profile that the pool does not offer',
    check: 'placements',
    apply: onInstance((instance) => {
      instance.profile = '1g+me';
    }),
  },
  {
    name: 'give an instance to another service',
    check: 'services',
    apply: onInstance((instance, _gpu, draft) => {
      const other = draft.services.find(({ name }) => name !== instance.service);
      if (other === undefined) return false;
      instance.service = other.name;
    }),
  },
  {
    name: 'give an instance to a stranger',
    check: 'operating points',
    apply: onInstance((instance) => {
      instance.service = 'stranger';
    }),
  },
  {
    name: 'drop an instance',
    check: 'services',
    apply: onInstance((instance, gpu) => void gpu.instances.splice(gpu.instances.indexOf(instance), 1)),
  },
  {
    name: 'drop every instance of a service and mend the sums',
    check: 'services',
    apply: onService((service, draft) => {
      for (const gpu of draft.gpus) {
        for (const instance of gpu.instances.filter((one) => one.service === service.name)) dropInstance(instance, gpu, draft);
      }
    }),
  },
  {
    name: 'add an instance beside the sums',
    check: 'services',
    apply: onInstance((instance, _gpu, draft) => {
      draft.gpus.push({ ...structuredClone(draft.gpus[0] as PlanGpu), id: 'extra', instances: [{ ...instance, start: 0 }] });
      draft.totals.gpus += 1;
      draft.totals.instances += 1;
    }),
  },
  {
    name: 'name two GPUs alike',
    check: 'gpus',
    apply: ({ gpus }, pick) => {
      if (gpus.length < 2) return false;
      const from = pick(gpus);
      const to = gpus.find((gpu) => gpu !== from) as PlanGpu;
      to.id = from.id;
    },
  },
  {
    name: 'name another GPU model',
    check: 'gpus',
    apply: onInstance((_, gpu) => {
      gpu.type = 'SYN-40GB';
    }),
  },
  {
    name: 'name a pool that does not exist',
    check: 'gpus',
    apply: onInstance((_, gpu) => {
      gpu.pool = 'nowhere';
    }),
  },
  {
    name: 'use a batch size that was not measured',
    check: 'operating points',
    apply: onInstance((instance) => {
      instance.batch = 3;
    }),
  },
  {
    name: 'use a number of processes that was not measured',
    check: 'operating points',
    apply: onInstance((instance) => {
      instance.processes = 7;
    }),
  },
  {
    name: 'use another measured row under the old numbers',
    check: 'operating points',
    apply: onInstance((instance) => {
      instance.batch = instance.batch === 4 ? 16 : 4;
    }),
  },
  {
    name: 'inflate the capacity of an instance',
    check: 'operating points',
    apply: onInstance((instance) => {
      instance.capacityRps *= 1.001;
    }),
  },
  {
    name: 'inflate the capacity and mend the sums',
    check: 'operating points',
    apply: onInstance((instance, _gpu, draft) => {
      instance.capacityRps *= 1.001;
      reweigh(draft.services.find(({ name }) => name === instance.service) as PlanService, draft);
    }),
  },
  {
    name: 'plan more than the latency rule allows and mend the sums',
    check: 'loads',
    apply: onInstance((instance, _gpu, draft) => {
      instance.plannedCapacityRps *= 1.001;
      reweigh(draft.services.find(({ name }) => name === instance.service) as PlanService, draft);
    }),
  },
  {
    name: 'lower the rate of a service',
    check: 'services',
    apply: onService((service) => {
      service.rateRps *= 0.9;
    }),
  },
  {
    name: 'alter a weight',
    check: 'loads',
    apply: onInstance((instance) => {
      instance.weight *= 0.99;
    }),
  },
  {
    name: 'alter a planned load',
    check: 'loads',
    apply: onInstance((instance) => {
      instance.plannedLoad *= 0.99;
    }),
  },
  {
    name: 'flatter a predicted latency',
    check: 'loads',
    apply: onInstance((instance) => {
      if (instance.predictedP99Ms === null) return false;
      instance.predictedP99Ms *= 0.99;
    }),
  },
  {
    name: 'hide a predicted latency',
    check: 'loads',
    apply: onInstance((instance) => {
      if (instance.predictedP99Ms === null) return false;
      instance.predictedP99Ms = null;
    }),
  },
  {
    name: 'misstate the capacity of a service',
    check: 'services',
    apply: onService((service) => {
      service.capacityRps *= 1.01;
    }),
  },
  {
    name: 'misstate the planned capacity of a service',
    check: 'services',
    apply: onService((service) => {
      service.plannedCapacityRps *= 1.01;
    }),
  },
  {
    name: 'misstate the instances of a service',
    check: 'services',
    apply: onService((service) => {
      service.instances += 1;
    }),
  },
  {
    name: 'forget a service',
    check: 'services',
    apply: (draft, pick) => {
      draft.services.splice(draft.services.indexOf(pick(draft.services)), 1);
    },
  },
  {
    name: 'list services in another order',
    check: 'services',
    apply: (draft) => {
      if (draft.services.length < 2) return false;
      draft.services.reverse();
    },
  },
  {
    name: 'list a service twice',
    check: 'services',
    apply: (draft, pick) => {
      draft.services.push(structuredClone(pick(draft.services)));
    },
  },
];
