import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { accept, type Result } from '../../protocol/errors.ts';
import { blobsOf, type EntryChange, linkMode, sizesOf } from './entries.ts';
import { hasAttributes } from './generated.ts';
import { bytesOf, type PathBytes, partsIn } from './path-bytes.ts';
import { bareDir, type Entry, type Store } from './store.ts';
import { inTurns } from './turns.ts';

/** More than this is not read for it; then a file counts as changed. */
const mostBytes = 128 * 1024 * 1024;

/**
 * Files that differ from the commit in their bytes alone, because git was to write them otherwise than they are committed: contents that
 * LFS keeps elsewhere, line ends as `.gitattributes` wants them, and files left out of a sparse checkout. Nothing is run for it: a
 * content is known by its hash, and line ends are compared here.
 */
export async function unconverted(
  store: Store,
  changes: readonly EntryChange[],
): Promise<Result<ReadonlySet<PathBytes>>> {
  const same = new Set<PathBytes>();
  const leftOut = await leftOutAmong(store, changes);
  if (!leftOut.ok) return leftOut;
  for (const path of leftOut.value) same.add(path);

  const edited = changes.flatMap(({ path, before, after }) =>
    before?.mode === after?.mode && before && after && after.mode !== linkMode
      ? [{ path, before, after }]
      : [],
  );
  const paths = edited.map(({ path }) => path);
  if (edited.length === 0 || !(await hasAttributes(store, paths))) return accept(same);
  const sizes = await sizesOf(store, [...edited.flatMap(({ before, after }) => [before.blob, after.blob])]);
  if (!sizes.ok) return sizes;
  const crlf = await withCrlf(store, paths);
  if (!crlf.ok) return crlf;
  const sizeOf = ({ blob }: Entry): number => sizes.value.get(blob) ?? Number.POSITIVE_INFINITY;
  let read = 0;
  for (const { path, before, after } of edited) {
    const mayBePointer = sizeOf(before) < mostPointerBytes && sizeOf(before) > leastPointerBytes;
    const mayHaveCrlf = crlf.value.has(path) && sizeOf(after) > sizeOf(before);
    if (!mayBePointer && !mayHaveCrlf) continue;
    read += sizeOf(before) + sizeOf(after);
    if (read > mostBytes) break;
    const contents = await blobsOf(store, [before.blob, after.blob]);
    if (!contents.ok) return contents;
    const [old, fresh] = contents.value;
    if (old === undefined || fresh === undefined) continue;
    const isSame =
      (mayBePointer && (await isPointerTo(old, fresh))) || (mayHaveCrlf && isWithCrlf(old, fresh));
    if (isSame) same.add(path);
  }
  return accept(same);
}

const [leastPointerBytes, mostPointerBytes] = [100, 1024];

/** Whether the one is what LFS commits in place of the other. */
async function isPointerTo(old: Buffer, fresh: Buffer): Promise<boolean> {
  const pointer =
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.+\n)*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n$/;
  const [, oid, size] = pointer.exec(old.toString('latin1')) ?? [];
  if (oid === undefined || Number(size) !== fresh.length) return false;
  const hash = createHash('sha256');
  await inTurns(function* () {
    for (let at = 0; at < fresh.length; at += pieceBytes) {
      hash.update(fresh.subarray(at, at + pieceBytes));
      yield;
    }
  });
  return hash.digest('hex') === oid;
}

const pieceBytes = 1024 * 1024;

const isWithCrlf = (old: Buffer, fresh: Buffer): boolean => {
  const text = old.toString('latin1');
  return !text.includes('\r') && text.replaceAll('\n', '\r\n') === fresh.toString('latin1');
};

/** Those that `.gitattributes` wants with these line ends. Asked in a git directory where nothing overrules it. */
async function withCrlf(store: Store, paths: readonly PathBytes[]): Promise<Result<Set<PathBytes>>> {
  const told = await store.run(['check-attr', '-z', '--stdin', 'eol'], {
    gitDir: bareDir(store.gitDir),
    input: bytesOf(`${paths.join('\0')}\0`),
  });
  if (!told.ok) return told;
  const parts = await partsIn(told.value);
  return accept(new Set(parts.filter((_, at) => at % 3 === 0 && parts[at + 2] === 'crlf')));
}

/** Files that are gone because the person has only a part of the repository checked out, as their index says. */
async function leftOutAmong(
  { repository, call }: Store,
  changes: readonly EntryChange[],
): Promise<Result<PathBytes[]>> {
  const gone = new Set(changes.flatMap(({ path, after }) => (after === undefined ? [path] : [])));
  const isSparse = await access(join(repository.gitDir, 'info/sparse-checkout')).then(
    () => true,
    () => false,
  );
  if (gone.size === 0 || !isSparse) return accept([]);
  const { end, output } = await call(['ls-files', '-t', '-z'], {
    index: join(repository.gitDir, 'index'),
    objects: join(repository.commonDir, 'objects'),
  });
  // An index that cannot be read says nothing.
  const lines = end === 'done' ? await partsIn(output) : [];
  const leftOut: PathBytes[] = [];
  await inTurns(function* () {
    for (const line of lines) {
      const path = line.slice(2) as PathBytes;
      if (line.startsWith('S ') && gone.has(path)) leftOut.push(path);
      yield;
    }
  });
  return accept(leftOut);
}
