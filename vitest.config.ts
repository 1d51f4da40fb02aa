import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 30_000 } },
      { test: { name: 'whole', include: ['test/**/*.test.ts'], testTimeout: 60_000 } },
    ],
  },
});
