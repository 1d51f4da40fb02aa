import * as z from 'zod';
import type { Split } from '../../colocate/evaluate/evaluate-splits.js';
import type { MeasuredGroup } from '../../colocate/measured-workload.js';
import { InlayError, inlayError, type Problem, problem } from '../../errors.js';
import { parseDocument } from '../document.js';
import { formatPath, type PathSegments } from '../document-path.js';
import { limits } from '../limits.js';
import { placeProblems } from '../read-document.js';
import { readTextFile } from '../read-file.js';

const ids = z.array(z.string()).min(1);
const splitsSchema = z.object({
  splits: z.record(z.string(), z.record(z.string(), z.object({ train: ids, train_used: ids.optional(), test: ids }))),
});

/** Splits that belong together, such as those of one training size with several seeds. */
export interface SplitCase {
  readonly name: string;
  readonly splits: readonly Split[];
}

/**
 * Reads a JSON file `{splits: {case: {seed: {train: [ids], train_used?: [ids], test: [ids]}}}}` whose ids are of `groups`.
 * Throws InlayError with every problem.
 */
export async function readSplits(file: string, groups: readonly MeasuredGroup[]): Promise<readonly SplitCase[]> {
  const source = parseDocument(await readTextFile(file, limits.documentBytes.value), file);
  const parsed = splitsSchema.safeParse(source.value);
  if (!parsed.success) {
    const at = (parsed.error.issues[0]?.path ?? []).filter((segment) => typeof segment !== 'symbol');
    throw inlayError('INVALID_VALUE', {
      message: `${file} has no splits at ${formatPath(at) || 'its top'}.`,
      file,
      ...source.locate(at),
      expected: '{"splits": {case: {seed: {"train": [ids], "test": [ids]}}}}',
    });
  }
  const byId = new Map(groups.map((group) => [group.id, group]));
  const problems: Problem[] = [];
  const find = (names: readonly string[], where: PathSegments) =>
    names.flatMap((id, index) => {
      const group = byId.get(id);
      if (group !== undefined) return group;
      const message = `No group has the id ${id}.`;
      problems.push(
        problem('INVALID_VALUE', { message, path: formatPath([...where, index]), expected: 'an id of --groups', received: id }),
      );
      return [];
    });
  const cases = Object.entries(parsed.data.splits).map(([name, seeds]) => ({
    name,
    splits: Object.entries(seeds).map(([seed, { train, train_used: used, test }]) => {
      const where = ['splits', name, seed];
      const all = find(train, [...where, 'train']);
      return {
        train: all,
        trainUsed: used === undefined ? all : find(used, [...where, 'train_used']),
        test: find(test, [...where, 'test']),
      };
    }),
  }));
  if (problems.length > 0) throw new InlayError(placeProblems(problems.slice(0, limits.problems.value), source));
  return cases;
}
