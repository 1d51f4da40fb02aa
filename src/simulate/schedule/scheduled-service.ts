import type { RateStep } from '../arrival-source.js';
import type { InstanceKind } from '../simulated-service.js';

/** One instance with a service on it, from when it takes requests until it is gone. */
export interface ScheduledPod {
  readonly instance: Omit<InstanceKind, 'count'>;
  readonly opensMs: number;
  /** From then on it gets no new requests and works off its queue; Infinity when it never stops. */
  readonly closesMs: number;
  /** When it ends: requests that still wait then are lost. */
  readonly endsMs: number;
}

/** A stretch of the schedule that is told on its own. */
export interface Phase {
  /** `move`: a transition is under way. */
  readonly kind: 'steady' | 'move';
  readonly fromMs: number;
  readonly toMs: number;
}

/** One service through a schedule. */
export interface ScheduledService {
  readonly name: string;
  /** Limit in each phase, ms. */
  readonly limitsMs: readonly number[];
  /** Percent of the requests that must be within the limit. */
  readonly percentile: number;
  readonly burstiness: number;
  readonly rates: readonly RateStep[];
  readonly pods: readonly ScheduledPod[];
  /** One after the other, from 0 to the end. */
  readonly phases: readonly Phase[];
}

/** What a phase did to a service. */
export interface PhaseOutcome extends Phase {
  readonly requests: number;
  /** Answered after the limit. */
  readonly late: number;
  /** Never answered: no instance was there, or it ended before their turn. */
  readonly lost: number;
  /** NaN without requests. */
  readonly p99Ms: number;
  /** Whether enough of the requests were answered in time; true without requests. */
  readonly meets: boolean;
}

/** A service with its phases in order. */
export interface ScheduleOutcome {
  readonly name: string;
  readonly percentile: number;
  readonly phases: readonly PhaseOutcome[];
}
