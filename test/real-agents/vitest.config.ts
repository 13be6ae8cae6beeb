import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from '../support/source-package.ts';

export default defineConfig({
  root: join(import.meta.dirname, '..', '..'),
  resolve: { alias: sourceAliases },
  test: {
    reporters: ['default', join(import.meta.dirname, '../other-agents/agents-table-reporter.ts')],
    include: ['test/real-agents/**/*.test.ts', 'test/other-agents/**/*.test.ts', 'test/package/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // Some of them are answered in the page.
    globalSetup: ['test/web/browser/build-page.ts'],
    // Real programs on a machine that others use, too: whatever a test waits for says sooner what did not come.
    testTimeout: 120_000,
    env: { BECKON_TEST_PATIENCE_MS: '100000' },
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
