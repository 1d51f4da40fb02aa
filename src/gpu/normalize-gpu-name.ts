/**
 * A GPU name as it is compared: letters and digits only, lower case, without a leading NVIDIA and without what feature discovery
 * adds to a product (`-MIG-<profile>`, `-SHARED`).
 */
export function normalizeGpuName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/-shared$/, '')
    .replace(/-mig-\d+g\.\d+gb[a-z.+-]*$/, '')
    .replace(/^nvidia[\s_-]+/, '')
    .replace(/[^\p{Letter}\p{Number}]/gu, '');
}
