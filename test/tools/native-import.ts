import type { ImportModule } from '../../src/tools/host/load-file.ts';

// The test runner loads modules by itself. What stands in a data address it leaves to Node, and so also what is imported there.
const { importModule } = (await import(
  'data:text/javascript,export const importModule = (url) => import(url);' as string
)) as { importModule: ImportModule };

/** Imports a module as the server does, with Node's own loader. */
export const nativeImport: ImportModule = importModule;
