import { type InterferenceModel, interferenceModelSchema } from '../../colocate/documents/interference-model.js';
import { inlayError } from '../../errors.js';
import { limits } from '../limits.js';
import { readDocument } from '../read-document.js';

/** Reads an InterferenceModel file whose parts fit together. Throws InlayError with every problem of its form. */
export async function readInterferenceModel(file: string): Promise<InterferenceModel> {
  const { document } = await readDocument(file, 'InterferenceModel', interferenceModelSchema, limits.documentBytes.value);
  const count = document.workloads.length;
  const width = document.scale.names.length;
  const fits =
    document.workloads.every(({ features }) => features.length === width) &&
    document.scale.means.length === width &&
    document.scale.deviations.length === width &&
    Object.values(document.contention.offsetWeights).every((weights) => weights.length === count) &&
    document.correction.every(({ member, others }) => [member, ...others].every((index) => index < count)) &&
    document.training.groups.every(({ members, rates }) => members.length === rates.length);
  if (fits) return document;
  throw inlayError('INVALID_VALUE', {
    message: `The parts of ${file} do not fit together.`,
    file,
    expected: 'a model as `inlay colocate train` writes it',
    hint: 'Train the model again.',
  });
}
