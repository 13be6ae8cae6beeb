import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Files by path, and what they held when they were loaded; undefined where there was nothing to read. */
export type Contents = ReadonlyMap<string, string | undefined>;

const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const ours: Readonly<Record<string, string>> = {
  'beckon/tools': new URL(`../sdk/index.${ending}`, import.meta.url).href,
  'beckon/tools/testing': new URL(`../testing/index.${ending}`, import.meta.url).href,
  'beckon/driver': new URL(`../../drivers/sdk/index.${ending}`, import.meta.url).href,
  'beckon/protocol': new URL(`../../protocol/index.${ending}`, import.meta.url).href,
};

const VERSION = 'beckon';
let versions = 0;
const contentsOf = new Map<string, Map<string, string | undefined>>();

/**
 * The address of a file as it is now: nothing that was imported for an earlier version is used again. `contents` fills as it is
 * imported, with it and with what it imports by a path.
 */
export function freshUrl(file: string): { readonly url: string; readonly contents: Contents } {
  hookOnce();
  versions += 1;
  const contents = new Map([[file, contentOf(file)]]);
  contentsOf.set(String(versions), contents);
  return { url: `${pathToFileURL(file).href}?${VERSION}=${versions}`, contents };
}

/** What a file holds, as far as it matters whether that has changed. */
export function contentOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('base64');
  } catch {
    return undefined;
  }
}

let isHooked = false;

/** The file of a tool or a driver may lie where nothing is installed: what it imports of Beckon is this program's own, and so is `zod` where there is none. */
function hookOnce(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const own = ours[specifier];
      if (own !== undefined) return { url: own, shortCircuit: true };
      const version = versionOf(context.parentURL);
      if (version === undefined) return next(specifier, context);
      if (/^zod($|\/)/.test(specifier)) {
        try {
          return next(specifier, context);
        } catch {
          return next(specifier, { ...context, parentURL: import.meta.url });
        }
      }
      const found = next(specifier, context);
      return isPath(specifier) && isOfAuthor(found.url)
        ? { ...found, url: `${found.url}?${VERSION}=${version}` }
        : found;
    },
    load(url, context, next) {
      const version = versionOf(url);
      if (version === undefined) return next(url, context);
      // Read before Node does: a change in between then looks like one that is not loaded yet, and not like one that is.
      const file = fileURLToPath(url);
      contentsOf.get(version)?.set(file, contentOf(file));
      const isMistaken = context.format === 'commonjs-typescript' && isModule(file);
      return next(url, isMistaken ? { ...context, format: 'module-typescript' } : context);
    },
  });
}

/** Packages say "commonjs" because npm writes that into each new one, not because somebody meant it. */
const isModule = (file: string): boolean =>
  file.endsWith('.ts') &&
  /^(?:import(?!\s+type\b)|export(?!\s+(?:type|interface)\b))[\s{*'"]/m.test(readFileSync(file, 'utf8'));

const isPath = (specifier: string): boolean => /^(\.{0,2}\/|file:)/.test(specifier);
const isOfAuthor = (url: string): boolean =>
  url.startsWith('file:') && !url.includes('/node_modules/') && versionOf(url) === undefined;

function versionOf(url: string | undefined): string | undefined {
  if (url === undefined || !url.startsWith('file:') || !URL.canParse(url)) return undefined;
  return new URL(url).searchParams.get(VERSION) ?? undefined;
}
