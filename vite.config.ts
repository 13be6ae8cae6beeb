import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Of the table of operations the page needs how to ask; what is said about them, and how they may refuse, is for documents. */
const operationsInShort: Plugin = {
  name: 'operations-in-short',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('/src/protocol/operation.ts')
      ? code.replace(/^ +(summary:\s*(['"]).*?\2|refusals: (\[[^\]]*\]|\w+)|replies: \{ .*? \}),$/gms, '')
      : undefined,
};

export default defineConfig({
  root: here('./src/web'),
  // The server puts the path in front under which the page is served.
  base: './',
  plugins: [operationsInShort, react(), tailwindcss()],
  // The highlighter fetches its grammars one by one, which only modules can.
  worker: { format: 'es' },
  build: {
    outDir: here('./dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy of the page forbids what would be inlined as a style or script.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What is needed at once comes in one file, not in thirty small ones that pages happen to share.
        codeSplitting: {
          groups: [{ name: firstLoad, debugName: 'first-load', includeDependenciesRecursively: false }],
        },
      },
    },
  },
});

interface ModuleInfos {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

/** Names the chunk of modules that the page's entry imports, directly or not, without an `import()` in between. */
function firstLoad(id: string, modules: ModuleInfos): string | null {
  const entry = here('./src/web/main.tsx');
  const seen = new Set<string>();
  const reaches = (module: string): boolean => {
    if (module === entry) return true;
    if (seen.has(module)) return false;
    seen.add(module);
    return modules.getModuleInfo(module)?.importers.some(reaches) ?? false;
  };
  return id !== entry && reaches(id) ? 'first-load' : null;
}
