/** Draws predicted against measured totals of the test pairs at n = 3: docs/design/0004-predicted-measured.svg. */
import { writeFile } from 'node:fs/promises';
import { policies } from '../../src/colocate/evaluate/policies.js';
import { totalRate } from '../../src/colocate/measured-workload.js';
import { readColocationData } from '../colocation-data.js';
import { drawScatter } from '../draw-scatter.js';

const file = 'docs/design/0004-predicted-measured.svg';
const { workloads, pairSplits } = await readColocationData();
const byName = new Map(workloads.map((workload) => [workload.name, workload]));
const split = pairSplits.get('n_occur_3')?.[0];
if (split === undefined) throw new Error('there is no split n_occur_3');
const series = (['kace', 'inlay'] as const).map((policy) => {
  const predicted = policies[policy](split.train, byName, true).totals?.(split.test) ?? [];
  const points = split.test.map(({ rates }, k) => ({ x: totalRate(rates), y: Math.max(1, predicted[k] as number) }));
  return policy === 'kace'
    ? { name: 'KACE (totals below 1 are drawn at 1)', colour: '#ee8866', points }
    : { name: 'Inlay', colour: '#3377bb', points };
});
const title = `${split.test.length} pairs predicted from ${split.train.length} measured ones`;
await writeFile(file, drawScatter(title, { x: 'measured, samples/s', y: 'predicted, samples/s' }, series));
console.log(file);
