import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';

const root = resolve(import.meta.dirname, '..');
const output = join(root, 'dist/web');
const mark = join(output, '.built-from');
/** Everything that the page is made of. */
const sources = ['src/web', 'src/client', 'src/protocol', 'src/model', 'vite.config.ts', 'package-lock.json'];

/** Builds the page unless it is there and was built from the very sources that are here. */
export async function buildWeb(): Promise<'built' | 'fresh'> {
  const fingerprint = await fingerprintOf(sources);
  if (fingerprint === (await readFile(mark, 'utf8').catch(() => ''))) return 'fresh';
  await inProduction(async () => {
    const { build } = await import('vite');
    await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  });
  await mkdir(output, { recursive: true });
  await writeFile(mark, fingerprint);
  return 'built';
}

/** Tests build the page in an environment of their own, and it is the one that is then served: it must not have React for developers in it. */
async function inProduction(work: () => Promise<void>): Promise<void> {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

async function fingerprintOf(places: readonly string[]): Promise<string> {
  const files = (await Promise.all(places.map((place) => filesIn(join(root, place))))).flat().sort();
  const hash = createHash('sha256');
  for (const file of files) {
    hash.update(relative(root, file)).update('\0');
    hash.update(await readFile(file)).update('\0');
  }
  return hash.digest('hex');
}

async function filesIn(place: string): Promise<string[]> {
  const found = await stat(place).catch(() => undefined);
  if (found === undefined) return [];
  if (found.isFile()) return [place];
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

if (import.meta.main) {
  const began = performance.now();
  try {
    const what = await buildWeb();
    if (what === 'built')
      process.stderr.write(`The page is built (${((performance.now() - began) / 1000).toFixed(1)} s).\n`);
  } catch (error) {
    // The server is of use without its page: to programs, and in a terminal.
    process.stderr.write(`The page could not be built, so only the API is served: ${String(error)}\n`);
    if (process.argv.includes('--strict')) process.exitCode = 1;
  }
}
