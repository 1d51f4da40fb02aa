import type { Packing, PackingProblem } from './packing-problem.js';

/**
 * Takes away instances that a service does not need, largest throughput first where several can go: a plan is easier
 * to run without them. GPUs stay as they are.
 */
export function trimInstances(problem: PackingProblem, packing: Packing): Packing {
  const { sizeCount, throughput, demand, minCount } = problem;
  const instances = packing.instances.slice();
  for (let i = 0; i < problem.serviceCount; i++) {
    const at = i * sizeCount;
    let spare = -(demand[i] as number) * (1 - 1e-12);
    let count = 0;
    for (let k = 0; k < sizeCount; k++) {
      spare += (instances[at + k] as number) * (throughput[at + k] as number);
      count += instances[at + k] as number;
    }
    for (;;) {
      let largest = -1;
      for (let k = 0; k < sizeCount; k++) {
        const rps = throughput[at + k] as number;
        if ((instances[at + k] as number) === 0 || rps > spare || count <= (minCount[i] as number)) continue;
        if (largest < 0 || rps > (throughput[at + largest] as number)) largest = k;
      }
      if (largest < 0) break;
      (instances[at + largest] as number)--;
      spare -= throughput[at + largest] as number;
      count--;
    }
  }
  return { ...packing, instances };
}
