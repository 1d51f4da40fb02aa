import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      // Hundreds of small files: a process for each would take longer than their tests.
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 30_000, isolate: false } },
      { test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: ['test/cluster/**'], testTimeout: 60_000 } },
      // Each file has a control plane of its own, whose processes share the machine's cores with the test.
      { test: { name: 'cluster', include: ['test/cluster/**/*.test.ts'], testTimeout: 60_000, maxConcurrency: 20 } },
    ],
  },
});
