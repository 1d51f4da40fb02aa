import type { SimulationRequest } from './simulate-service.js';
import type { SimulateServices } from './simulate-services.js';

const steps = 5;
const smallestShare = 0.4;

/**
 * For each service that misses its limit the largest share of its rate, to about 2 %, that its instances carry in time: bisection with five
 * simulations each, all with the same random numbers. At least 0.4, where bursts and not queues are to blame.
 */
export async function findShares(requests: readonly SimulationRequest[], simulate: SimulateServices): Promise<readonly number[]> {
  const ranges = requests.map(() => ({ low: smallestShare, high: 1 }));
  for (let step = 0; step < steps; step++) {
    const outcomes = await simulate(
      requests.map((request, i) => {
        const { low, high } = ranges[i] as { low: number; high: number };
        return { ...request, service: { ...request.service, rateRps: (request.service.rateRps * (low + high)) / 2 } };
      }),
    );
    for (const [i, { verdict }] of outcomes.entries()) {
      const range = ranges[i] as { low: number; high: number };
      const middle = (range.low + range.high) / 2;
      if (verdict === 'meets') range.low = middle;
      else range.high = middle;
    }
  }
  return ranges.map(({ low }) => low);
}
