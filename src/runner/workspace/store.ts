import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import type { UnrecordedFile } from '../../protocol/changes.ts';
import { accept, messageOf, type Result, refuse } from '../../protocol/errors.ts';
import type { Git, GitCall } from './git.ts';
import { checkVersion, type GitVersion } from './git-version.ts';
import { bytesOf, type PathBytes, pathTold, toldPath } from './path-bytes.ts';
import type { Repository } from './repository.ts';

/** The files of a work tree as they were at one moment. */
export interface Recording {
  readonly id: string;
  readonly tree: string;
  /** What lies there and is not in it, so that nothing is known of it. */
  readonly unrecorded: readonly Unrecorded[];
}

export interface Unrecorded {
  /** With a slash at its end it stands for all below it. */
  readonly path: PathBytes;
  readonly why: UnrecordedFile['why'];
}

/** A file of a recording: its content by id, and its mode as git writes it. */
export interface Entry {
  readonly mode: string;
  readonly blob: string;
}

/** What a path is to become; undefined for nothing. */
export interface Step {
  readonly path: PathBytes;
  readonly to: Entry | undefined;
}

/** Whether nothing is known of this path. */
export function coversPath(unrecorded: readonly Unrecorded[]): (path: PathBytes) => boolean {
  const whole = new Set<string>(unrecorded.map(({ path }) => path));
  return (path) => {
    if (whole.size === 0) return false;
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1))
      if (whole.has(path.slice(0, at + 1))) return true;
    return whole.has(path);
  };
}

/** The private git directory of one work tree: our settings, no hooks, its own index, and every recording by a ref. */
export interface Store {
  readonly repository: Repository;
  readonly gitDir: string;
  /** The second of the newest recording. No two have the same, for the oldest go first. */
  newest: number;
  /** Of git, once the store is prepared. */
  version?: GitVersion;
  /** What git answered; a refusal where it did not do what it was to do. */
  run(args: readonly string[], more?: Partial<GitCall>): Promise<Result<Buffer>>;
  /** The same, for whoever looks at how it ended. */
  call(args: readonly string[], more?: Partial<GitCall>): ReturnType<Git['run']>;
}

export function storeAt(git: Git, gitDir: string, repository: Repository): Store {
  const call = (args: readonly string[], more: Partial<GitCall> = {}) => {
    const isOurIndex = more.index === undefined && more.gitDir === undefined;
    const settings = [...(isOurIndex ? indexSettings(gitDir) : []), ...(more.settings ?? [])];
    return git.run({ gitDir, workTree: repository.workTree, args, ...more, settings });
  };
  return {
    repository,
    gitDir,
    newest: 0,
    call,
    async run(args, more) {
      const { end, output } = await call(args, more);
      if (end === 'done') return accept(output);
      return end === 'closed'
        ? refuse('shutting_down')
        : refuse('git_not_available', `git ${args[0]} ${endings[end]}.`);
    },
  };
}

/** Of a large index only what changed is written anew. The rest is in another file, of which the old ones go after a while. */
function indexSettings(gitDir: string): string[] {
  const isLarge = (statSync(join(gitDir, 'index'), { throwIfNoEntry: false })?.size ?? 0) > largeIndex;
  return isLarge || readdirSync(gitDir).some((name) => name.startsWith(sharedIndex)) ? splitIndex : [];
}

const largeIndex = 200_000;
const sharedIndex = 'sharedindex.';
const splitIndex = ['core.splitIndex=true', 'splitIndex.sharedIndexExpire=1.hour.ago'];

/** Everything is added anew then. */
export async function removeIndex(gitDir: string): Promise<void> {
  const names = (await readdir(gitDir)).filter((name) => name === 'index' || name.startsWith(sharedIndex));
  for (const name of names) await rm(join(gitDir, name), { force: true });
}

const endings = {
  failed: 'failed',
  missing: 'could not be started',
  late: 'took too long',
  long: 'said too much',
} as const;

/** Makes the directory what git takes for one of its own. Again after a kill: each step may have been done. */
export async function prepareStore(store: Store, excludes: Buffer): Promise<Result<void>> {
  const { gitDir } = store;
  for (const folder of ['objects/info', 'objects/pack', 'refs/recordings', 'info'])
    await mkdir(join(gitDir, folder), { recursive: true, mode: 0o700 });
  await clearLeftovers(gitDir);
  await writeFile(join(gitDir, 'config'), storeSettings);
  // No attribute of the repository changes what is stored: bytes are recorded as they are.
  await writeFile(
    join(gitDir, 'info/attributes'),
    '* !filter -text -ident !working-tree-encoding !diff !merge\n',
  );
  await writeFile(join(gitDir, 'info/exclude'), excludes);
  await writeFile(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  for (const folder of ['objects', 'refs']) await mkdir(join(bareDir(gitDir), folder), { recursive: true });
  await writeFile(join(bareDir(gitDir), 'HEAD'), 'ref: refs/heads/none\n');
  const version = await checkVersion(store);
  if (!version.ok) return version;
  store.version = version.value;
  // What is added is compared with it.
  const empty = await store.run(['hash-object', '-w', '--stdin']);
  if (!empty.ok) return empty;
  // Without a ref it would go when the store is tidied.
  await putFile(join(gitDir, 'refs/empty'), empty.value);
  return accept(undefined);
}

/** A git directory without anything: no attribute of ours holds there. */
export const bareDir = (gitDir: string): string => join(gitDir, 'bare');

export const storeSettings = [
  '[core]',
  '\trepositoryformatversion = 0',
  '\tbare = false',
  `\tfilemode = ${process.platform !== 'win32'}`,
  `\tsymlinks = ${process.platform !== 'win32'}`,
  `\tignorecase = ${process.platform !== 'linux'}`,
  `\tprecomposeunicode = ${process.platform === 'darwin'}`,
  '',
].join('\n');

/** What a killed server left: git that still runs on this directory, its locks, and packs that were never finished. */
async function clearLeftovers(gitDir: string): Promise<void> {
  const all = await readdir(gitDir, { recursive: true });
  const left = all.filter((name) => name.endsWith('.lock') || /(^|\/)tmp_/.test(name));
  if (left.length === 0 && !existsSync(journalPath(gitDir))) return;
  await endGitOn(gitDir);
  for (const name of left) await rm(join(gitDir, name), { force: true });
}

/** No other program has this directory among its arguments, and is called git. */
export async function endGitOn(gitDir: string): Promise<void> {
  for (let pids = gitsOn(gitDir); pids.length > 0; pids = gitsOn(gitDir)) {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The processes of git that were started on a git directory, as `git.ts` does. */
export const gitsOn = (gitDir: string): number[] => gitsWhere((named) => named === gitDir);

/** Those on any git directory of a repository, as a worktree has one of its own below it. */
export const gitsIn = (commonDir: string): number[] =>
  gitsWhere((named) => named === commonDir || named.startsWith(`${commonDir}/`));

const gitsWhere = (isMeant: (gitDir: string) => boolean): number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => isGitWhere(isMeant, pid))
        .map(Number)
    : [];

function isGitWhere(isMeant: (gitDir: string) => boolean, pid: string): boolean {
  try {
    if (!/\/git(?: \(deleted\))?$/.test(readlinkSync(`/proc/${pid}/exe`))) return false;
    const option = '--git-dir=';
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return args.some((arg) => arg.startsWith(option) && isMeant(arg.slice(option.length)));
  } catch {
    return false;
  }
}

/** Where a restore that is under way is written down. */
export const journalPath = (gitDir: string): string => join(gitDir, 'restore.json');

/**
 * Keeps a tree as a recording. What is not in it goes into the message, so that both are one object. It is written here, as git would:
 * two programs fewer are started for each recording. HEAD follows, for git lists what differs from it.
 */
export async function keepTree(
  store: Store,
  tree: string,
  unrecorded: readonly Unrecorded[],
): Promise<Result<Recording>> {
  const message = JSON.stringify({ unrecorded: unrecorded.map(({ path, why }) => [toldPath(path), why]) });
  const { gitDir } = store;
  store.newest = Math.max(Math.floor(Date.now() / 1_000), store.newest + 1);
  const who = `Beckon <beckon@localhost> ${store.newest} +0000`;
  const text = Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\n${message}`);
  const object = Buffer.concat([Buffer.from(`commit ${text.length}\0`), text]);
  const id = createHash('sha1').update(object).digest('hex');
  try {
    const folder = join(gitDir, 'objects', id.slice(0, 2));
    await mkdir(folder, { recursive: true });
    await putFile(join(folder, id.slice(2)), await deflated(object));
    await putFile(join(gitDir, refOf(id)), `${id}\n`);
    await putFile(join(gitDir, 'HEAD'), `${id}\n`);
  } catch (error) {
    return refuse('git_not_available', `The recording could not be kept: ${messageOf(error)}`);
  }
  return accept({ id, tree, unrecorded });
}

const deflated = promisify(deflate);

/** Whole or not at all. */
async function putFile(path: string, content: Buffer | string): Promise<void> {
  const aside = join(dirname(path), `tmp_${randomUUID()}`);
  await writeFile(aside, content, { mode: 0o600 });
  await rename(aside, path);
}

/** The tree in which these paths are replaced, made in an index of its own. */
export async function treeWith(
  store: Store,
  tree: string,
  steps: readonly Step[],
  { mayLack = false } = {},
): Promise<Result<string>> {
  const index = join(store.gitDir, 'index.target');
  const read = await store.run(['read-tree', tree], { index });
  if (!read.ok) return read;
  // What goes makes room first: a file can take the place of a folder.
  const lines = [...steps]
    .sort((one, other) => Number(one.to !== undefined) - Number(other.to !== undefined))
    .map(({ path, to }) => `${to?.mode ?? '0'} ${to?.blob ?? '0'.repeat(40)}\t${path}\0`);
  const input = bytesOf(lines.join(''));
  const replaced = await store.run(['update-index', '-z', '--index-info'], { index, input });
  if (!replaced.ok) return replaced;
  const written = await store.run(['write-tree', ...(mayLack ? ['--missing-ok'] : [])], { index });
  return written.ok ? accept(written.value.toString().trim()) : written;
}

export const isRecordingKept = (gitDir: string, id: string): boolean => existsSync(join(gitDir, refOf(id)));

const refOf = (id: string): string => `refs/recordings/${id}`;

export async function findRecording(store: Store, id: string): Promise<Result<Recording>> {
  if (!/^[0-9a-f]{40}$/.test(id)) return refuse('recording_not_found');
  const found = await store.call(['cat-file', 'commit', refOf(id)]);
  if (found.end === 'closed') return refuse('shutting_down');
  const text = found.output.toString();
  const tree = /^tree ([0-9a-f]{40})$/m.exec(text)?.[1];
  const told = text.slice(text.indexOf('\n\n') + 2);
  if (found.end !== 'done' || tree === undefined) return refuse('recording_not_found');
  const { unrecorded } = JSON.parse(told) as { unrecorded: [string, Unrecorded['why']][] };
  return accept({
    id,
    tree,
    unrecorded: unrecorded.flatMap(([path, why]) => {
      const bytes = pathTold(path);
      return bytes === undefined ? [] : [{ path: bytes, why }];
    }),
  });
}

const mostLoose = 4_000;
const mostPacks = 40;

/** Packs what is scattered, and gives up the oldest recordings while more is kept than may be. The newest two always stay. */
export async function tidyStore(store: Store, mostBytes: number): Promise<Result<void>> {
  for (let isPacked = false; ; isPacked = true) {
    const size = await sizeOf(store);
    if (!size.ok) return size;
    const { bytes, loose, packs } = size.value;
    if (!isPacked && (loose > mostLoose || packs > mostPacks || bytes > mostBytes)) {
      // Only where room is short are contents held against each other, which takes long.
      const how = bytes > mostBytes ? ['-a'] : packs > mostPacks ? ['-a', '--window=0'] : [];
      const packed = await repack(store, how);
      if (!packed.ok) return packed;
      continue;
    }
    if (bytes <= mostBytes) return accept(undefined);
    const refs = await store.run([
      'for-each-ref',
      '--sort=creatordate',
      '--format=%(refname)',
      'refs/recordings',
    ]);
    if (!refs.ok) return refs;
    const names = refs.value.toString().split('\n').filter(Boolean);
    // By the clock another may be the newest, where it was set back.
    const newest = refOf((await readFile(join(store.gitDir, 'HEAD'), 'utf8')).trim());
    const oldest = names
      .slice(0, Math.min(Math.ceil(names.length / 2), names.length - 2))
      .filter((name) => name !== newest);
    if (oldest.length === 0) return accept(undefined);
    const input = oldest.map((name) => `delete ${name}\n`).join('');
    const dropped = await store.run(['update-ref', '--stdin'], { input });
    const packed = dropped.ok ? await repack(store, ['-a']) : dropped;
    if (!packed.ok) return packed;
  }
}

async function repack(store: Store, how: readonly string[]): Promise<Result<Buffer>> {
  const packed = await store.run(['repack', '-d', '-q', ...how], { longestMs: 10 * 60_000 });
  return packed.ok ? store.run(['prune', '--expire=now'], { longestMs: 10 * 60_000 }) : packed;
}

async function sizeOf(store: Store): Promise<Result<{ bytes: number; loose: number; packs: number }>> {
  const counted = await store.run(['count-objects', '-v']);
  if (!counted.ok) return counted;
  const told = counted.value.toString();
  const number = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(told)?.[1] ?? 0);
  const bytes = 1024 * (number('size') + number('size-pack') + number('size-garbage'));
  return accept({ bytes, loose: number('count'), packs: number('packs') });
}

export async function readJournal(gitDir: string): Promise<unknown> {
  const text = await readFile(journalPath(gitDir), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}
