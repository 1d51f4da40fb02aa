import { countWindows, windowSeconds } from '../demand/traffic/count-windows.js';
import { inlayError } from '../errors.js';
import { readTrace } from '../formats/traces/read-trace.js';
import type { Arrivals } from '../simulate/simulated-service.js';

/** Reads the value of `--arrivals`; time stamps given as rates are counted in windows of `windowS` seconds. */
export async function parseArrivals(text: string, windowS: number): Promise<Arrivals> {
  const [, kind = '', value = ''] = /^([^:]+)(?::(.*))?$/.exec(text) ?? [];
  if (kind === 'poisson' && value === '') return { kind: 'renewal', burstiness: 1 };
  if (kind === 'gamma') return { kind: 'renewal', burstiness: parseBurstiness(value) };
  if (kind === 'rates' && value !== '') return readRates(value, windowS);
  if (kind === 'stamps' && value !== '') return readStamps(value);
  throw inlayError('USAGE', {
    message: `The arrivals ${text} are of no kind that is known.`,
    expected: 'poisson, gamma:CV, rates:FILE or stamps:FILE',
    received: text,
  });
}

function parseBurstiness(text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= 100) return value;
  throw inlayError('USAGE', {
    message: 'gamma needs the coefficient of variation of the gaps, deviation ÷ mean.',
    expected: 'a number from 0 to 100, such as gamma:2',
    received: `gamma:${text}`,
  });
}

async function readRates(file: string, windowS: number): Promise<Arrivals> {
  const trace = await readTrace(file, { bare: 'rates' });
  const stepS = trace.kind === 'counts' ? trace.stepS : windowSeconds(trace, windowS);
  const counts = countWindows(trace, stepS);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) throw inlayError('TRACE_EMPTY', { message: `The trace ${file} has no whole window with requests in it.`, file });
  return { kind: 'rates', stepS, rates: counts.map((count) => (count * counts.length) / total), burstiness: 1 };
}

async function readStamps(file: string): Promise<Arrivals> {
  const trace = await readTrace(file, { bare: 'stamps' });
  if (trace.kind === 'counts') {
    throw inlayError('USAGE', {
      message: `The trace ${file} holds counts, not the time of each request.`,
      file,
      hint: `Use rates:${file}.`,
    });
  }
  const { stampsS } = trace;
  const spanS = (stampsS.at(-1) as number) - (stampsS[0] as number);
  const meanS = spanS / (stampsS.length - 1);
  return { kind: 'gaps', gaps: stampsS.subarray(1).map((stamp, i) => (stamp - (stampsS[i] as number)) / meanS) };
}
