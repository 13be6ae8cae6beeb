import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { sourceAliases } from '../support/source-package.ts';

/** What takes minutes, or needs nats-server: thousands of seeds, every contract over the link. */
export default defineConfig({
  root: join(import.meta.dirname, '..', '..'),
  resolve: { alias: sourceAliases },
  test: {
    reporters: ['default', join(import.meta.dirname, '../support/skipped-reporter.ts')],
    include: ['test/cluster/long/**/*.test.ts'],
    // Thousands of seeds are one test.
    testTimeout: 300_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
