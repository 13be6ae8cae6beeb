import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { accepted, snapshotOf } from '../repositories.ts';
import { type LandingRig, landingRig, refusal, shownIn } from './landing-rig.ts';

const uncommitted = async (rig: LandingRig, place = rig.place) =>
  accepted(await rig.landings.worktree(place)).uncommitted;

async function commit(rig: LandingRig, paths: readonly string[], message = 'Say what changed') {
  const state = await uncommitted(rig);
  return rig.landings.commit(rig.place, { message, paths: [...paths], shown: shownIn(state) });
}

describe('[CHG52] a commit has the chosen files as they were shown, and nothing else', () => {
  it('is made by the person, and leaves what else is staged, edited or new as it was', async () => {
    await using rig = landingRig();
    for (const name of ['a', 'b', 'c', 'gone', 'other']) rig.write(name, `${name}\n`);
    rig.git('add', '.');
    rig.git('commit', '-q', '-m', 'first');
    rig.write('a', 'a of the agent\n');
    rig.write('b', 'b staged\n');
    rig.git('add', 'b');
    rig.write('b', 'b edited after it was staged\n');
    rig.write('other', 'other\nedited\n');
    rig.write('new/file', 'new\n');
    rig.write('untracked', 'mine\n');
    rig.remove('gone');
    const files = snapshotOf(rig.tree, { times: true, without: ['.git'] });

    const state = await uncommitted(rig);
    expect(state).toMatchObject({
      branch: 'main',
      author: 'Grace <grace@example.org>',
      underWay: null,
      isAll: true,
    });
    expect(state.files.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      'modified a',
      'modified b',
      'deleted gone',
      'added new/file',
      'modified other',
      'added untracked',
    ]);
    const message = 'A message\r\n\n\n\nwith a body  \n# and a number sign\n';
    const done = accepted(
      await rig.landings.commit(rig.place, {
        message,
        paths: ['a', 'gone', 'new/file'],
        shown: shownIn(state),
      }),
    );

    expect(done).toEqual({ commit: rig.git('rev-parse', 'HEAD').trim(), branch: 'main' });
    expect(rig.git('log', '-1', '--format=%an <%ae>|%cn|%B')).toBe(
      'Grace <grace@example.org>|Grace|A message\n\nwith a body\n# and a number sign\n\n',
    );
    expect(rig.git('show', '--format=', '--name-status', 'HEAD')).toBe('M\ta\nD\tgone\nA\tnew/file\n');
    expect(rig.git('status', '--porcelain')).toBe('MM b\n M other\n?? untracked\n');
    expect(rig.git('show', ':b')).toBe('b staged\n');
    expect(rig.git('reflog', '-1')).toContain('commit: A message');
    expect(rig.git('fsck', '--strict')).toBe('');
    expect(snapshotOf(rig.tree, { times: true, without: ['.git'] })).toEqual(files);
    expect(existsSync(join(rig.tree, '.git/index.lock'))).toBe(false);
  });

  it('is the first one in a repository that has none', async () => {
    await using rig = landingRig();
    rig.write('a', 'a\n');
    accepted(await commit(rig, ['a']));
    expect(rig.git('status', '--porcelain')).toBe('');
    expect(rig.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
  });

  it('is refused when a file, the branch or the author is not what was shown; all stays as it was', async () => {
    await using rig = landingRig();
    rig.write('a', 'a\n');
    rig.git('add', '.');
    rig.git('commit', '-q', '-m', 'first');
    rig.write('a', 'shown\n');
    const shown = shownIn(await uncommitted(rig));
    const ask = () => rig.landings.commit(rig.place, { message: 'm', paths: ['a'], shown });
    rig.write('a', 'SHOWN\n');
    expect(refusal(await ask())).toMatchObject({
      code: 'changes_moved',
      message: expect.stringContaining('a is not'),
    });
    rig.remove('a');
    expect(refusal(await ask()).code).toBe('changes_moved');
    rig.write('a', 'shown\n');
    rig.git('commit', '-q', '--allow-empty', '-m', 'by the agent');
    expect(refusal(await ask()).code).toBe('changes_moved');
    rig.git('reset', '-q', '--soft', 'HEAD~');
    rig.git('checkout', '-q', '-b', 'other');
    expect(refusal(await ask()).code).toBe('changes_moved');
    rig.git('checkout', '-q', 'main');
    rig.git('config', 'user.name', 'Mallory');
    expect(refusal(await ask()).code).toBe('changes_moved');
    rig.git('config', '--unset', 'user.name');
    expect(rig.git('rev-list', '--count', 'main').trim()).toBe('1');
    accepted(await ask());
    // Twice is once: what is in the last commit is not committed again.
    expect(refusal(await ask()).code).toBe('changes_moved');
    expect(rig.git('rev-list', '--count', 'main').trim()).toBe('2');
  });
});

describe('[CHG53] what cannot be committed is told in words, before anything is done', () => {
  it.each([
    [
      'a merge is under way',
      (rig: LandingRig) => writeFileSync(join(rig.tree, '.git/MERGE_HEAD'), 'x\n'),
      /merge is under way/,
    ],
    [
      'no branch is checked out',
      (rig: LandingRig) => void rig.git('checkout', '-q', '--detach'),
      /No branch/,
    ],
    ['nobody is named as author', (rig: LandingRig) => rmSync(join(rig.home, '.gitconfig')), /name nobody/],
    [
      'another git is at work',
      (rig: LandingRig) => writeFileSync(join(rig.tree, '.git/index.lock'), ''),
      /another git/,
    ],
    [
      'a filter would have to run',
      (rig: LandingRig) => rig.write('.gitattributes', 'a filter=lfs\n'),
      /filter \(as with LFS\)/,
    ],
    [
      'the index is kept in two files',
      (rig: LandingRig) => void rig.git('update-index', '--split-index'),
      /index of the repository cannot be read/,
    ],
  ])('%s', async (_, prepare, sentence) => {
    await using rig = landingRig();
    rig.write('a', 'a\n');
    rig.git('add', '.');
    rig.git('commit', '-q', '-m', 'first');
    rig.write('a', 'b\n');
    const state = await uncommitted(rig);
    prepare(rig);
    const before = snapshotOf(rig.tree);
    const refused = await rig.landings.commit(rig.place, {
      message: 'm',
      paths: ['a'],
      shown: shownIn(state),
    });
    expect(refusal(refused)).toMatchObject({
      code: 'commit_refused',
      message: expect.stringMatching(sentence),
    });
    const objects = (state: Record<string, string>) =>
      Object.fromEntries(Object.entries(state).filter(([path]) => !path.startsWith('.git/objects/')));
    expect(objects(snapshotOf(rig.tree))).toEqual(objects(before));
  });

  it('the dialog is told of each beforehand', async () => {
    await using rig = landingRig();
    rig.write('.gitattributes', '*.bin filter=lfs\n');
    rig.write('x.bin', 'x');
    rmSync(join(rig.home, '.gitconfig'));
    const state = await uncommitted(rig);
    expect(state).toMatchObject({ author: null, head: null, branch: 'main' });
    expect(state.files.find(({ path }) => path === 'x.bin')?.blocked).toBe('filter');
  });
});

it('[CHG52] lines end in the repository as its settings and attributes say', async () => {
  await using rig = landingRig();
  rig.write('.gitattributes', '*.txt text\n*.dat -text\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  rig.git('config', 'core.autocrlf', 'true');
  for (const name of ['a.txt', 'a.dat', 'a.c']) rig.write(name, 'one\r\ntwo\r\n');
  accepted(await commit(rig, ['a.txt', 'a.dat', 'a.c']));
  expect(rig.git('show', 'HEAD:a.txt')).toBe('one\ntwo\n');
  expect(rig.git('show', 'HEAD:a.c')).toBe('one\ntwo\n');
  expect(rig.git('show', 'HEAD:a.dat')).toBe('one\r\ntwo\r\n');
  expect(rig.git('status', '--porcelain')).toBe('');
  // Files that only end their lines otherwise are not told as changed.
  expect((await uncommitted(rig)).files).toEqual([]);
});

it('[CHG52] a false object that was planted under the name of what is committed is found', async () => {
  await using rig = landingRig();
  rig.write('a', 'a\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  rig.write('a', 'what was shown\n');
  const id = rig.git('hash-object', 'a').trim();
  mkdirSync(join(rig.tree, '.git/objects', id.slice(0, 2)), { recursive: true });
  writeFileSync(
    join(rig.tree, '.git/objects', id.slice(0, 2), id.slice(2)),
    deflateSync(Buffer.from('blob 5\0evil\n')),
  );
  expect(refusal(await commit(rig, ['a']))).toMatchObject({
    code: 'commit_refused',
    message: expect.stringContaining('false object'),
  });
  expect(rig.git('rev-list', '--count', 'HEAD').trim()).toBe('1');
});

it('[CHG52] names of any kind, links, modes and a file in the place of a folder', async () => {
  await using rig = landingRig();
  rig.write('dir/x', 'x\n');
  rig.write('plain', 'p\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  rig.remove('dir');
  rig.write('dir', 'a file now\n');
  rig.write('-rf', 'x');
  rig.write('two\nlines', 'x');
  rig.write(':(glob)**', 'x');
  rig.write(Buffer.from([0x66, 0xff, 0x2e]), 'x');
  const { files } = await uncommitted(rig);
  accepted(
    await commit(
      rig,
      files.map(({ path }) => path),
    ),
  );
  expect(rig.git('status', '--porcelain')).toBe('');
  expect(rig.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')).toHaveLength(7);
});

it('[CHG52] in a linked work tree the commit goes to its own branch, and the settings for a directory hold', async () => {
  await using rig = landingRig();
  rig.write('a', 'a\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  const tree = rig.worktree('agent/one');
  appendFileSync(join(rig.home, '.gitconfig'), `[includeIf "gitdir:${rig.tree}/"]\n\tpath = work\n`);
  writeFileSync(join(rig.home, 'work'), '[user]\n\temail = grace@work.example\n');
  tree.write('a', 'b\n');
  const index = readFileSync(join(rig.tree, '.git/index'));
  const state = await uncommitted(rig, tree.place);
  expect(state).toMatchObject({ branch: 'agent/one', author: 'Grace <grace@work.example>' });
  accepted(await rig.landings.commit(tree.place, { message: 'm', paths: ['a'], shown: shownIn(state) }));
  expect(tree.git('status', '--porcelain')).toBe('');
  expect(rig.git('rev-list', '--count', 'agent/one').trim()).toBe('2');
  expect(rig.git('rev-list', '--count', 'main').trim()).toBe('1');
  expect(readFileSync(join(rig.tree, '.git/index')).equals(index)).toBe(true);
});
