import { join } from 'node:path';
import type { Split } from '../src/colocate/evaluate/evaluate-splits.js';
import type { MeasuredGroup, MeasuredWorkload } from '../src/colocate/measured-workload.js';
import { readMeasuredGroups } from '../src/formats/colocate/read-groups.js';
import { readSplits } from '../src/formats/colocate/read-splits.js';
import { readWorkloads } from '../src/formats/colocate/read-workloads.js';
import { dataFolder } from './read-data.js';

/** The measurements of KACE (SoCC 2024): workloads alone, and groups of two, three and four. */
export interface ColocationData {
  readonly workloads: readonly MeasuredWorkload[];
  readonly pairs: readonly MeasuredGroup[];
  readonly triples: readonly MeasuredGroup[];
  readonly quads: readonly MeasuredGroup[];
  /** Groups of four with a member at batch size 4, which no other table has. */
  readonly quadsBatch4: readonly MeasuredGroup[];
  /** Splits by how often a workload occurs in training. */
  readonly pairSplits: ReadonlyMap<string, readonly Split[]>;
  readonly tripleSplits: ReadonlyMap<string, readonly Split[]>;
}

/** Reads all of it; ends the program where INLAY_DATA names no data. */
export async function readColocationData(): Promise<ColocationData> {
  const at = (name: string) => join(dataFolder(), 'kace', name);
  const workloads = await readWorkloads(at('workloads.csv'));
  const names = workloads.map(({ name }) => name);
  const groups = (file: string) => readMeasuredGroups([at(file)], names);
  const [pairs, triples, quads, quadsBatch4] = await Promise.all([
    groups('pairs.csv'),
    groups('triples.csv'),
    groups('quads.csv'),
    groups('quads_batch4.csv'),
  ]);
  const splits = async (file: string, of: readonly MeasuredGroup[]) =>
    new Map((await readSplits(at(file), of)).map((entry) => [entry.name, entry.splits]));
  return {
    workloads,
    pairs,
    triples,
    quads,
    quadsBatch4,
    pairSplits: await splits('splits_pairs.json', pairs),
    tripleSplits: await splits('splits_triples.json', triples),
  };
}

/** Workloads whose exclusive rates do not fit their rates in groups. */
export function isSpeech(name: string): boolean {
  return name.startsWith('wav2vec2') || name.startsWith('whisper');
}
