import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 30_000 } },
      { test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: ['test/cluster/**'], testTimeout: 60_000 } },
      // Each file has a control plane of its own, whose processes share the machine's cores with the test.
      { test: { name: 'cluster', include: ['test/cluster/**/*.test.ts'], testTimeout: 60_000, maxConcurrency: 20 } },
    ],
  },
});
