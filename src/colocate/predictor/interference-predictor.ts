import type { InterferenceModel } from '../documents/interference-model.js';
import type { MeasuredWorkload } from '../measured-workload.js';
import { createSharePredictor } from './fit-interference.js';
import { createSpreadPredictor } from './spread.js';

/** What is predicted of one member of a group. Rates are samples per second. */
export interface MemberPrediction {
  readonly workload: string;
  readonly throughput: number;
  /** Ends of an interval that holds the measured rate nine times out of ten. */
  readonly low: number;
  readonly high: number;
  /** Rate that is met nine times out of ten: what a careful plan counts on. */
  readonly cautious: number;
  /** Exclusive ÷ predicted rate, at least about 1. */
  readonly slowdown: number;
}

/** A trained predictor. */
export interface InterferencePredictor {
  /** Predictions in the order of the members. A group of one runs at its exclusive rate. */
  predict(members: readonly MeasuredWorkload[]): readonly MemberPrediction[];
}

/** Makes a trained model ready to predict; the same model and members give the same numbers. */
export function createPredictor(model: InterferenceModel): InterferencePredictor {
  const predictShares = createSharePredictor(model);
  const predictSpreads = createSpreadPredictor(model, model.training.groups);
  const names = new Set(model.workloads.map(({ name }) => name));
  const families = new Set(model.workloads.map(({ family }) => family));

  function errorsOf(members: readonly MeasuredWorkload[]): InterferenceModel['errors']['known'] {
    if (members.some(({ family }) => !families.has(family))) return model.errors.newFamily;
    return members.some(({ name }) => !names.has(name)) ? model.errors.newBatch : model.errors.known;
  }

  return {
    predict(members) {
      const errors = errorsOf(members);
      const spreads = predictSpreads(members);
      return predictShares(members).map((share, k) => {
        const { name, exclusiveRate } = members[k] as MeasuredWorkload;
        const throughput = share * exclusiveRate;
        const spread = spreads[k] as number;
        return {
          workload: name,
          throughput,
          low: throughput * Math.exp(Math.min(0, spread * errors.low)),
          high: throughput * Math.exp(Math.max(0, spread * errors.high)),
          cautious: throughput * Math.exp(Math.min(0, spread * errors.cautious)),
          slowdown: 1 / share,
        };
      });
    },
  };
}
