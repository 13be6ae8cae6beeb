import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { seededRandom, testSeed } from '../../support/seeded-random.ts';
import { accepted, snapshotOf } from './repositories.ts';
import { worktreeRig } from './worktree-rig.ts';

it('[CHG45] a worktree has the files of its base on a branch of its own, below a folder of ours', async () => {
  await using rig = worktreeRig({ 'a.txt': 'one\n', 'packages/shop/b.txt': 'two\n' });
  const commit = rig.git('rev-parse', 'HEAD').trim();
  rig.write('a.txt', 'the person edits\n');
  const made = await rig.make('w1', {
    title: 'Fix the Übergang, please!',
    place: { ...rig.place, cwd: join(rig.tree, 'packages/shop') },
  });
  expect(made.worktree).toMatchObject({
    repository: rig.tree,
    branch: 'beckon/fix-the-ubergang-please',
    base: 'main',
    baseCommit: commit,
  });
  const { path } = made.worktree;
  expect(path.startsWith(join(rig.base, 'data/worktrees/shop-'))).toBe(true);
  expect(made.cwd).toBe(join(path, 'packages/shop'));
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('one\n');
  expect(rig.gitIn(path, 'status', '--porcelain')).toBe('');
  expect(rig.gitIn(path, 'symbolic-ref', '--short', 'HEAD').trim()).toBe(made.worktree.branch);
  expect(rig.git('worktree', 'list', '--porcelain')).toMatch(/locked A session of Beckon works here/);

  // Asked for once more, as after a lost reply, it is the same one.
  expect((await rig.make('w1')).worktree).toEqual(made.worktree);
  expect(accepted(await rig.worktrees.list()).worktrees).toHaveLength(1);
  expect(await rig.look('w1')).toMatchObject({
    state: 'there',
    currentBranch: made.worktree.branch,
    ahead: 0,
    behind: 0,
    work: { uncommitted: [], untracked: [], ignored: [], unmerged: [], isAll: true },
  });
});

it('[CHG45] names that clash, bases that are not there and repositories without a commit are refused in words', async () => {
  await using rig = worktreeRig();
  rig.git('branch', 'feature/a');
  rig.git('tag', '-a', '-m', 'tagged', 'v1');
  const make = (wish: object) => rig.worktrees.make({ orderId: 'w', place: rig.place, title: 'x', ...wish });
  for (const branch of ['main', 'feature', 'feature/a/b'])
    expect(await make({ branch })).toMatchObject({ refusal: { code: 'branch_in_use' } });
  expect(await make({ base: 'nowhere' })).toMatchObject({ refusal: { code: 'base_not_found' } });
  expect(existsSync(join(rig.base, 'data/worktrees/.records/w.json'))).toBe(false);
  expect(rig.git('worktree', 'list').trim().split('\n')).toHaveLength(1);

  expect((await rig.make('tagged', { base: 'v1' })).worktree.base).toBe('v1');
  const [one, two] = [await rig.make('one', { title: 'same' }), await rig.make('two', { title: 'same' })];
  expect([one, two].map(({ worktree }) => worktree.branch)).toEqual(['beckon/same', 'beckon/same-2']);
  rmSync(two.worktree.path, { recursive: true });
  expect(await rig.look('two')).toMatchObject({ state: 'missing' });
  // A folder that was deleted by hand stands in nobody's way.
  expect((await rig.make('three', { title: 'same' })).worktree.branch).toBe('beckon/same-3');

  await using second = worktreeRig();
  second.git('branch', 'beckon');
  expect((await second.make('w', { title: 'x' })).worktree.branch).toBe('beckon-x');
  rmSync(join(second.tree, '.git'), { recursive: true });
  second.git('init', '-q');
  const empty = await second.worktrees.make({ orderId: 'e', place: second.place, title: 'x' });
  expect(empty).toMatchObject({ refusal: { code: 'base_not_found', message: /no commit yet/ } });
});

it('[CHG46] ignored files that the project lists come along, as copies, and no link leads in or out', async () => {
  await using rig = worktreeRig({
    '.gitignore': '.env*\nsecret/\nlinked\nnode_modules/\n',
    '.worktreeinclude': '# what the app needs\n.env\nsecret/*\nlinked\n*.txt\n',
    'a.txt': 'one\n',
    '.beckon/worktree.json': '{"default": true, "include": [".env.local"]}',
  });
  // In the base there is a link where the person has a folder.
  mkdirSync(join(rig.base, 'outside'));
  symlinkSync('../outside', join(rig.tree, 'secret'));
  rig.git('add', '-f', 'secret');
  rig.git('commit', '-q', '-m', 'A link');
  rig.git('tag', 'with-link');
  rig.git('rm', '-q', 'secret');
  rig.git('commit', '-q', '-m', 'No link');
  rig.write('secret/key', 'k');
  rig.write('.env', 'TOKEN=1\n');
  rig.write('.env.local', 'TOKEN=2\n');
  rig.write('.env.other', 'TOKEN=3\n');
  rig.write('notes.txt', 'nobody committed this\n');
  rig.write('node_modules/x/index.js', '');
  symlinkSync('/etc/passwd', join(rig.tree, 'linked'));

  const { worktree, notes } = await rig.make('w', { base: 'with-link' });
  const files = snapshotOf(worktree.path, { without: ['.git'] });
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['.env', '.env.local', 'a.txt']));
  for (const path of ['.env.other', 'linked', 'notes.txt', 'node_modules/x/index.js'])
    expect(files).not.toHaveProperty([path]);
  expect(existsSync(join(rig.base, 'outside/key'))).toBe(false);
  expect(notes).toMatchObject({ copied: 2, left: ['linked', 'secret/key'] });
  writeFileSync(join(worktree.path, '.env'), 'TOKEN=9\n');
  expect(readFileSync(join(rig.tree, '.env'), 'utf8')).toBe('TOKEN=1\n');
  const view = accepted(await rig.worktrees.repository({ place: rig.place }));
  expect(view).toMatchObject({ isDefault: true, branch: 'main', base: { name: 'main', subject: 'No link' } });
});

it('[CHG47] a removal shows all that would be lost, and is refused when it is no longer that', async () => {
  await using rig = worktreeRig({
    '.gitignore': '.env\ncache/\n',
    'a.txt': 'one\n',
    'b.txt': 'two\n',
    'c.txt': 'three\n',
  });
  const { worktree } = await rig.make('w');
  const { path, branch } = worktree;
  const write = (name: string, text: string): void => {
    mkdirSync(join(path, name, '..'), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  write('committed', 'x');
  rig.gitIn(path, 'add', 'committed');
  rig.gitIn(path, 'commit', '-q', '-m', 'Work of the agent');
  write('a.txt', 'edited\n');
  // Git was told to overlook these.
  rig.gitIn(path, 'update-index', '--assume-unchanged', 'b.txt');
  rig.gitIn(path, 'update-index', '--skip-worktree', 'c.txt');
  write('b.txt', 'hidden\n');
  write('c.txt', 'hidden, too\n');
  write('new.txt', 'new\n');
  write('.env', 'TOKEN=1\n');
  write('cache/x', '1');
  write('cache/y', '2');
  const seen = await rig.look('w');
  expect(seen.work).toEqual({
    uncommitted: [{ path: 'a.txt' }, { path: 'b.txt' }, { path: 'c.txt' }],
    untracked: [{ path: 'new.txt' }],
    ignored: [{ path: '.env' }, { path: 'cache/', files: 2 }],
    unmerged: [{ commit: seen.head, subject: 'Work of the agent' }],
    isAll: true,
  });
  expect(seen).toMatchObject({ ahead: 1, behind: 0 });

  write('.env', 'TOKEN=2\n');
  const remove = (shown: string, what: 'keep' | 'remove' = 'keep') =>
    rig.worktrees.remove({ worktreeId: 'w', shown, branch: what });
  expect(await remove(seen.shown, 'remove')).toMatchObject({ refusal: { code: 'worktree_changed' } });
  expect(readFileSync(join(path, '.env'), 'utf8')).toBe('TOKEN=2\n');

  const place = { cwd: path, realCwd: null, roots: [] };
  const gone = accepted(await remove((await rig.look('w')).shown));
  expect(gone).toMatchObject({ branch, recording: expect.stringMatching(/^[0-9a-f]{40}$/) });
  expect(existsSync(path)).toBe(false);
  expect(rig.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(rig.git('log', '-1', '--format=%s', branch).trim()).toBe('Work of the agent');
  expect(accepted(await rig.worktrees.list()).worktrees).toEqual([]);
  expect(await remove('anything')).toMatchObject({ refusal: { code: 'worktree_not_found' } });
  // What was in no commit is still recorded.
  mkdirSync(join(path, '.git'), { recursive: true });
  writeFileSync(join(path, '.git/HEAD'), 'ref: refs/heads/x\n');
  const held = async (name: string) =>
    accepted(await rig.workspaces.content(place, gone.recording ?? '', name))?.toString();
  expect([await held('.env'), await held('b.txt'), await held('new.txt')]).toEqual([
    'TOKEN=2\n',
    'hidden\n',
    'new\n',
  ]);
});

it('[CHG47] branches go only where that was chosen, and commits that no branch has are put on one', async () => {
  await using rig = worktreeRig();
  const { worktree: one } = await rig.make('one');
  accepted(
    await rig.worktrees.remove({ worktreeId: 'one', shown: (await rig.look('one')).shown, branch: 'remove' }),
  );
  expect(rig.git('branch', '--list', one.branch)).toBe('');

  const { worktree: two } = await rig.make('two');
  rig.gitIn(two.path, 'checkout', '-q', '--detach');
  writeFileSync(join(two.path, 'x'), 'x');
  rig.gitIn(two.path, 'add', 'x');
  rig.gitIn(two.path, 'commit', '-q', '-m', 'On no branch');
  const seen = await rig.look('two');
  expect(seen).toMatchObject({ currentBranch: null, work: { unmerged: [{ subject: 'On no branch' }] } });
  const removed = accepted(
    await rig.worktrees.remove({ worktreeId: 'two', shown: seen.shown, branch: 'remove' }),
  );
  expect(rig.git('log', '-1', '--format=%s', removed.branch ?? '').trim()).toBe('On no branch');
  expect(rig.git('branch', '--list', two.branch)).toBe('');

  // A folder that is no longer what it was: nothing can be said of it, so nothing is removed.
  const { worktree: three } = await rig.make('three');
  writeFileSync(join(three.path, '.git'), `gitdir: ${rig.tree}/.git\n`);
  expect(await rig.look('three')).toMatchObject({ state: 'unreadable' });
  const refused = await rig.worktrees.remove({ worktreeId: 'three', shown: 'unreadable', branch: 'remove' });
  expect(refused).toMatchObject({ refusal: { code: 'git_not_available' } });
  expect(existsSync(join(three.path, 'a.txt'))).toBe(true);
});

const seed = testSeed();

it(`[CHG48] nothing of the person's is touched by ten worktrees made and removed (seed ${seed})`, async () => {
  const random = seededRandom(seed);
  await using rig = worktreeRig({
    '.gitignore': '.env\n',
    '.worktreeinclude': '.env\n',
    'a.txt': 'one\n',
    'b.txt': 'two\n',
  });
  rig.write('a.txt', 'stashed\n');
  rig.git('stash');
  rig.write('a.txt', 'staged\n');
  rig.git('add', 'a.txt');
  rig.write('a.txt', 'edited\n');
  rig.write('untracked', 'mine\n');
  rig.write('.env', 'TOKEN=1\n');
  const tree = (): object => snapshotOf(rig.tree, { times: true, without: ['.git'] });
  const own = (): object => {
    const files = snapshotOf(join(rig.tree, '.git'), { times: true });
    // A place for worktrees, and the folder of our branches, may come and go.
    return Object.fromEntries(Object.entries(files).filter(([path]) => !/beckon\//.test(path)));
  };
  const before = { tree: tree(), own: own() };
  const open: string[] = [];
  for (let made = 0; made < 10 || open.length > 0; ) {
    if (made < 10 && (open.length === 0 || random() < 0.6)) {
      const id = `w${made++}`;
      const { worktree } = await rig.make(id);
      if (random() < 0.7) writeFileSync(join(worktree.path, 'a.txt'), `${random()}\n`);
      if (random() < 0.3) rmSync(worktree.path, { recursive: true });
      open.push(id);
    } else {
      const [id = ''] = open.splice(Math.floor(random() * open.length), 1);
      const { shown } = await rig.look(id);
      accepted(await rig.worktrees.remove({ worktreeId: id, shown, branch: 'remove' }));
    }
  }
  expect({ tree: tree(), own: own() }).toEqual(before);
  expect(rig.git('branch', '--list', 'beckon/*')).toBe('');
});
