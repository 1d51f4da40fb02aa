import { inlayError } from '../../errors.js';
import { createConnection, type RequestReport } from './connection.js';
import { createKubernetesApi, type KubernetesApi } from './kubernetes-api.js';

export interface ConnectOptions {
  /** Path of a kubeconfig; without it `KUBECONFIG`, `~/.kube/config` or the pod's own service account. */
  readonly kubeconfig?: string | undefined;
  /** A context of the kubeconfig; without it the current one. */
  readonly context?: string | undefined;
  readonly onRequest?: ((report: RequestReport) => void) | undefined;
}

/**
 * Loads a kubeconfig and gives the API of its cluster. Nothing is asked of the cluster yet. The Kubernetes client takes
 * 0.4 s to import and is imported here only.
 */
export async function connect(options: ConnectOptions = {}): Promise<KubernetesApi> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  const file = options.kubeconfig ?? 'the kubeconfig';
  try {
    if (options.kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(options.kubeconfig);
    if (options.context !== undefined) config.setCurrentContext(options.context);
  } catch (error) {
    throw inlayError('KUBECONFIG_UNUSABLE', { message: `${file} cannot be read: ${messageOf(error)}`, file }, { cause: error });
  }
  if (config.getCurrentCluster() === null || config.getCurrentUser() === null) {
    const contexts = config.getContexts().map((context) => context.name);
    throw inlayError('KUBECONFIG_UNUSABLE', {
      message: `${file} names no usable cluster and user.`,
      file,
      expected: contexts.length === 0 ? 'a context' : `one of ${contexts.join(', ')}`,
      received: options.context ?? (config.getCurrentContext() || 'no current context'),
    });
  }
  return createKubernetesApi(createConnection(config, options.onRequest));
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
