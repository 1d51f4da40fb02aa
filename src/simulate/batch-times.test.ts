import { describe, expect, it } from 'vitest';
import { aRow } from '../demand/demand.fixture.js';
import { tabulateBatchTimes } from './batch-times.js';

describe('tabulateBatchTimes', () => {
  const row = (batch: number, ms: number) => aRow({ batch, throughputRps: (1000 * batch) / ms });

  it('draws straight lines between measured batches and never goes below the smallest', () => {
    expect([...tabulateBatchTimes([row(8, 26), row(2, 8), row(4, 10)], 8)].slice(1)).toEqual([8, 8, 9, 10, 14, 18, 22, 26]);
  });

  it('is never faster for a larger batch, nor faster than measured', () => {
    expect([...tabulateBatchTimes([row(1, 10), row(2, 8), row(3, 12)], 3)].slice(1)).toEqual([10, 10, 12]);
  });

  it('ends at the batch asked for and counts the time of one of several processes', () => {
    const rows = [aRow({ batch: 4, processes: 2, throughputRps: 800 }), aRow({ batch: 8, processes: 2, throughputRps: 800 })];
    expect([...tabulateBatchTimes(rows, 4)].slice(1)).toEqual([10, 10, 10, 10]);
  });
});
