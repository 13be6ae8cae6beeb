import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Landing, LandingHow, LandingShown } from '../../../../src/protocol/landing.ts';
import { accepted, snapshotOf } from '../repositories.ts';
import { type LandingRig, landingRig, refusal, type Tree } from './landing-rig.ts';

/** A repository with a file on main, and a branch with two commits in a work tree of its own. */
async function branched(rig: LandingRig): Promise<Tree> {
  rig.write('a', 'one\ntwo\nthree\nfour\nfive\n');
  rig.write('gone', 'gone\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  const tree = rig.worktree('agent/work');
  tree.write('a', 'one\ntwo\nthree\nfour\nFIVE\n');
  tree.git('commit', '-q', '-a', '-m', 'Shout five');
  tree.write('dir/new', 'new\n');
  tree.git('rm', '-q', 'gone');
  tree.git('add', '.');
  tree.git('commit', '-q', '-m', 'Add new, drop gone');
  return tree;
}

const landingOf = async (rig: LandingRig, tree: Tree): Promise<Landing> => {
  const { landing } = accepted(await rig.landings.worktree(tree.place));
  if (landing === null) expect.fail('nothing to land');
  return landing;
};

const shown = ({ branch, head, base, baseCommit }: Landing): LandingShown => ({
  branch,
  head,
  base,
  baseCommit,
});

const land = async (rig: LandingRig, tree: Tree, how: LandingHow, message?: string) =>
  rig.landings.land(tree.place, {
    how,
    shown: shown(await landingOf(rig, tree)),
    ...(message !== undefined && { message }),
  });

describe('[CHG54] a branch lands on its base as merge, squash or rebase, and the files where the base is checked out go along', () => {
  it.each([
    ['merge', ['Merge branch', 'Add new', 'Shout five', 'Say zero', 'first']],
    ['squash', ['In one', 'Say zero', 'first']],
    ['rebase', ['Add new', 'Shout five', 'Say zero', 'first']],
  ] as const)('%s', async (how, subjects) => {
    await using rig = landingRig();
    const tree = await branched(rig);
    rig.write('a', 'zero\none\ntwo\nthree\nfour\nfive\n');
    rig.git('commit', '-q', '-a', '-m', 'Say zero');
    // What the person has besides stays: staged, edited, untracked, stashed.
    rig.write('stashed', 'x\n');
    rig.git('add', 'stashed');
    rig.git('stash', '-q');
    rig.write('staged', 'staged\n');
    rig.git('add', 'staged');
    rig.write('untracked', 'mine\n');
    const stash = rig.git('rev-parse', 'stash');

    const landing = await landingOf(rig, tree);
    expect(landing).toMatchObject({ branch: 'agent/work', base: 'main', ahead: 2, behind: 1 });
    expect(landing.commits.map(({ subject }) => subject)).toEqual(['Add new, drop gone', 'Shout five']);
    expect(landing.checkedOut).toEqual({ path: rig.tree, isAllowed: true, inTheWay: [], underWay: null });
    expect(landing.merged).toEqual({ can: true, files: 3, added: 2, removed: 2, commits: 1 });
    expect(landing.rebased).toEqual({ can: true, files: 3, added: 2, removed: 2, commits: 2 });
    const objects = rig.git('count-objects');
    await landingOf(rig, tree);
    expect(rig.git('count-objects')).toBe(objects);

    const landed = accepted(await land(rig, tree, how, how === 'squash' ? 'In one' : undefined));
    expect(landed).toEqual({ base: 'main', commit: rig.git('rev-parse', 'main').trim(), moved: rig.tree });
    const log = rig.git('log', '--topo-order', '--format=%s').trim().split('\n');
    expect(log).toHaveLength(subjects.length);
    for (const subject of subjects) expect(log).toContainEqual(expect.stringContaining(subject));
    expect(rig.git('log', '-1', '--format=%cn')).toBe('Grace\n');
    expect(rig.git('log', '-1', '--format=%an')).toBe(how === 'rebase' ? 'Ada\n' : 'Grace\n');
    expect(rig.git('log', '-1', '--format=%P').trim().split(' ')).toHaveLength(how === 'merge' ? 2 : 1);
    expect(readFileSync(join(rig.tree, 'a'), 'utf8')).toBe('zero\none\ntwo\nthree\nfour\nFIVE\n');
    expect(existsSync(join(rig.tree, 'gone'))).toBe(false);
    expect(rig.git('status', '--porcelain')).toBe('A  staged\n?? untracked\n');
    expect(rig.git('rev-parse', 'stash')).toBe(stash);
    expect(rig.git('fsck', '--strict', '--no-dangling')).toBe('');
    // The branch and its work tree are as they were.
    expect(tree.git('status', '--porcelain', '-b')).toBe('## agent/work\n');
    expect(rig.git('rev-parse', 'agent/work').trim()).toBe(landing.head);
  });

  it('a base that is checked out nowhere is only moved', async () => {
    await using rig = landingRig();
    const tree = await branched(rig);
    rig.git('checkout', '-q', '--detach');
    const files = snapshotOf(rig.tree, { without: ['.git'] });
    const { landing } = accepted(await rig.landings.worktree(tree.place, 'main'));
    if (landing === null) expect.fail('nothing to land');
    expect(landing.checkedOut).toBeNull();
    const landed = accepted(await rig.landings.land(tree.place, { how: 'rebase', shown: shown(landing) }));
    // Nothing came in between: the commits are the same ones.
    expect(landed).toEqual({ base: 'main', commit: landing.head, moved: null });
    expect(rig.git('rev-parse', 'main').trim()).toBe(landing.head);
    expect(snapshotOf(rig.tree, { without: ['.git'] })).toEqual(files);
  });
});

describe('[CHG55] nothing lands that was not shown, and nothing of the person is overwritten', () => {
  it('conflicts are told as they are, and nothing is done', async () => {
    await using rig = landingRig();
    const tree = await branched(rig);
    rig.write('a', 'one\ntwo\nthree\nfour\nfünf\n');
    rig.write('gone', 'still here\n');
    rig.git('commit', '-q', '-a', '-m', 'In German');
    const before = snapshotOf(rig.tree);
    const landing = await landingOf(rig, tree);
    const hunks = [{ line: 5, base: 'fünf', branch: 'FIVE' }];
    expect(landing.merged).toEqual({
      can: false,
      why: 'conflicts',
      conflicts: [
        { path: 'a', why: 'content', hunks, isCut: false },
        { path: 'gone', why: 'deleted', hunks: [], isCut: false },
      ],
    });
    expect(landing.rebased).toMatchObject({
      can: false,
      at: landing.commits[1]?.id,
      conflicts: [{ path: 'a', hunks }],
    });
    for (const how of ['merge', 'squash', 'rebase'] as const)
      expect(refusal(await land(rig, tree, how)).code).toBe('landing_conflicts');
    expect(snapshotOf(rig.tree)).toEqual(before);
  });

  it('what is edited, staged, untracked or ignored in the way is named, and nothing is done', async () => {
    await using rig = landingRig();
    const tree = await branched(rig);
    const before = rig.git('rev-parse', 'main');
    const tries: readonly [string, () => void, () => void][] = [
      ['a', () => rig.write('a', 'mine\n'), () => void rig.git('checkout', '-q', 'a')],
      ['gone', () => void rig.git('rm', '-q', '--cached', 'gone'), () => void rig.git('reset', '-q')],
      ['dir/new', () => rig.write('dir/new', 'mine\n'), () => rig.remove('dir')],
      [
        'dir/new',
        () => {
          writeFileSync(join(rig.tree, '.git/info/exclude'), 'dir\n');
          rig.write('dir/new', 'mine\n');
        },
        () => rig.remove('dir'),
      ],
    ];
    for (const [path, lay, clear] of tries) {
      lay();
      const files = snapshotOf(rig.tree, { without: ['.git'] });
      expect((await landingOf(rig, tree)).checkedOut?.inTheWay).toEqual([path]);
      expect(refusal(await land(rig, tree, 'merge'))).toMatchObject({
        code: 'commit_refused',
        message: expect.stringContaining(path),
      });
      expect(snapshotOf(rig.tree, { without: ['.git'] })).toEqual(files);
      clear();
    }
    rig.write('dir', 'a file where a folder would be\n');
    expect(refusal(await land(rig, tree, 'merge')).code).toBe('commit_refused');
    rig.remove('dir');
    expect(rig.git('rev-parse', 'main')).toBe(before);
    expect(existsSync(join(rig.tree, '.git/index.lock'))).toBe(false);
    accepted(await land(rig, tree, 'merge'));
    expect(rig.git('status', '--porcelain')).toBe('');
  });

  it('another commit on either side since it was shown is refused; twice is once', async () => {
    await using rig = landingRig();
    const tree = await branched(rig);
    const old = shown(await landingOf(rig, tree));
    tree.git('commit', '-q', '--allow-empty', '-m', 'one more');
    expect(refusal(await rig.landings.land(tree.place, { how: 'merge', shown: old })).code).toBe(
      'changes_moved',
    );
    tree.git('reset', '-q', '--hard', 'HEAD~');
    rig.git('commit', '-q', '--allow-empty', '-m', 'on main');
    expect(refusal(await rig.landings.land(tree.place, { how: 'merge', shown: old })).code).toBe(
      'changes_moved',
    );
    const fresh = shown(await landingOf(rig, tree));
    const orders = ['merge', 'squash'] as const;
    const done = await Promise.all(orders.map((how) => rig.landings.land(tree.place, { how, shown: fresh })));
    expect(done.map(({ ok }) => ok)).toEqual([true, false]);
    expect(rig.git('rev-list', '--first-parent', '--count', 'main').trim()).toBe('3');
    expect(await landingOf(rig, tree)).toMatchObject({ ahead: 0 });
    expect(refusal(await land(rig, tree, 'merge')).code).toBe('changes_moved');
  });

  it('a rebase or merge under way there, a place outside of the roots, and a filter are told in words', async () => {
    await using rig = landingRig();
    const tree = await branched(rig);
    const place = { ...tree.place, roots: [tree.path] };
    const { landing } = accepted(await rig.landings.worktree(place));
    expect(landing?.checkedOut?.isAllowed).toBe(false);
    const old = shown(await landingOf(rig, tree));
    expect(refusal(await rig.landings.land(place, { how: 'merge', shown: old })).message).toMatch(/roots/);
    mkdirSync(join(rig.tree, '.git/rebase-merge'));
    expect(refusal(await land(rig, tree, 'merge')).message).toMatch(/rebase is under way/);
    writeFileSync(join(rig.tree, '.git/rebase-merge/head-name'), 'refs/heads/main\n');
    rig.git('update-ref', '--no-deref', 'HEAD', 'HEAD');
    expect(refusal(await rig.landings.land(tree.place, { how: 'merge', shown: old })).message).toMatch(
      /being rebased/,
    );
  });

  it('a branch with merges in it is not laid in a line, and one of another history not at all', async () => {
    await using rig = landingRig();
    const tree = await branched(rig);
    rig.git('commit', '-q', '--allow-empty', '-m', 'on main');
    tree.git('merge', '-q', '-m', 'take main', 'main');
    const landing = await landingOf(rig, tree);
    expect(landing.merged.can).toBe(true);
    expect(landing.rebased).toEqual({ can: false, why: 'merges', conflicts: [] });
    expect(refusal(await land(rig, tree, 'rebase')).message).toMatch(/merges/);
    tree.git('checkout', '-q', '--orphan', 'alone');
    tree.git('commit', '-q', '-m', 'alone');
    expect((await landingOf(rig, tree)).merged).toMatchObject({ can: false, why: 'unrelated' });
  });
});
