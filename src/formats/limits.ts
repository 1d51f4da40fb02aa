import { maxPools, maxServices } from '../demand/documents/workload.js';
import { maxInstances, maxSingleInstances } from '../plan/instance-limit.js';

/** One limit on what is read: its value, what it holds for, and why it is there. */
export interface Limit {
  readonly value: number;
  readonly unit: 'bytes' | 'rows' | 'levels' | 'nodes' | 'aliases' | 'entries' | 'problems';
  readonly of: string;
  readonly why: string;
}

const mebibyte = 1024 * 1024;

/** Every limit on input files. docs/reference/limits.md is generated from this list. */
export const limits = {
  documentBytes: {
    value: 32 * mebibyte,
    unit: 'bytes',
    of: 'a Workload or GpuModels file',
    why: 'A workload of 20,000 services takes a tenth of it.',
  },
  planBytes: {
    value: 256 * mebibyte,
    unit: 'bytes',
    of: 'a Plan, State or Transition file',
    why: 'A plan of 50,000 GPUs takes about a third of it.',
  },
  yamlBytes: {
    value: 8 * mebibyte,
    unit: 'bytes',
    of: 'any file in YAML',
    why: 'YAML is read at about 1 MiB a second; write larger documents as JSON.',
  },
  planInstances: {
    value: maxInstances,
    unit: 'entries',
    of: 'the instances of a plan by the strategy `exact`',
    why: 'Above 250,000, equal GPUs are written once with their number.',
  },
  singleInstances: {
    value: maxSingleInstances,
    unit: 'entries',
    of: 'the instances of a plan by any other strategy, and the GPUs that are written out one by one of a plan that counts equal ones',
    why: 'A plan of as many takes about 500 MB of memory.',
  },
  csvLineBytes: { value: mebibyte, unit: 'bytes', of: 'a line of a CSV table', why: 'A table has a few dozen columns.' },
  tableBytes: { value: 64 * mebibyte, unit: 'bytes', of: 'a performance table', why: 'A row takes about 50 bytes.' },
  traceBytes: {
    value: 8192 * mebibyte,
    unit: 'bytes',
    of: 'a trace of arrivals',
    why: 'It is read line by line; a week of requests takes 2 GiB.',
  },
  tableRows: { value: 1_000_000, unit: 'rows', of: 'a performance table', why: 'Measured tables hold thousands of rows.' },
  measurementBytes: {
    value: 2048 * mebibyte,
    unit: 'bytes',
    of: 'a measurement file to import',
    why: 'It is read piece by piece, at about 10 MiB a second.',
  },
  measurementJsonBytes: {
    value: 16 * mebibyte,
    unit: 'bytes',
    of: 'a measurement file to import in JSON, without its long lists, and a side file',
    why: 'Only lists are read piece by piece; a run without its single requests takes a few KiB.',
  },
  measuredPoints: { value: 1_000_000, unit: 'rows', of: 'the points of all files of one import', why: 'A load sweep has a few dozen.' },
  singleRequests: {
    value: 10_000_000,
    unit: 'entries',
    of: 'the latencies of single requests of a run',
    why: 'All are held for a percentile; a benchmark has thousands.',
  },
  dcgmInstances: {
    value: 100_000,
    unit: 'entries',
    of: 'the GPU instances and pods in metrics of the DCGM exporter',
    why: '14,000 GPUs have as many instances at most.',
  },
  reportBytes: {
    value: 16_384 * mebibyte,
    unit: 'bytes',
    of: 'a report of Nsight Compute',
    why: 'It is read piece by piece; memory does not grow with it.',
  },
  colocationRows: { value: 20_000, unit: 'rows', of: 'a table of workloads or groups', why: 'Training takes time with their number.' },
  depth: { value: 64, unit: 'levels', of: 'nesting in a document', why: 'No format nests deeper than ten levels.' },
  yamlNodes: {
    value: 2_000_000,
    unit: 'nodes',
    of: 'a YAML document with its aliases written out',
    why: 'A few lines of aliases of aliases stand for billions of nodes.',
  },
  yamlAliases: { value: 10_000, unit: 'aliases', of: 'a YAML document', why: 'Reading takes time with the square of their number.' },
  services: { value: maxServices, unit: 'entries', of: '`spec.services` of a Workload', why: 'Planning time grows with the services.' },
  pools: { value: maxPools, unit: 'entries', of: '`spec.pools` of a Workload', why: 'Planning time grows with the pools.' },
  problems: { value: 1000, unit: 'problems', of: 'the problems reported of one file', why: 'The rest is likely more of the same.' },
} as const satisfies Record<string, Limit>;
