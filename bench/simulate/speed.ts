/**
 * Requests simulated in a second of processor time on one core: round robin 3 million on up to 32 instances and 2 million on 256, shortest
 * queue 1 million.
 */

import { ServiceClock } from '../../src/simulate/service-clock.js';
import { aKind, aSimulatedService, plainBatching } from '../../src/simulate/simulate.fixture.js';
import type { Router } from '../../src/simulate/simulated-service.js';
import { report } from '../report.js';

const requests = 4_000_000;
const routers: readonly Router[] = ['round-robin', 'random', 'two-choices', 'shortest-queue'];
const least = (router: Router, instances: number) =>
  router === 'round-robin' ? (instances <= 32 ? 3 : 2) : router === 'shortest-queue' ? 1 : 0;
const misses: string[] = [];
const rows = [];
for (const router of routers) {
  for (const count of [1, 4, 32, 256]) {
    const kind = aKind({ count, processes: 2 });
    const speeds = [1, 4].map((burstiness) => {
      const service = aSimulatedService({
        router,
        rateRps: 0.85 * count * kind.capacityRps,
        kinds: [kind],
        arrivals: { kind: 'renewal', burstiness },
      });
      const clock = new ServiceClock(service, plainBatching, 1);
      clock.advanceBy(200_000);
      const before = process.cpuUsage();
      clock.advanceBy(requests);
      const { user, system } = process.cpuUsage(before);
      return requests / (user + system);
    });
    const [poisson = 0] = speeds;
    if (poisson < least(router, count)) misses.push(`${router}, ${count} instances: ${poisson.toFixed(2)} million a second`);
    rows.push([router, count, ...speeds.map((speed) => Number(speed.toFixed(1)))]);
  }
}
report('Millions of requests a second of processor time', ['router', 'instances', 'Poisson', 'CV 4'], rows, misses);
