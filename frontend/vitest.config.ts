import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    css: true,
    include: [
      'views/src/**/*.test.ts',
      'app/src/**/*.test.ts',
      'widget/src/**/*.test.ts',
      'e2e/*.test.ts',
    ],
  },
});
