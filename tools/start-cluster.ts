/** `npm run cluster`: a Kubernetes control plane without nodes, to try things on. Ends, and forgets everything, with Ctrl-C. */
import { buildKubelab } from './build-kubelab.js';
import { findKubelab } from './find-kubelab.js';

if (!buildKubelab() || findKubelab() === undefined) process.exit(1);
// The fixture looks for the binary when it is loaded.
const { startCluster } = await import('../test/cluster/cluster.fixture.js');
const cluster = await startCluster();
const kubeconfig = await cluster.kubeconfig('admin');
console.log(`export KUBECONFIG=${kubeconfig}`);
console.log(`alias kubectl='${findKubelab()} kubectl'`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cluster.stop().then(() => process.exit(0)));
