import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

/** The entries of the published package, each with the source it is built from. */
const sources = Object.entries(entries).flatMap(([name, entry]) =>
  typeof entry === 'string' ? [] : [[name, entry.default.replace('/dist/', '/src/').replace(/js$/, 'ts')]],
) as [name: string, source: string][];

/** For the tests themselves, which import Beckon by its name without its having been built. */
export const sourceAliases = sources.map(([name, source]) => ({
  find: new RegExp(`^${join('beckon', name)}$`),
  replacement: join(root, source),
}));

/** Makes Beckon a package of that folder, as if it had been built and installed there. */
export function linkSource(folder: string): void {
  const place = join(folder, 'node_modules/beckon');
  mkdirSync(place, { recursive: true });
  symlinkSync(join(root, 'src'), join(place, 'src'));
  const description = { name: 'beckon', type: 'module', exports: Object.fromEntries(sources) };
  writeFileSync(join(place, 'package.json'), JSON.stringify(description));
}
