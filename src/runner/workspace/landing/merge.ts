import { accept, type Result, refuse } from '../../../protocol/errors.ts';
import type { Conflict, LandingHow, LandingWay } from '../../../protocol/landing.ts';
import type { GitOutcome } from '../git.ts';
import { isAtLeast } from '../git-version.ts';
import { type PathBytes, partsIn, toldPath } from '../path-bytes.ts';
import type { RepositoryGit } from './repository-git.ts';
import { authorLine } from './uncommitted.ts';

/** Two branches by their newest commits, and the folder that takes what is made on the way. */
export interface Sides {
  readonly base: string;
  readonly head: string;
  readonly scratch: string;
}

type Blocked = Extract<LandingWay, { can: false }>;
/** What the base would become, or why it cannot. */
export type Merged = { readonly tree: string } | Blocked;
export type Rebased = { readonly commit: string; readonly commits: number } | Blocked;

/** What both sides make together, without a look at any work tree. */
export async function mergeTrees(
  git: RepositoryGit,
  { base, head, scratch }: Sides,
): Promise<Result<Merged>> {
  const common = await git.call(['merge-base', base, head], { scratch });
  if (common.end === 'failed') return accept({ can: false, why: 'unrelated', conflicts: [] });
  const found = outcome(common);
  if (!found.ok) return found;
  if (found.value.toString().trim() === base) return treeOf(git, head, scratch);
  return mergeCommits(git, { base, head, scratch });
}

async function mergeCommits(git: RepositoryGit, { base, head, scratch }: Sides): Promise<Result<Merged>> {
  if (!isAtLeast(git.version, 2, 38)) return accept({ can: false, why: 'old-git', conflicts: [] });
  const args = ['merge-tree', '--write-tree', '-z', '--no-messages', base, head];
  const merged = await git.call(args, { scratch });
  const [tree = '', ...conflicted] = await partsIn(merged.output);
  if (merged.end === 'done') return accept({ tree });
  // With conflicts it fails as well, but not before it has told the tree.
  if (merged.end !== 'failed' || !/^[0-9a-f]{40}$/.test(tree)) return outcome(merged) as Result<never>;
  const conflicts = await readConflicts(git, { tree, conflicted, scratch });
  return conflicts.ok ? accept({ can: false, why: 'conflicts', conflicts: conflicts.value }) : conflicts;
}

async function treeOf(
  git: RepositoryGit,
  commit: string,
  scratch: string,
): Promise<Result<{ tree: string }>> {
  const found = await git.run(['rev-parse', '--verify', `${commit}^{tree}`], { scratch });
  return found.ok ? accept({ tree: found.value.toString().trim() }) : found;
}

const mostRebased = 200;

/**
 * Lays the commits of the branch on the base, one by one. Each is merged with the commit before it as what both sides have in common:
 * three commits are made up for that, since git before 2.40 takes no other.
 */
export async function rebaseCommits(git: RepositoryGit, sides: Sides): Promise<Result<Rebased>> {
  const { base, head, scratch } = sides;
  const listed = await git.run(['rev-list', '--reverse', '--topo-order', '--parents', `${base}..${head}`], {
    scratch,
  });
  if (!listed.ok) return listed;
  const lines = listed.value.toString().trim().split('\n').filter(Boolean);
  const rows = lines.map((line) => line.split(' '));
  if (rows.some((row) => row.length > 2)) return accept({ can: false, why: 'merges', conflicts: [] });
  if (rows.some((row) => row.length < 2)) return accept({ can: false, why: 'unrelated', conflicts: [] });
  if (rows.length > mostRebased) return accept({ can: false, why: 'many', conflicts: [] });
  let onto = base;
  let commits = 0;
  for (const [commit = '', parent = ''] of rows) {
    if (parent === onto) {
      onto = commit;
      commits += 1;
      continue;
    }
    const laid = await layOn(git, { onto, commit, parent, scratch });
    if (!laid.ok) return laid;
    if ('can' in laid.value) return accept({ ...laid.value, at: commit });
    // What the base has already leaves nothing.
    if (laid.value.commit !== onto) commits += 1;
    onto = laid.value.commit;
  }
  return accept({ commit: onto, commits });
}

async function layOn(
  git: RepositoryGit,
  { onto, commit, parent, scratch }: { onto: string; commit: string; parent: string; scratch: string },
): Promise<Result<{ readonly commit: string } | Blocked>> {
  const trees: string[] = [];
  for (const one of [parent, onto, commit]) {
    const tree = await treeOf(git, one, scratch);
    if (!tree.ok) return tree;
    trees.push(tree.value.tree);
  }
  const [before = '', ours = '', theirs = ''] = trees;
  const made: string[] = [];
  for (const tree of [before, ours, theirs]) {
    const parents = made[0] === undefined ? [] : ['-p', made[0]];
    const id = await git.run(['commit-tree', '--no-gpg-sign', ...parents, '-m', 'made up', tree], {
      scratch,
    });
    if (!id.ok) return id;
    made.push(id.value.toString().trim());
  }
  // Where two of them are the same commit, nothing differs there.
  const [, base = '', head = ''] = made;
  const merged: Result<Merged> =
    ours === before
      ? accept({ tree: theirs })
      : base === head
        ? accept({ tree: ours })
        : await mergeCommits(git, { base, head, scratch });
  if (!merged.ok || 'can' in merged.value) return merged as Result<Blocked>;
  return merged.value.tree === ours
    ? accept({ commit: onto })
    : copyCommit(git, { commit, parent: onto, tree: merged.value.tree, scratch });
}

/** The same author, time and message on another parent; the one who lands it is who commits it. A signature would no longer hold. */
async function copyCommit(
  git: RepositoryGit,
  { commit, parent, tree, scratch }: { commit: string; parent: string; tree: string; scratch: string },
): Promise<Result<{ commit: string }>> {
  const raw = await git.run(['cat-file', 'commit', commit], { scratch });
  if (!raw.ok) return raw;
  const text = raw.value.toString('latin1');
  const header = text.slice(0, text.indexOf('\n\n') + 1);
  const { author } = git.settings;
  if (author === null) return refuse('commit_refused');
  const committer = Buffer.from(`${authorLine(author)} ${Math.floor(Date.now() / 1000)} +0000`).toString(
    'latin1',
  );
  const lines = [
    `tree ${tree}`,
    `parent ${parent}`,
    /^author .*$/m.exec(header)?.[0] ?? `author ${committer}`,
    `committer ${committer}`,
    ...(/^encoding .*$/m.exec(header) ?? []),
  ];
  const input = Buffer.from(`${lines.join('\n')}${text.slice(text.indexOf('\n\n'))}`, 'latin1');
  const stored = await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], { scratch, input });
  return stored.ok ? accept({ commit: stored.value.toString().trim() }) : stored;
}

/** The commit that a way makes; not yet in the repository. */
export async function makeLanding(
  git: RepositoryGit,
  sides: Sides,
  { how, message }: { readonly how: LandingHow; readonly message: string },
): Promise<Result<{ readonly commit: string } | Blocked>> {
  if (how === 'rebase') return rebaseCommits(git, sides);
  const { base, head, scratch } = sides;
  const merged = await mergeTrees(git, sides);
  if (!merged.ok || 'can' in merged.value) return merged as Result<Blocked>;
  const parents = ['-p', base, ...(how === 'merge' ? ['-p', head] : [])];
  const args = ['commit-tree', '--no-gpg-sign', ...parents, '-F', '-', merged.value.tree];
  const made = await git.run(args, { scratch, input: `${message.trim()}\n` });
  return made.ok ? accept({ commit: made.value.toString().trim() }) : made;
}

/** Brings what the repository lacks of a commit into it. */
export async function storeCommit(
  git: RepositoryGit,
  { commit, base, head, scratch }: Sides & { readonly commit: string },
): Promise<Result<void>> {
  const input = `${commit}\n^${base}\n^${head}\n`;
  const pack = await git.run(['pack-objects', '--revs', '--stdout', '-q'], {
    scratch,
    input,
    mostBytes: mostPackBytes,
  });
  if (!pack.ok) return pack;
  const stored = await git.run(['unpack-objects', '-q', '--strict'], { input: pack.value });
  return stored.ok ? accept(undefined) : stored;
}

const mostPackBytes = 512 * 1024 * 1024;
const mostConflicts = 50;
const mostHunks = 20;
const mostHunkLetters = 4_000;

async function readConflicts(
  git: RepositoryGit,
  { tree, conflicted, scratch }: { tree: string; conflicted: readonly PathBytes[]; scratch: string },
): Promise<Result<Conflict[]>> {
  const stages = new Map<PathBytes, { modes: string[]; stages: string }>();
  for (const line of conflicted) {
    const [mode = '', , stage = ''] = line.slice(0, line.indexOf('\t')).split(' ');
    const path = line.slice(line.indexOf('\t') + 1) as PathBytes;
    const known = stages.get(path) ?? { modes: [], stages: '' };
    stages.set(path, { modes: [...known.modes, mode], stages: known.stages + stage });
  }
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', tree], { scratch });
  if (!listed.ok) return listed;
  const blobs = new Map(
    (await partsIn(listed.value)).map((line) => [
      line.slice(line.indexOf('\t') + 1) as PathBytes,
      line.slice(0, line.indexOf('\t')).split(' ')[2] ?? '',
    ]),
  );
  const conflicts: Conflict[] = [];
  for (const [path, { modes, stages: found }] of [...stages].slice(0, mostConflicts)) {
    const told = { path: toldPath(path), hunks: [], isCut: false };
    const blob = blobs.get(path);
    if (modes.some((mode) => !mode.startsWith('100'))) conflicts.push({ ...told, why: 'kind' });
    else if (!found.includes('2') || !found.includes('3') || blob === undefined)
      conflicts.push({ ...told, why: 'deleted' });
    else {
      const content = await git.run(['cat-file', 'blob', blob], { scratch, mostBytes: 10 * 1024 * 1024 });
      const hunks = content.ok ? hunksIn(content.value.toString('utf8')) : [];
      const shown = hunks.slice(0, mostHunks);
      const isText = hunks.length > 0;
      conflicts.push({
        ...told,
        why: isText ? 'content' : 'kind',
        hunks: shown,
        isCut: hunks.length > shown.length,
      });
    }
  }
  return accept(conflicts);
}

/** The places that git marked in a file. */
function hunksIn(content: string): Conflict['hunks'] {
  const hunks: Conflict['hunks'] = [];
  const lines = { base: [] as string[], branch: [] as string[] };
  let side: keyof typeof lines | undefined;
  let line = 1;
  for (const text of content.split('\n')) {
    if (side === undefined && text.startsWith('<<<<<<< ')) {
      side = 'base';
      Object.assign(lines, { base: [], branch: [] });
    } else if (side === 'base' && text.trimEnd() === '=======') side = 'branch';
    else if (side === 'branch' && text.startsWith('>>>>>>> ')) {
      const [base, branch] = [lines.base, lines.branch].map((one) =>
        one.join('\n').slice(0, mostHunkLetters),
      );
      hunks.push({ line: line - lines.base.length, base: base ?? '', branch: branch ?? '' });
      side = undefined;
    } else {
      if (side !== undefined) lines[side].push(text);
      if (side !== 'branch') line += 1;
    }
  }
  return hunks;
}

const outcome = ({ end, output }: GitOutcome): Result<Buffer> =>
  end === 'done'
    ? accept(output)
    : refuse(end === 'closed' ? 'shutting_down' : 'git_not_available', 'git could not merge.');
