import { InlayError, inlayError, type Problem, problem } from '../../errors.js';
import { findGpuModel } from '../../gpu/find-gpu-model.js';
import { findProfile } from '../../gpu/find-profile.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { type DcgmInstance, readDcgm } from './dcgm.js';
import { type GivenSetting, settingParts } from './given-setting.js';

/**
 * The GPU instance of a DCGM file on which `pod` (`NAME` or `NAMESPACE/NAME`) ran, or its only one. Throws InlayError when that is
 * not one instance.
 */
export async function findDcgmInstance(
  dcgm: string,
  pod: string | undefined,
  catalogue: GpuCatalogue,
): Promise<{ readonly instance: DcgmInstance; readonly notes: readonly Problem[] }> {
  const metrics = await readDcgm([dcgm], catalogue);
  const matches = metrics.instances.filter(
    (instance) => pod === undefined || instance.pod === pod || `${instance.namespace}/${instance.pod}` === pod,
  );
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return { instance: only, notes: metrics.notes };
  const pods = [...new Set(metrics.instances.map((instance) => instance.pod || '(no pod)'))];
  throw inlayError('MISSING_SETTING', {
    message:
      only === undefined
        ? `${dcgm} has no GPU instance${pod === undefined ? '' : ` with the pod ${pod}`}.`
        : `${dcgm} has several GPU instances${pod === undefined ? '' : ` with the pod ${pod}`}.`,
    file: dcgm,
    expected: 'one GPU instance',
    received: `${matches.length}; pods: ${pods.slice(0, 20).join(', ') || 'none'}`,
    hint: 'Name the pod that was measured with --pod.',
  });
}

/**
 * Refuses a GPU model or profile that was given and is not the one of the instance. A variant of a model is no other one, and names that
 * the catalogue does not know are told elsewhere. Throws InlayError with CONTRADICTING_SETTING.
 */
export function refuseOtherHardware(given: GivenSetting, instance: DcgmInstance, catalogue: GpuCatalogue): void {
  const [wanted, seen] = [given.gpu, instance.gpu].map((name) => (name === undefined ? undefined : findGpuModel(catalogue, name)));
  if (seen?.kind !== 'found' || (wanted !== undefined && wanted.kind !== 'found')) return;
  const plainOf = ({ name, variantOf = name }: typeof seen.model) => variantOf;
  const problems: Problem[] = [];
  if (wanted !== undefined && plainOf(wanted.model) !== plainOf(seen.model)) {
    problems.push(contradiction('gpu', wanted.model.name, seen.model.name, instance));
  }
  const profile = given.profile === undefined ? undefined : findProfile(seen.model, given.profile);
  if (profile?.kind === 'found' && profile.profile.name !== instance.profile) {
    problems.push(contradiction('profile', profile.profile.name, instance.profile, instance));
  }
  if (problems.length > 0) throw new InlayError(problems);
}

function contradiction(part: 'gpu' | 'profile', wanted: string, says: string, { file, line }: DcgmInstance): Problem {
  const { words, option } = settingParts[part];
  return problem('CONTRADICTING_SETTING', {
    message: `${words.charAt(0).toUpperCase()}${words.slice(1)} was given as ${wanted}, but ${file} says ${says}.`,
    file,
    line,
    column: 1,
    expected: says,
    received: wanted,
    hint: `Leave out ${option}, name the pod that was measured with --pod, or leave out --dcgm and pass --memory-gib N.`,
  });
}
