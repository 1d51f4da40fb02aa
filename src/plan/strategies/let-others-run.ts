/** Ends the current turn of the event loop, without which neither a time limit nor Ctrl-C can reach a long search. */
export function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
