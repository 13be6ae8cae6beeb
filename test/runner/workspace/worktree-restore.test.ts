import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { RestoredFiles, Worktree } from '../../../src/protocol/worktree.ts';
import { accepted, snapshotOf } from './repositories.ts';
import { type WorktreeRig, worktreeRig } from './worktree-rig.ts';

const files = {
  '.gitignore': '.env*\ncache/\n',
  '.worktreeinclude': '.env*\n',
  'a.txt': 'one\n',
  'gone.txt': 'two\n',
  'tool.sh': 'exit 0\n',
};

function writeIn(top: string, name: string, text: string): void {
  mkdirSync(dirname(join(top, name)), { recursive: true });
  writeFileSync(join(top, name), text);
}

async function remove(rig: WorktreeRig, id: string, branch: 'keep' | 'remove' = 'keep'): Promise<Worktree> {
  const seen = await rig.look(id);
  accepted(await rig.worktrees.remove({ worktreeId: id, shown: seen.shown, branch }));
  return seen;
}

const removedOf = async (rig: WorktreeRig) => accepted(await rig.worktrees.list()).removed;

const restore = async (rig: WorktreeRig, id: string): Promise<RestoredFiles> =>
  accepted(await rig.worktrees.restore({ worktreeId: id }));

const tree = (path: string): object => snapshotOf(path, { without: ['.git'] });

it('[CHG65] [CHG66] a removed worktree is listed, and comes back where it was with all that was in no commit', async () => {
  await using rig = worktreeRig(files);
  rig.write('.env', 'TOKEN=person\n');
  rig.write('.env.later', 'L=1\n');
  const { worktree } = await rig.make('w');
  const { path, branch } = worktree;
  writeIn(path, 'committed.txt', 'x\n');
  rig.gitIn(path, 'add', 'committed.txt');
  rig.gitIn(path, 'commit', '-q', '-m', 'Work of the agent');
  writeIn(path, 'a.txt', 'edited\n');
  writeIn(path, 'staged.txt', 'staged\n');
  rig.gitIn(path, 'add', 'staged.txt');
  rmSync(join(path, 'gone.txt'));
  chmodSync(join(path, 'tool.sh'), 0o755);
  writeIn(path, 'deep/new.txt', 'new\n');
  symlinkSync('a.txt', join(path, 'link'));
  writeIn(path, '.env', 'TOKEN=agent\n');
  rmSync(join(path, '.env.later'));
  const before = tree(path);
  writeIn(path, 'cache/x', 'not recorded\n');
  const head = rig.gitIn(path, 'rev-parse', 'HEAD').trim();
  await remove(rig, 'w');
  expect(existsSync(path)).toBe(false);
  expect(await removedOf(rig)).toEqual([
    {
      ...worktree,
      removedAt: expect.any(String),
      currentBranch: branch,
      head,
      files: 7,
      lost: ['cache/'],
    },
  ]);
  // Its place stays its own: another of that name goes elsewhere.
  const other = await rig.make('other', { title: 'w' });
  expect(other.worktree.path).not.toBe(path);

  rmSync(join(rig.tree, '.env.later'));
  rig.write('.env.new', 'N=1\n');
  const back = await restore(rig, 'w');
  expect(back).toMatchObject({ worktree, cwd: path, files: 7, lost: ['cache/'], isMoved: false });
  expect(back.notes).toMatchObject({ copied: 1, left: [] });
  expect(readFileSync(join(path, '.env.new'), 'utf8')).toBe('N=1\n');
  for (const top of [path, rig.tree]) rmSync(join(top, '.env.new'));
  expect(tree(path)).toEqual(before);
  // Staged comes back unstaged, and nothing is lost of it.
  expect(rig.gitIn(path, 'status', '--porcelain').split('\n').filter(Boolean).sort()).toEqual(
    [' D gone.txt', ' M a.txt', ' M tool.sh', '?? deep/', '?? link', '?? staged.txt'].sort(),
  );
  expect(rig.gitIn(path, 'symbolic-ref', '--short', 'HEAD').trim()).toBe(branch);
  expect(rig.git('worktree', 'list', '--porcelain').match(/^locked/gm)).toHaveLength(2);
  expect(await removedOf(rig)).toEqual([]);
  expect(await rig.look('w')).toMatchObject({ state: 'there', ahead: 1 });
  // What is ignored is no part of what is recorded from now on.
  const recorded = accepted(await rig.workspaces.record({ cwd: path, realCwd: null, roots: [] }));
  const held = await rig.workspaces.content({ cwd: path, realCwd: null, roots: [] }, recorded.id, '.env');
  expect(accepted(held)).toBeUndefined();
  expect(await rig.worktrees.restore({ worktreeId: 'w' })).toMatchObject({
    refusal: { code: 'worktree_not_found' },
  });
  // And once more, by the next server.
  await remove(rig, 'w');
  accepted(await rig.again().restore({ worktreeId: 'w' }));
  expect(tree(path)).toEqual(before);
}, 60_000);

it('[CHG66] a branch that is gone is made again from its commit, and one that has moved on keeps its commits', async () => {
  await using rig = worktreeRig(files);
  const { worktree: one } = await rig.make('one');
  writeIn(one.path, 'committed.txt', 'x\n');
  rig.gitIn(one.path, 'add', 'committed.txt');
  rig.gitIn(one.path, 'commit', '-q', '-m', 'On this branch alone');
  writeIn(one.path, 'new.txt', 'new\n');
  const { head } = await remove(rig, 'one', 'remove');
  expect(rig.git('branch', '--list', one.branch)).toBe('');
  await restore(rig, 'one');
  expect(rig.gitIn(one.path, 'rev-parse', one.branch).trim()).toBe(head);
  expect(readFileSync(join(one.path, 'new.txt'), 'utf8')).toBe('new\n');

  const { worktree: two } = await rig.make('two');
  writeIn(two.path, 'a.txt', 'edited by the agent\n');
  writeIn(two.path, 'new.txt', 'new\n');
  await remove(rig, 'two');
  rig.git('checkout', '-q', two.branch);
  rig.write('a.txt', 'edited by the person\n');
  rig.write('tool.sh', 'exit 1\n');
  rig.write('later.txt', 'later\n');
  rig.git('rm', '-q', 'gone.txt');
  rig.git('add', '-A');
  rig.git('commit', '-q', '-m', 'Later');
  const refused = await rig.worktrees.restore({ worktreeId: 'two' });
  expect(refused).toMatchObject({
    refusal: {
      code: 'branch_in_use',
      message: `The branch "${two.branch}" is checked out in "${rig.tree}".`,
    },
  });
  expect(existsSync(two.path)).toBe(false);
  rig.git('checkout', '-q', 'main');
  expect(await restore(rig, 'two')).toMatchObject({ isMoved: true, files: 2 });
  const status = rig.gitIn(two.path, 'status', '--porcelain').split('\n').filter(Boolean);
  expect(status).toEqual([' M a.txt', '?? new.txt']);
  expect(readFileSync(join(two.path, 'a.txt'), 'utf8')).toBe('edited by the agent\n');
  expect(readFileSync(join(two.path, 'later.txt'), 'utf8')).toBe('later\n');
}, 60_000);

it('[CHG66] it comes back on what it had checked out: another branch, or a commit', async () => {
  await using rig = worktreeRig(files);
  const { worktree: one } = await rig.make('one');
  rig.gitIn(one.path, 'checkout', '-q', '-b', 'elsewhere');
  writeIn(one.path, 'a.txt', 'edited\n');
  await remove(rig, 'one', 'remove');
  expect(await removedOf(rig)).toMatchObject([{ branch: one.branch, currentBranch: 'elsewhere' }]);
  await restore(rig, 'one');
  expect(await rig.look('one')).toMatchObject({
    currentBranch: 'elsewhere',
    work: { uncommitted: [{ path: 'a.txt' }] },
  });

  const { worktree: two } = await rig.make('two');
  rig.gitIn(two.path, 'checkout', '-q', '--detach');
  rig.gitIn(two.path, 'commit', '-q', '--allow-empty', '-m', 'On no branch');
  writeIn(two.path, 'a.txt', 'edited, too\n');
  const { head } = await remove(rig, 'two');
  await restore(rig, 'two');
  expect(await rig.look('two')).toMatchObject({ currentBranch: null, head });
  expect(readFileSync(join(two.path, 'a.txt'), 'utf8')).toBe('edited, too\n');
}, 60_000);

it('[CHG67] what stands against it is said in words, and nothing is touched', async () => {
  await using rig = worktreeRig(files);
  const names = ['taken', 'lost', 'forgotten'];
  const paths = new Map<string, string>();
  for (const name of names) {
    const { worktree } = await rig.make(name);
    paths.set(name, worktree.path);
    rig.gitIn(worktree.path, 'commit', '-q', '--allow-empty', '-m', name);
    writeIn(worktree.path, 'new.txt', 'new\n');
    await remove(rig, name, 'remove');
  }
  const pathOf = (name: string): string => paths.get(name) ?? '';
  mkdirSync(pathOf('taken'));
  rig.git('reflog', 'expire', '--expire=now', '--all');
  rig.git('gc', '-q', '--prune=now');
  const before = { refs: rig.git('for-each-ref'), list: rig.git('worktree', 'list') };
  const refusal = async (id: string) => {
    const refused = await rig.worktrees.restore({ worktreeId: id });
    return refused.ok ? undefined : `${refused.refusal.code}: ${refused.refusal.message}`;
  };
  expect(await refusal('taken')).toBe(
    `worktree_not_restorable: Something lies at "${pathOf('taken')}" by now.`,
  );
  expect(await refusal('lost')).toMatch(
    /^worktree_not_restorable: The repository no longer has the commit [0-9a-f]{12} that it was on\.$/,
  );
  expect(await refusal('nowhere')).toMatch(/^worktree_not_found/);
  expect({ refs: rig.git('for-each-ref'), list: rig.git('worktree', 'list') }).toEqual(before);
  expect(existsSync(pathOf('lost'))).toBe(false);
  expect(await removedOf(rig)).toHaveLength(3);

  rmSync(join(rig.base, 'data/recordings'), { recursive: true });
  expect(await removedOf(rig)).toEqual([]);
  expect(await refusal('forgotten')).toBe(
    'worktree_not_restorable: The recording of its files is no longer kept.',
  );
}, 60_000);

it('[CHG67] a branch of which another is a folder stands against it', async () => {
  await using rig = worktreeRig(files);
  const { worktree } = await rig.make('clash');
  writeIn(worktree.path, 'new.txt', 'new\n');
  await remove(rig, 'clash', 'remove');
  rig.git('branch', `${worktree.branch}/below`);
  expect(await rig.worktrees.restore({ worktreeId: 'clash' })).toMatchObject({
    refusal: { code: 'branch_in_use', message: `The repository has the branch "${worktree.branch}/below".` },
  });
}, 60_000);

it('[CHG47] a folder that was deleted by hand, with its repository or without, can be removed and is then no longer listed', async () => {
  await using rig = worktreeRig(files);
  const { worktree: one } = await rig.make('one');
  const { worktree: two } = await rig.make('two');
  rmSync(one.path, { recursive: true });
  await remove(rig, 'one');
  expect(await removedOf(rig)).toMatchObject([{ id: 'one', files: 0, currentBranch: one.branch }]);
  await restore(rig, 'one');
  expect(statSync(join(one.path, 'a.txt')).isFile()).toBe(true);

  rmSync(two.path, { recursive: true });
  rmSync(rig.tree, { recursive: true });
  await remove(rig, 'two');
  const { worktrees, removed } = accepted(await rig.worktrees.list());
  expect([worktrees.map(({ id }) => id), removed]).toEqual([['one'], []]);
}, 60_000);
