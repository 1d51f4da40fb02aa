/** What options and side files say about measurements; everything is optional. */
export interface GivenSetting {
  /** A name that replaces the one in the file. */
  readonly model?: string | undefined;
  /** As written; resolved against the catalogue. */
  readonly gpu?: string | undefined;
  readonly profile?: string | undefined;
  readonly batch?: number | undefined;
  readonly processes?: number | undefined;
  /** Of one process, GiB. */
  readonly memoryGiB?: number | undefined;
  readonly promptTokens?: number | undefined;
  readonly responseTokens?: number | undefined;
}

/** How a person gives each part: in words, as an option, and as a key of a side file. */
export const settingParts = {
  model: { words: 'the model', option: '--model NAME', key: 'model' },
  gpu: { words: 'the GPU model', option: '--gpu MODEL', key: 'gpu' },
  profile: { words: 'the MIG profile', option: '--profile PROFILE', key: 'mig_profile' },
  batch: { words: 'the batch size', option: '--batch N', key: 'batch' },
  processes: { words: 'the number of processes', option: '--processes N', key: 'processes' },
  memoryGiB: { words: 'the memory of a process', option: '--memory-gib N', key: 'memory_gib' },
  promptTokens: { words: 'the length of a prompt', option: '--prompt-tokens N', key: 'prompt_tokens' },
  responseTokens: { words: 'the length of a response', option: '--response-tokens N', key: 'response_tokens' },
} as const satisfies Record<keyof GivenSetting, { readonly words: string; readonly option: string; readonly key: string }>;

/** The setting with the gaps of `first` filled from `second`. */
export function fillGaps(first: GivenSetting, second: GivenSetting): GivenSetting {
  const filled: Record<string, unknown> = { ...second };
  for (const [key, value] of Object.entries(first)) if (value !== undefined) filled[key] = value;
  return filled;
}
