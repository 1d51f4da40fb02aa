import type { WorkloadDocument } from '../src/demand/documents/workload.js';
import { generateWorkload } from '../src/demand/generate-workload.js';
import type { Workload } from '../src/demand/workload.js';
import { builtInCatalogue } from '../src/gpu/catalogue.js';
import { readDataRows, resolveDocument, table24 } from './read-data.js';

/** The demands of the papers' evaluation: 24 services with normal or lognormal loads. */
export const distributions = ['normal', 'lognormal'] as const;

const rows = readDataRows(table24);

/** 24 services on A100-80GB under the papers' rule (latency below 0.45 of the limit), made for one process per instance. */
export function figureDocument(distribution: (typeof distributions)[number], targetGpus: number, seed: number): WorkloadDocument {
  return generateWorkload(
    {
      name: `${distribution}-${targetGpus}-${seed}`,
      services: 24,
      targetGpus,
      distribution,
      seed,
      performance: [table24],
      pool: { name: 'a100', gpu: 'A100-80GB' },
      latency: { factor: 0.45 },
      maxProcesses: 1,
    },
    rows,
    builtInCatalogue,
  );
}

/** A document of `figureDocument`, ready to plan with so many processes per instance. */
export function figureWorkload(document: WorkloadDocument, maxProcesses = 1): Workload {
  return resolveDocument({ ...document, spec: { ...document.spec, processes: { max: maxProcesses } } }, rows);
}
