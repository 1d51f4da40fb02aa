/** How long things take in an emulated cluster, milliseconds. */
export interface EmulatorDelays {
  /** From the binding of a pod to its readiness: pull, start, load of the model. */
  readonly startMs: number;
  /** From a pod's deletion to its end; never longer than its grace period. */
  readonly stopMs: number;
  /** From a change of a ConfigMap to the pods that mount it. */
  readonly projectionMs: number;
  /** For the node components to go away before GPUs are cut. */
  readonly operandStopMs: number;
  /** To turn MIG on or off on the GPUs of a node, once. */
  readonly modeMs: number;
  /** To wipe and cut one GPU. */
  readonly cutMs: number;
  /** For the node components to come back; until then the node offers no device. */
  readonly operandStartMs: number;
  /** From a change of the GPUs or of who holds them to the agent's report of it. */
  readonly reportMs: number;
  readonly rebootMs: number;
  /** Between two crashes of a container that crashes. */
  readonly crashMs: number;
  /** From the loss of a node to the deletion of its pods. */
  readonly orphanMs: number;
}

/**
 * A minute of a real node in about a second, in the proportions of a real one: there the components take 10 to 60 s to stop
 * and 30 to 120 s to come back, and an instance 1 to 5 s to be made.
 */
export const defaultDelays: EmulatorDelays = {
  startMs: 2000,
  stopMs: 1000,
  projectionMs: 1000,
  operandStopMs: 500,
  modeMs: 500,
  cutMs: 100,
  operandStartMs: 1000,
  reportMs: 500,
  rebootMs: 5000,
  crashMs: 2000,
  orphanMs: 1000,
};

/** Every delay multiplied, such as by 0.02 for tests. */
export function scaleDelays(factor: number, delays: EmulatorDelays = defaultDelays): EmulatorDelays {
  return Object.fromEntries(Object.entries(delays).map(([name, ms]) => [name, ms * factor])) as unknown as EmulatorDelays;
}
