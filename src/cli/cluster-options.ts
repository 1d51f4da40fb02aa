import { Option } from 'commander';

/** `--kubeconfig FILE` and `--context NAME`, as `kubectl` has them. */
export const kubeconfigOption = () =>
  new Option('--kubeconfig <file>', "kubeconfig of the cluster (default: KUBECONFIG, ~/.kube/config, or the pod's own service account)");

export const contextOption = () => new Option('--context <name>', 'context of the kubeconfig (default: its current one)');

/** What these options give. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}
