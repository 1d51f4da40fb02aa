/** Tenths of a second; the default durations of the steps. */
export const lasting = { create: 10, delete: 7, start: 300, stop: 50 } as const;

/** What a cell is doing. */
export const Phase = {
  Absent: 0,
  Creating: 1,
  Idle: 2,
  Leaving: 3,
  Stopping: 4,
  Deleting: 5,
  Starting: 6,
  Ready: 7,
  StandInStarting: 8,
  StandIn: 9,
} as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

/** What every cell is doing at one moment, by cell. */
export interface Moment {
  readonly at: number;
  readonly phase: Uint8Array;
  readonly left: Int16Array;
  readonly kind: Int8Array;
  /** Pods that have run for a while so far. */
  readonly standIns: number;
}

/** A step that may begin: what its cell does next, for how long, with which kind of pod. */
export interface Action {
  readonly cell: number;
  readonly to: Phase;
  readonly left: number;
  readonly kind: number;
}

/** No step now; perhaps at a later end. */
export const wait: Action = { cell: -1, to: Phase.Absent, left: 0, kind: -1 };

/** What a cell does when its step has ended. */
export const afterwards: Partial<Record<Phase, Phase>> = {
  [Phase.Creating]: Phase.Idle,
  [Phase.Stopping]: Phase.Idle,
  [Phase.Deleting]: Phase.Absent,
  [Phase.Starting]: Phase.Ready,
  [Phase.StandInStarting]: Phase.StandIn,
};
