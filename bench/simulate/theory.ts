/** The simulator against closed forms: mean within 1 %, 99th percentile within 2 % (at load 0.95 within 3 %). */
import { bulkMeanResponse, mdcResponse, mmcResponse } from '../../src/simulate/queue-theory.fixture.js';
import { aKind, aSimulatedService } from '../../src/simulate/simulate.fixture.js';
import { simulateService } from '../../src/simulate/simulate-service.js';
import type { InstanceKind } from '../../src/simulate/simulated-service.js';
import { report } from '../report.js';

const requests = 40_000_000;
const loads = [0.5, 0.8, 0.9, 0.95] as const;
const misses: string[] = [];
const rows: (string | number)[][] = [];

function compare(
  name: string,
  kind: InstanceKind,
  load: number,
  batchVariation: number,
  theory: { readonly mean: number; readonly p99?: number },
): void {
  const service = aSimulatedService({ rateRps: load * kind.capacityRps, kinds: [kind] });
  const outcome = simulateService({ service, batching: { delayMs: 0, batchVariation }, length: { kind: 'requests', requests }, seed: 1 });
  if (outcome.kind === 'overloaded') throw new Error(`${name} is overloaded`);
  const meanError = outcome.meanMs.value / theory.mean - 1;
  const p99Error = theory.p99 === undefined ? undefined : outcome.p99Ms.value / theory.p99 - 1;
  const percent = (error: number) => `${(100 * error).toFixed(2)} %`;
  rows.push([name, load, percent(meanError), p99Error === undefined ? '–' : percent(p99Error)]);
  if (Math.abs(meanError) > (load > 0.9 ? 0.03 : 0.01)) misses.push(`${name} at ${load}: mean is off by ${percent(meanError)}`);
  if (p99Error !== undefined && Math.abs(p99Error) > (load > 0.9 ? 0.03 : 0.02))
    misses.push(`${name} at ${load}: p99 is off by ${percent(p99Error)}`);
}

for (const load of loads) {
  for (const servers of [1, 4]) {
    const kind = aKind({ processes: servers, maxBatch: 1, perBatchMs: 1, perRequestMs: 0 });
    compare(`M/M/${servers}`, kind, load, 1, mmcResponse(servers, load));
  }
  for (const servers of [1, 3]) {
    const kind = aKind({ processes: servers, maxBatch: 1, perBatchMs: 1, perRequestMs: 0 });
    compare(`M/D/${servers}`, kind, load, 0, mdcResponse(servers, load));
  }
  for (const maxBatch of [8, 32]) {
    const kind = aKind({ maxBatch });
    const mean = bulkMeanResponse(maxBatch, 8, 2, (load * kind.capacityRps) / 1000);
    compare(`bulk, at most ${maxBatch}`, kind, load, 0, { mean });
  }
}
report(
  `Simulator against closed forms, ${requests / 1e6} million requests each`,
  ['queue', 'load', 'mean response, error', 'p99, error'],
  rows.sort((a, b) => String(a[0]).localeCompare(String(b[0])) || Number(a[1]) - Number(b[1])),
  misses,
);
