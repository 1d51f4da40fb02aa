import type { Problem } from '../../errors.js';
import type { GivenSetting } from './given-setting.js';
import type { LoadPoint, Percentile } from './load-point.js';

/** A measurement file, and what options and side file say of it. */
export interface MeasurementFile {
  readonly file: string;
  readonly given: GivenSetting;
}

/** Where a reader puts what it finds; it reads on after a problem, so that all are told at once. */
export interface ImportSink {
  readonly percentile: Percentile;
  /** Whether points at saturation may become rows, with the time of a batch derived from the throughput. */
  readonly saturation: boolean;
  keep(point: LoadPoint): void;
  /** Throws InlayError with all problems so far when they are too many to go on. */
  refuse(problem: Problem): void;
  note(problem: Problem): void;
}

/** Reads all files of one import. Throws InlayError where reading cannot go on. */
export type MeasurementReader = (files: readonly MeasurementFile[], sink: ImportSink) => Promise<void>;
