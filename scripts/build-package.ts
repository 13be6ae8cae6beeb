import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { build } from 'vite';
import { buildWeb } from './build-web.ts';

const root = resolve(import.meta.dirname, '..');
const output = join(root, 'dist');

/** Makes what is published: the page, the program as plain JavaScript, and the types of what can be imported. */
async function buildPackage(): Promise<void> {
  await buildWeb();
  await removeEarlierBuild();
  await declareTypes();
  await keepPublicTypes();
  await bundle();
}

async function removeEarlierBuild(): Promise<void> {
  for (const name of await readdir(output)) {
    if (name !== 'web') await rm(join(output, name), { recursive: true });
  }
}

/** Also finds what does not compile. */
async function declareTypes(): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile);
  await run(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')]).catch(
    ({ stdout, message }: { stdout?: string; message: string }) => {
      throw new Error(stdout || message);
    },
  );
}

/**
 * Puts the files together: each costs a start half a millisecond, and there are hundreds. Those that others start or import by name,
 * and those that look for files beside them, stay where they are.
 */
async function bundle(): Promise<void> {
  const { exports: entries, dependencies } = await manifest();
  const named = Object.values(entries).flatMap((entry) => (typeof entry === 'object' ? [entry.default] : []));
  const imported = named.map((file) => file.replace(/^\.\/dist\/|\.js$/g, ''));
  const apart = await modulesThatLookAround();
  await build({
    configFile: false,
    publicDir: false,
    root,
    logLevel: 'warn',
    // Of Zod a tenth is used, and the rest is a hundred files.
    ssr: { external: Object.keys(dependencies).filter((name) => name !== 'zod'), noExternal: ['zod'] },
    build: {
      ssr: true,
      target: 'node22',
      minify: false,
      outDir: output,
      emptyOutDir: false,
      rolldownOptions: {
        input: Object.fromEntries([...imported, ...started].map((name) => [name, sourceOf(name)])),
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: ({ name }) => (name.includes('/') ? '[name].js' : 'lib/[name].js'),
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: apart.map((name) => ({ name, test: (id) => id === sourceOf(name) })),
          },
        },
      },
    },
  });
}

/** What is run as a program, or as a thread, of its own. */
const started = ['cli/main', 'log/checkpoint-thread', 'drivers/demo/program/main'];

const sourceOf = (name: string): string => join(root, 'src', `${name}.ts`);

async function modulesThatLookAround(): Promise<string[]> {
  const files = await readdir(join(root, 'src'), { recursive: true });
  const names = files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('web'))
    .map((file) => file.slice(0, -3));
  const texts = await Promise.all(names.map((name) => readFile(sourceOf(name), 'utf8')));
  return names.filter((_, index) => texts[index]?.includes('import.meta.'));
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

async function manifest(): Promise<Manifest> {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
}

/** Types that no entry leads to would be a third of the package. */
async function keepPublicTypes(): Promise<void> {
  const { exports: entries } = await manifest();
  const isPublic = new Set<string>();
  for (const entry of Object.values(entries)) {
    if (typeof entry === 'object') await take(join(root, entry.types), isPublic);
  }
  for (const file of await readdir(output, { recursive: true })) {
    const path = join(output, file);
    if (file.endsWith('.d.ts') && !isPublic.has(path)) await rm(path);
  }
}

/** The compiler leaves the names of the sources in declarations, and there are none where these go. */
async function take(file: string, taken: Set<string>): Promise<void> {
  if (taken.has(file)) return;
  taken.add(file);
  const text = await readFile(file, 'utf8');
  const imported = /((?:from |import\()['"]\.[^'"]*)\.ts(?=['"])/g;
  await writeFile(file, text.replaceAll(imported, '$1.js'));
  for (const [, named = ''] of text.matchAll(imported)) {
    const path = named.replace(/^.*['"]/, '');
    await take(join(dirname(file), `${path}.d.ts`), taken);
  }
}

await buildPackage();
