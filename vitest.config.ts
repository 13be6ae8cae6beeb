import { defineConfig } from 'vitest/config';
import { sourceAliases } from './test/support/source-package.ts';

const common = {
  exclude: ['**/node_modules/**', 'test/real-agents/**', 'test/package/**'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  pool: 'forks' as const,
};

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
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
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // One browser at a time: they are large, and machines are small.
          fileParallelism: false,
        },
      },
    ],
  },
});
