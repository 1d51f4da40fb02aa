/** GPUs that a strategy adds before other work gets a turn. */
const gpusBetweenPauses = 200;

/** Ends the current turn of the event loop, without which neither a time limit nor Ctrl-C can reach a long search. */
export function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Lets others run every so many GPUs. */
export function pauseAt(gpuCount: number): Promise<void> | undefined {
  return gpuCount % gpusBetweenPauses === 0 ? letOthersRun() : undefined;
}
