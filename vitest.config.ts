import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { patienceMs, testTimeoutMs } from './test/support/patience.ts';
import { sourceAliases } from './test/support/source-package.ts';

const common = {
  exclude: [
    '**/node_modules/**',
    'test/real-agents/**',
    'test/other-agents/**',
    'test/package/**',
    'test/cluster/long/**',
  ],
  testTimeout: testTimeoutMs,
  hookTimeout: testTimeoutMs,
  // What is waited for comes late on a machine that has other work: one second, the default, is luck.
  expect: { poll: { timeout: patienceMs } },
  pool: 'forks' as const,
  // A file waits for processes and pages most of its time, and works for less than half of it.
  maxWorkers: 2 * availableParallelism(),
  // A worker runs file after file with what is loaded already, and with one browser.
  isolate: false,
};

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    reporters: ['default', './test/support/skipped-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          ...common,
          name: 'node',
          include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
          exclude: [...common.exclude, 'test/web/**'],
        },
      },
      {
        // The parts of the page, in a document without a browser.
        extends: true,
        test: {
          ...common,
          name: 'web',
          include: ['test/web/**/*.test.{ts,tsx}'],
          exclude: [...common.exclude, 'test/web/browser/**'],
          environment: 'happy-dom',
          // What a module holds of the document must not outlive it.
          isolate: true,
          setupFiles: ['test/web/support/set-up.ts'],
        },
      },
      {
        // The built page in a real browser, on the real server.
        extends: true,
        test: {
          ...common,
          name: 'browser',
          include: ['test/web/browser/**/*.test.ts'],
          globalSetup: ['test/web/browser/build-page.ts'],
        },
      },
    ],
  },
});
