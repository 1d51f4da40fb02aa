import { type InterferenceModel, interferenceModelSchema } from '../../colocate/documents/interference-model.js';
import { trendCount } from '../../colocate/predictor/workload-features.js';
import { inlayError } from '../../errors.js';
import { formatPath, type PathSegments } from '../document-path.js';
import { limits } from '../limits.js';
import { readDocument } from '../read-document.js';

/** Reads an InterferenceModel file whose parts fit together. Throws InlayError with every problem of its form. */
export async function readInterferenceModel(file: string): Promise<InterferenceModel> {
  const { document, source } = await readDocument(file, 'InterferenceModel', interferenceModelSchema, limits.documentBytes.value);
  const unfit = findUnfit(document);
  if (unfit === undefined) return document;
  throw inlayError('INVALID_VALUE', {
    message: `The parts of ${file} do not fit together: ${formatPath(unfit)} is of another length, or names what is not there.`,
    file,
    ...source.locate(unfit),
    path: formatPath(unfit),
    expected: 'a model as `inlay colocate train` writes it',
    hint: 'Train the model again.',
  });
}

/** The first part that does not fit the others. */
function findUnfit({ workloads, scale, contention, correction, training }: InterferenceModel): PathSegments | undefined {
  const count = workloads.length;
  const width = scale.names.length;
  const known = new Set(workloads.map(({ name }) => name));
  const parts: readonly (readonly [PathSegments, boolean])[] = [
    ...workloads.map(({ features }, k) => [['workloads', k, 'features'], features.length === width] as const),
    [['scale', 'means'], scale.means.length === width],
    [['scale', 'deviations'], scale.deviations.length === width],
    ...Object.entries(contention.offsetWeights).map(
      ([name, weights]) => [['contention', 'offsetWeights', name], weights.length === count] as const,
    ),
    ...correction.map(({ member, others }, k) => [['correction', k], [member, ...others].every((index) => index < count)] as const),
    ...Object.entries(contention.trends).map(([name, trend]) => [['contention', 'trends', name], trend.length === trendCount] as const),
    ...training.groups.map(({ members, rates }, k) => [['training', 'groups', k], members.length === rates.length] as const),
    ...training.groups.map(({ members }, k) => [['training', 'groups', k, 'members'], members.every((name) => known.has(name))] as const),
  ];
  return parts.find(([, fits]) => !fits)?.[0];
}
