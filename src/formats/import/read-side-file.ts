import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { InlayError } from '../../errors.js';
import { describeIssue } from '../describe-issue.js';
import { parseDocument } from '../document.js';
import { limits } from '../limits.js';
import { performanceColumns } from '../performance-columns.js';
import { readTextFile } from '../read-file.js';
import type { GivenSetting } from './given-setting.js';

const { batch, processes, memoryGiB } = performanceColumns;
const tokens = z.int().min(1).max(10_000_000);

/** A side file: the keys of a performance table, and what a person may want to remember of the machine. */
const sideFileSchema = z.strictObject({
  model: z.string().min(1).optional(),
  gpu: z.string().min(1).optional(),
  mig_profile: z.string().min(1).optional(),
  batch: z.int().min(batch.min).max(batch.max).optional(),
  processes: z.int().min(processes.min).max(processes.max).optional(),
  memory_gib: z.number().min(memoryGiB.min).max(memoryGiB.max).optional(),
  prompt_tokens: tokens.optional(),
  response_tokens: tokens.optional(),
  driver: z.string().optional(),
  cuda: z.string().optional(),
  precision: z.string().optional(),
});

/** What the side file says, or the first that exists of `NAME.meta.json` and `meta.json` beside the measurement. */
export async function readSideFile(measurement: string, sideFile: string | undefined): Promise<GivenSetting> {
  const file =
    sideFile ?? (await firstThatExists([`${measurement.replace(/\.[^./\\]*$/, '')}.meta.json`, join(dirname(measurement), 'meta.json')]));
  if (file === undefined) return {};
  const source = parseDocument(await readTextFile(file, limits.measurementJsonBytes.value), file);
  const result = sideFileSchema.safeParse(source.value);
  if (!result.success) throw new InlayError(result.error.issues.flatMap((issue) => describeIssue(issue, sideFileSchema, source)));
  const { model, gpu, mig_profile, batch, processes, memory_gib, prompt_tokens, response_tokens } = result.data;
  return {
    model,
    gpu,
    profile: mig_profile,
    batch,
    processes,
    memoryGiB: memory_gib,
    promptTokens: prompt_tokens,
    responseTokens: response_tokens,
  };
}

async function firstThatExists(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (exists) return file;
  }
  return undefined;
}
