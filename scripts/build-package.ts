import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { buildWeb } from './build-web.ts';

const root = resolve(import.meta.dirname, '..');
const output = join(root, 'dist');

/** Makes what is published: the page, the program as plain JavaScript, and the types of what can be imported. */
async function buildPackage(): Promise<void> {
  await buildWeb();
  await removeEarlierBuild();
  await compile();
  await keepPublicTypes();
}

async function removeEarlierBuild(): Promise<void> {
  for (const name of await readdir(output)) {
    if (name !== 'web') await rm(join(output, name), { recursive: true });
  }
}

async function compile(): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const run = promisify(execFile);
  await run(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')]).catch(
    ({ stdout, message }: { stdout?: string; message: string }) => {
      throw new Error(stdout || message);
    },
  );
}

/** Types that no entry leads to would be a third of the package. */
async function keepPublicTypes(): Promise<void> {
  const { exports: entries } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
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
