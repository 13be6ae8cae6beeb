import { constants } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { WorkPlace } from '../../engine/ports/workspace.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { checkDirectory, isWithin } from '../directory.ts';
import { headOf } from '../git-branch.ts';

/** A work tree, and where its repository keeps what concerns it. All paths are real. */
export interface Repository {
  readonly workTree: string;
  readonly gitDir: string;
  /** The same, or that of which this is a worktree. */
  readonly commonDir: string;
}

/** The repository in which a session works. It is found by its files: git is never asked about a git directory that is not ours. */
export async function repositoryOf(place: WorkPlace, home = homedir()): Promise<Result<Repository>> {
  const checked = checkDirectory(place);
  if (!checked.ok) return checked;
  const { real } = checked.value;
  const roots = await Promise.all(place.roots.map((root) => realOr(resolve(root))));
  for (let at = real; ; at = dirname(at)) {
    const isAllowed = roots.length === 0 || roots.some((root) => isWithin(at, root));
    if (!isAllowed) break;
    if ((await headOf(at)) !== undefined) return recordable(at, home);
    if (at === dirname(at)) break;
  }
  return refuse('no_repository', `"${checked.value.path}" is in no git repository.`, { field: 'cwd' });
}

/** Somebody's whole home is a repository now and then; all of it, with every key in it, is not to be copied. */
async function recordable(workTree: string, home: string): Promise<Result<Repository>> {
  if (isWithin(await realOr(home), workTree))
    return refuse('directory_too_wide', `"${workTree}" holds the home directory.`, { field: 'cwd' });
  const dotGit = join(workTree, '.git');
  const elsewhere = /^gitdir: (.+)$/m.exec((await smallFile(dotGit))?.toString() ?? '')?.[1];
  const gitDir = elsewhere === undefined ? dotGit : resolve(workTree, elsewhere);
  const common = (await smallFile(join(gitDir, 'commondir')))?.toString().trim();
  return accept({ workTree, gitDir, commonDir: common === undefined ? gitDir : resolve(gitDir, common) });
}

/**
 * The commit that is checked out; undefined before the first one. Read from the files, like all that is asked of a git directory that is
 * not ours.
 */
export async function headCommit({ gitDir, commonDir }: Repository): Promise<Result<string | undefined>> {
  let name = 'HEAD';
  for (let links = 0; links < mostLinks; links += 1) {
    const folder = name === 'HEAD' || ownRefs.test(name) ? gitDir : commonDir;
    const text = (await smallFile(join(folder, name)))?.toString().trim();
    const [, next, commit] = /^(?:ref:\s*(refs\/\S+)|([0-9a-f]{40}|[0-9a-f]{64}))$/.exec(text ?? '') ?? [];
    if (next !== undefined && !next.split('/').some((part) => /^\.|^$/.test(part))) {
      name = next;
      continue;
    }
    const found = commit ?? (text === undefined ? await packedRef(commonDir, name) : 'nothing known');
    if (found === undefined && name !== 'HEAD') return accept(undefined);
    if (found?.length === 64)
      return refuse(
        'commit_unreadable',
        'This repository names its commits by SHA-256, which is not read here.',
      );
    return found?.length === 40 ? accept(found) : refuse('commit_unreadable');
  }
  return refuse('commit_unreadable');
}

const mostLinks = 5;
/** Of these each worktree has its own. */
const ownRefs = /^refs\/(?:bisect|worktree|rewritten)\//;

async function packedRef(commonDir: string, name: string): Promise<string | undefined> {
  const path = join(commonDir, 'packed-refs');
  const packed = await smallFile(path, mostPackedRefs);
  if (packed === undefined) return (await lstat(path).catch(() => undefined)) && 'nothing known';
  const end = packed.indexOf(` ${name}\n`);
  const start = packed.lastIndexOf('\n', end) + 1;
  return end < 0 ? undefined : packed.toString('latin1', start, end);
}

/** Half a million of them. */
const mostPackedRefs = 64 * 1024 * 1024;

export interface ExcludesOptions {
  readonly home: string;
  /** Where Beckon keeps its own files: they are no part of what is recorded, wherever they lie. */
  readonly dataDir: string;
}

/** What is ignored besides what `.gitignore` says: the person's own patterns, then those of the repository, which win. */
export async function excludesOf(
  { workTree, commonDir }: Repository,
  { home, dataDir }: ExcludesOptions,
): Promise<Buffer> {
  const own = relative(workTree, await realOr(dataDir));
  const parts = [
    await smallFile(await personsExcludes(home)),
    await smallFile(join(commonDir, 'info', 'exclude')),
    own === '' || own.startsWith('..') ? undefined : Buffer.from(`/${escapedPattern(own)}/`),
  ];
  return Buffer.concat(parts.flatMap((part) => (part === undefined ? [] : [part, Buffer.from('\n')])));
}

const escapedPattern = (path: string): string =>
  path.replaceAll(sep, '/').replaceAll(/[\\*?[\] !#]/g, (letter) => `\\${letter}`);

/** Where the person's settings say, or where git looks without them. */
async function personsExcludes(home: string): Promise<string> {
  for (const settings of [join(home, '.gitconfig'), join(home, '.config', 'git', 'config')]) {
    const text = (await smallFile(settings))?.toString() ?? '';
    const core = text.split(/^\s*\[/m).find((section) => /^core\s*\]/i.test(section));
    const named = /^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/im.exec(core ?? '')?.[1];
    if (named !== undefined)
      return named.startsWith('~/') ? join(home, named.slice(2)) : resolve(home, named);
  }
  return join(home, '.config', 'git', 'ignore');
}

/** Changes when the index of the repository does. */
export async function indexStamp({ gitDir }: Repository): Promise<string | undefined> {
  const found = await stat(join(gitDir, 'index'), { bigint: true }).catch(() => undefined);
  return found?.isFile() ? `${found.ino} ${found.size} ${found.mtimeNs}` : undefined;
}

const mostBytes = 1024 * 1024;

/** Opened without waiting: a pipe of that name would never give anything. */
export async function smallFile(path: string, longest = mostBytes): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  try {
    const found = await file?.stat();
    if (file === undefined || !found?.isFile() || found.size > longest) return undefined;
    return await file.readFile();
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}

export const realOr = (path: string): Promise<string> => realpath(path).catch(() => path);
