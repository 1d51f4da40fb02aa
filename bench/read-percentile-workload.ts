import type { PercentileRule, Workload } from '../src/demand/workload.js';
import { dataFolder, readDataDocument, readDataRows, resolveDocument } from './read-data.js';

/** A workload of the data whose services promise a 99th percentile under the given rule, in place of the published factor. */
export function readPercentileWorkload(name: string, rule: Partial<Omit<PercentileRule, 'kind'>> = {}): Workload {
  const document = readDataDocument(name);
  const [table = ''] = document.spec.performance;
  const spec = { ...document.spec, latency: { percentile: 99, ...rule } };
  return resolveDocument({ ...document, spec }, readDataRows(table.slice(dataFolder().length + 1)));
}
