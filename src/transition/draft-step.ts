import type { TransitionStep } from '../demand/documents/transition.js';
import type { MigProfile } from '../gpu/gpu-model.js';

/** What a pod step says of its pod. */
export interface DraftPod {
  /** Index into the workload's services; -1 for a service that it does not have. */
  readonly service: number;
  readonly name: string;
  readonly batch: number;
  readonly processes: number;
  /** Measured throughput, requests per second. */
  readonly capacityRps: number;
  /** What the floor counts, requests per second. */
  readonly rps: number;
}

/** A step before it has a time. Steps are told apart by their index in the list of drafts. */
export interface DraftStep {
  readonly kind: TransitionStep['kind'];
  readonly gpu: string;
  readonly node?: string | undefined;
  readonly profile?: MigProfile;
  readonly start?: number;
  readonly pod?: DraftPod;
  readonly layout?: readonly { readonly profile: MigProfile; readonly start: number }[];
  /** Instances that a wipe removes. */
  readonly removes?: number;
  /** Steps that must have ended because of what they do to the same slices or GPUs. */
  readonly requires: readonly number[];
  /** For a start the wave in which it starts, for a stop the wave at whose beginning it stops. */
  readonly wave: number;
}

/** When a step is expected to run, seconds. */
export interface StepTime {
  readonly startS: number;
  readonly endS: number;
}
