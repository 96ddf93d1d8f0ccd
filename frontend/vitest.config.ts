import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    css: true,
    // Properties over many random graphs take seconds on a loaded machine.
    testTimeout: 60_000,
    include: [
      'views/src/**/*.test.ts',
      'app/src/**/*.test.ts',
      'widget/src/**/*.test.ts',
      'e2e/*.test.ts',
    ],
  },
});
