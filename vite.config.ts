import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const codeLines =
  /\/src\/(model\/diff-lines|web\/(diff\/patch|markdown\/(highlight\/(highlighter|language|use)|code-|copy-)|pages\/session\/use-virtual))|node_modules\/diff\//;

export default defineConfig({
  root: here('./src/web'),
  // The server puts the path in front under which the page is served.
  base: './',
  plugins: [operationsForCalls(), iconsByFile(), react(), tailwindcss(), pushWorker()],
  // The highlighter fetches its grammars one by one, which only modules can.
  worker: { format: 'es' },
  build: {
    outDir: here('./dist/web'),
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy of the page forbids what would be inlined as a style or script.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // The bundler warns by the size before compression; what the first load may take, compressed, is tested.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        // What is needed at once comes in one file, not in thirty small ones that pages happen to share.
        codeSplitting: {
          groups: [
            { name: firstLoad, debugName: 'first-load', includeDependenciesRecursively: false },
            {
              name: 'icons',
              test: /lucide-react\/dist\/esm\/icons\//,
              includeDependenciesRecursively: false,
            },
            // What several later parts draw lines of code with; the first load names each file that they consist of.
            { name: 'code-lines', test: codeLines, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});

/** The worker that shows notifications: one classic script under a name that stays, for not all browsers take modules there. */
function pushWorker(): Plugin {
  return {
    name: 'push-worker',
    apply: 'build',
    async generateBundle() {
      const built = await build({
        configFile: false,
        logLevel: 'warn',
        plugins: [operationsForCalls()],
        build: {
          write: false,
          target: 'es2023',
          lib: { entry: here('./src/web/worker/worker.ts'), formats: ['iife'], name: 'worker' },
        },
      });
      const [output] = Array.isArray(built) ? built : [built];
      const script = output !== undefined && 'output' in output ? output.output[0].code : undefined;
      if (script === undefined) throw new Error('The worker was not built.');
      this.emitFile({ type: 'asset', fileName: 'worker.js', source: script });
    },
  };
}

/**
 * A page that only calls needs of each operation neither its words nor its replies and refusals, nor whether it decides, and of an
 * error not what it means.
 */
function operationsForCalls(): Plugin {
  const words =
    /^ {4}(summary:\s+('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|refusals: (\[[^\]]*\]|\w+)|replies: \{[^}]*\}|decides: (true|\[[^\]]*\])),$/gm;
  const meanings = /(\bmeaning:\s+)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g;
  return {
    name: 'operations-for-calls',
    enforce: 'pre',
    transform(code, id) {
      if (/\/src\/protocol\/(server-)?operation\.ts$/.test(id))
        return { code: code.replace(words, ''), map: null };
      // The server's sentences come with its refusals.
      if (/\/src\/protocol\/errors\.ts$/.test(id)) return { code: code.replace(meanings, "$1''"), map: null };
      return null;
    },
  };
}

/**
 * Takes each icon from its own file. By way of the file that names them all, an icon that only a later part shows would count as imported
 * by whatever shows any icon at all, and be part of the first load.
 */
function iconsByFile(): Plugin {
  const folder = here('./node_modules/lucide-react/dist/esm/');
  const files = new Map<string, string>();
  for (const [, names = '', file = ''] of readFileSync(`${folder}lucide-react.mjs`, 'utf8').matchAll(
    /^export \{ (.+) \} from '\.\/(icons\/[^']+)';$/gm,
  ))
    for (const [, name = ''] of names.matchAll(/default as (\w+)/g)) files.set(name, file);
  return {
    name: 'icons-by-file',
    enforce: 'pre',
    apply: 'build',
    transform: (code, id) =>
      id.includes('/src/web/') && code.includes("from 'lucide-react'")
        ? {
            code: code.replace(/^import \{([^}]+)\} from 'lucide-react';$/gm, (_, names: string) =>
              names
                .split(',')
                .map((name) => name.trim())
                .filter((name) => name !== '' && !name.startsWith('type '))
                .map((name) => `import ${name} from '${folder}${files.get(name)}';`)
                .join(' '),
            ),
            map: null,
          }
        : null,
  };
}

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
