import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Worktrees } from '../../../src/runner/workspace/worktrees.ts';
import { type LandingRig, landingRig, refusal, shownIn } from './landing/landing-rig.ts';
import { type OldGit, oldGit } from './old-git.ts';
import { accepted, personsGit, tripwire, workspaceRig } from './repositories.ts';
import { worktreeRig } from './worktree-rig.ts';

/** A branch with one commit in a work tree of its own, and git 2.30 on everything. */
function branchedWithOldGit(rig: LandingRig) {
  rig.write('a', 'one\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  const tree = rig.worktree('agent/work');
  tree.write('b', 'two\n');
  const old = oldGit(rig.base);
  return { tree, old, landings: rig.restarted(old.path) };
}

const untouchedBy = (old: OldGit): void => expect(old.refused()).toEqual([]);

describe('[CHG71] with git 2.30', () => {
  it('[CHG4] [CHG8] files are recorded, compared and put back, and no option of a later git is used', async () => {
    await using rig = workspaceRig();
    const old = oldGit(rig.base);
    const workspaces = rig.reopened({ path: old.path });
    rig.write('a', 'one\n');
    const before = accepted(await workspaces.record(rig.place)).id;
    rig.write('a', 'two\n');
    rig.write('b', 'new\n');
    const after = accepted(await workspaces.record(rig.place)).id;
    const span = { before, after };
    const { files } = accepted(await workspaces.changes(rig.place, span));
    expect(files.map(({ path }) => path)).toEqual(['a', 'b']);
    expect(accepted(await workspaces.patch(rig.place, span, 'a')).text).toContain('+two');
    expect(accepted(await workspaces.undo(rig.place, span)).done).toBe(true);
    expect(readFileSync(join(rig.tree, 'a'), 'utf8')).toBe('one\n');
    untouchedBy(old);
  });

  it('[CHG23] very many files do not become as many packs', async () => {
    await using rig = workspaceRig();
    const old = oldGit(rig.base);
    const paths = Array.from({ length: 1_100 }, (_, file) => `d${file % 9}/f${file}`);
    for (const path of paths) rig.write(path, `${path}\n`);
    const workspaces = rig.reopened({ path: old.path });
    const { id } = accepted(await workspaces.record(rig.place));
    expect(accepted(await workspaces.content(rig.place, id, 'd2/f1091'))?.toString()).toBe('d2/f1091\n');
    const store = join(rig.base, 'data/recordings');
    const [folder = ''] = readdirSync(store).filter((name) => /^[0-9a-f]{32}$/.test(name));
    expect(readdirSync(join(store, folder, 'objects/pack'))).toEqual([]);
    untouchedBy(old);
  }, 120_000);

  it('[CHG1] [CHG58] nothing that a repository is set to is run, nor is anything in its place', async () => {
    await using rig = landingRig();
    const { tree, old, landings } = branchedWithOldGit(rig);
    const program = tripwire(rig.base, 'evil');
    for (const name of ['core.fsmonitor', 'filter.evil.clean', 'diff.evil.textconv'])
      rig.git('config', name, program);
    tree.write('.gitattributes', '* filter=evil diff=evil\n');
    accepted(await landings.worktree(tree.place));
    expect(existsSync(join(rig.base, 'ran'))).toBe(false);
    untouchedBy(old);
  });

  it('[CHG45] a worktree is made on a branch of its own', async () => {
    await using rig = worktreeRig();
    const old = oldGit(rig.base);
    const worktrees = new Worktrees({
      dataDir: join(rig.base, 'data'),
      home: join(rig.base, 'home'),
      path: old.path,
      workspaces: rig.workspaces,
    });
    const made = accepted(await worktrees.make({ orderId: 'w1', place: rig.place, title: 'Try it' }));
    await worktrees.close();
    expect(readFileSync(join(made.worktree.path, 'a.txt'), 'utf8')).toBe('one\n');
    expect(rig.gitIn(made.worktree.path, 'status', '--porcelain')).toBe('');
    untouchedBy(old);
  });

  it('[CHG52] [CHG54] [CHG57] a commit is made, lands on a base that stayed where it was, and is pushed', async () => {
    await using rig = landingRig();
    const { tree, old, landings } = branchedWithOldGit(rig);
    const bare = join(rig.base, 'remote.git');
    personsGit(rig.base, ['init', '-q', '--bare', '-b', 'main', bare]);
    rig.git('remote', 'add', 'origin', bare);
    const { uncommitted } = accepted(await landings.worktree(tree.place));
    const order = { message: 'Two', paths: ['b'], shown: shownIn(uncommitted) };
    const { commit } = accepted(await landings.commit(tree.place, order));
    const { landing } = accepted(await landings.worktree(tree.place));
    if (landing === null) expect.fail('nothing to land');
    const { branch, head, base, baseCommit } = landing;
    const shown = { branch, head, base, baseCommit };
    accepted(await landings.land(tree.place, { how: 'rebase', shown }));
    expect(rig.git('rev-parse', 'main').trim()).toBe(commit);
    expect(readFileSync(join(rig.tree, 'b'), 'utf8')).toBe('two\n');
    const [target] = accepted(await landings.worktree(rig.place)).pushes;
    if (target === undefined) expect.fail('nowhere to push');
    const { problem, ...to } = target;
    expect(problem).toBeNull();
    expect(accepted(await landings.push(rig.place, { shown: to }))).toMatchObject({ done: true });
    expect(personsGit(bare, ['rev-parse', 'main']).trim()).toBe(commit);
    untouchedBy(old);
  });

  it('[CHG55] two sides are not merged, which is said with both versions, and nothing is done', async () => {
    await using rig = landingRig();
    const { tree, old, landings } = branchedWithOldGit(rig);
    tree.git('add', '.');
    tree.git('commit', '-q', '-m', 'two');
    rig.write('a', 'other\n');
    rig.git('commit', '-q', '-a', '-m', 'other');
    const main = rig.git('rev-parse', 'main');
    const { landing } = accepted(await landings.worktree(tree.place));
    expect(landing).toMatchObject({ merged: { can: false, why: 'old-git' } });
    if (landing === null) expect.fail('nothing to land');
    const { branch, head, base, baseCommit } = landing;
    const shown = { branch, head, base, baseCommit };
    const refused = refusal(await landings.land(tree.place, { how: 'merge', shown }));
    expect(refused.message).toBe('git 2.30 cannot merge without a work tree; git 2.38 and later can.');
    expect(rig.git('rev-parse', 'main')).toBe(main);
    untouchedBy(old);
  });
});

it('[CHG71] an older git than 2.30 is refused with its version, for recording and for landing', async () => {
  await using rig = landingRig();
  rig.write('a', 'one\n');
  const { path } = oldGit(rig.base, '2.29.3');
  const message = 'git 2.29 is older than 2.30.';
  expect(refusal(await rig.reopened({ path }).record(rig.place)).message).toBe(message);
  expect(refusal(await rig.restarted(path).worktree(rig.place)).message).toBe(message);
});
