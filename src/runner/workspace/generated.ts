import { lstatSync } from 'node:fs';
import { accept, type Result } from '../../protocol/errors.ts';
import { bytesOf, type PathBytes, partsIn } from './path-bytes.ts';
import { placeOf } from './recording.ts';
import type { Store } from './store.ts';
import { inTurns } from './turns.ts';

/** Those that a program has written: lock files, bundles, and what `.gitattributes` calls so; it can also say that one is not. */
export async function generatedAmong(
  store: Store,
  paths: readonly PathBytes[],
): Promise<Result<ReadonlySet<PathBytes>>> {
  const generated = new Set<PathBytes>();
  await inTurns(function* () {
    for (const path of paths) {
      if (isGeneratedName(path)) generated.add(path);
      yield;
    }
  });
  if (!(await hasAttributes(store, paths))) return accept(generated);
  // Without an index: attributes of files that are not there do not matter.
  const told = await store.run(['check-attr', '-z', '--stdin', attribute], {
    input: bytesOf(`${paths.join('\0')}\0`),
    index: `${store.gitDir}/index.none`,
  });
  if (!told.ok) return told;
  const parts = await partsIn(told.value);
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path, value] = [parts[at], parts[at + 2] ?? ''];
    if (path === undefined || value === 'unspecified') continue;
    if (value === 'set' || value === 'true') generated.add(path);
    else generated.delete(path);
  }
  return accept(generated);
}

const attribute = 'linguist-generated';

/** Whether a `.gitattributes` may say something of one of these. */
export async function hasAttributes({ repository }: Store, paths: readonly PathBytes[]): Promise<boolean> {
  const seen = new Set<string>();
  let isThere = false;
  await inTurns(function* () {
    for (const path of paths) {
      // From its folder upwards, until one that was looked at.
      for (let at = path.lastIndexOf('/'); ; at = path.lastIndexOf('/', at - 1)) {
        const folder = path.slice(0, at + 1);
        if (seen.has(folder)) break;
        seen.add(folder);
        isThere = hasFile(placeOf(repository.workTree, `${folder}.gitattributes`));
        if (isThere) return;
        if (at <= 0) break;
      }
      yield;
    }
  });
  return isThere;
}

function hasFile(place: Buffer): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

const isGeneratedName = (path: string): boolean => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return lockFiles.has(name) || generatedName.test(name);
};

const lockFiles: ReadonlySet<string> = new Set([
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'],
  ...['deno.lock', 'Cargo.lock', 'go.sum', 'go.work.sum', 'composer.lock', 'Gemfile.lock', 'Podfile.lock'],
  ...['poetry.lock', 'uv.lock', 'pdm.lock', 'Pipfile.lock', 'pixi.lock', 'conda-lock.yml', 'mix.lock'],
  ...['pubspec.lock', 'flake.lock', 'packages.lock.json', 'gradle.lockfile', 'Package.resolved'],
  ...['.terraform.lock.hcl', 'MODULE.bazel.lock', 'Manifest.toml'],
]);

const generatedName =
  /\.min\.(?:js|mjs|cjs|css)$|\.(?:js|mjs|cjs|css)\.map$|\.pb\.(?:go|cc|h)$|_pb2(?:_grpc)?\.pyi?$|\.g\.dart$|\.freezed\.dart$|\.designer\.cs$/i;
