/** One broken promise: what, where, what was promised and what was found. */
export interface Violation {
  /** One sentence that stands alone. */
  readonly message: string;
  /** The GPU, instance, service, pool or field it is about. */
  readonly where: string;
  readonly expected: string;
  readonly received: string;
}

/** The promises of a plan, in the order in which they are checked. */
export const checkNames = [
  'identity',
  'gpus',
  'placements',
  'operating points',
  'loads',
  'services',
  'replicas',
  'pools',
  'totals',
  'certificate',
  'bound',
  'optimality',
] as const;

/** Name of a check; stable, so that programs can tell checks apart. */
export type CheckName = (typeof checkNames)[number];

/** What a check promises, for people. */
export const checkPromises: Readonly<Record<CheckName, string>> = {
  identity: 'the id is the hash of the plan',
  gpus: 'GPU ids are unique, pools and GPU models match the workload',
  placements: 'every GPU can be cut as planned, beside what others hold',
  'operating points': 'every instance uses a measured row that its service may use',
  loads: 'weights, loads and predicted latencies are right and within the latency rule',
  services: 'every service gets what it needs, and its sums are right',
  replicas: 'services run on as many different GPUs as they ask for',
  pools: 'no pool gives more GPUs than it has, and nothing that others hold is touched',
  totals: 'GPUs, cost, instances and what changes add up',
  certificate: 'no layout is worth more than its GPU costs',
  bound: 'the certificate proves the bound',
  optimality: 'gap, optimal and stoppedBy follow from the bound',
};

/** One check and what broke it. */
export interface Check<Name extends string = CheckName> {
  readonly name: Name;
  readonly ok: boolean;
  readonly violations: readonly Violation[];
}

/** Whether every promise is kept, with all checks in order, kept ones too. */
export interface VerifyReport<Name extends string = CheckName> {
  readonly kind: 'holds' | 'broken';
  readonly checks: readonly Check<Name>[];
}
