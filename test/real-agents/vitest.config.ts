import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from '../support/source-package.ts';

export default defineConfig({
  root: join(import.meta.dirname, '..', '..'),
  resolve: { alias: sourceAliases },
  test: {
    include: ['test/real-agents/**/*.test.ts', 'test/package/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // Some of them are answered in the page.
    globalSetup: ['test/web/browser/build-page.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
