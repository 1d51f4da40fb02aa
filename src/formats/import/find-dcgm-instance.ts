import { inlayError, type Problem } from '../../errors.js';
import type { GpuCatalogue } from '../../gpu/gpu-model.js';
import { type DcgmInstance, readDcgm } from './dcgm.js';

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
