import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Orders } from '../../../../src/runner/workspace/orders.ts';
import { gitsIn } from '../../../../src/runner/workspace/store.ts';
import { eventually } from '../../../support/eventually.ts';
import { seededRandom, testSeed, times } from '../../../support/seeded-random.ts';
import { type Kill, killedByGit } from '../killing-git.ts';
import { accepted, snapshotOf } from '../repositories.ts';
import { type LandingRig, landingRig, shownIn } from './landing-rig.ts';

const seed = testSeed();
const program = fileURLToPath(new URL('landing-program.ts', import.meta.url));

type NumberedKill = Kill & { readonly at: number | string };

/** All that a person would see of a work tree: its branch, what is staged, edited and new, and every byte. */
const seen = (rig: LandingRig) => ({
  main: rig.git('rev-parse', 'main^{tree}').trim(),
  commits: rig.git('rev-list', '--count', 'main').trim(),
  status: rig.git('status', '--porcelain'),
  staged: rig.git('diff', '--cached', '--name-status'),
  files: snapshotOf(rig.tree, { without: ['.git'] }),
  isLocked: existsSync(join(rig.tree, '.git/index.lock')),
});

it(`[CHG56] a kill -9 at any step of a commit leaves it undone or done (seed ${seed})`, {
  timeout: times(180_000),
}, async () => {
  const kills = (random: () => number): NumberedKill[] => [
    { at: 'update-ref', when: 'before' },
    { at: 'update-ref', when: 'after' },
    { at: 1 + Math.floor(random() * 30), when: random() < 0.5 ? 'before' : 'after' },
  ];
  for (let round = 0; round < times(3); round += 1) {
    const random = seededRandom(seed + round);
    const kill = kills(random)[round % 3];
    if (kill === undefined) throw new Error('no kill');
    await using rig = landingRig();
    for (const name of ['a', 'b', 'gone']) rig.write(name, `${name}\n`);
    rig.git('add', '.');
    rig.git('commit', '-q', '-m', 'first');
    rig.write('a', 'shown\n');
    rig.write('b', 'staged\n');
    rig.git('add', 'b');
    rig.write('new', 'new\n');
    rig.remove('gone');
    const { uncommitted } = accepted(await rig.landings.worktree(rig.place));
    const order = {
      orderId: 'ord_1',
      message: 'm',
      paths: ['a', 'gone', 'new'],
      shown: shownIn(uncommitted),
    };
    const before = seen(rig);
    await rig.workspaces.close();

    await killedByGit(rig.base, program, kill, { cwd: rig.tree, rest: ['commit', JSON.stringify(order)] });
    const again = { at: 1 + Math.floor(random() * 12), when: 'after' } as const;
    await killedByGit(rig.base, program, again, { cwd: rig.tree, rest: [] });
    const landings = rig.restarted();
    await landings.finished;
    const after = seen(rig);
    const isDone = after.commits === '2';
    const where = `killed ${kill.when} ${kill.at}`;
    if (kill.at === 'update-ref') {
      expect(isDone, where).toBe(kill.when === 'after');
      // Whoever gives the order again is told what became of it.
      const told = await new Orders(join(rig.base, 'data/recordings/orders')).outcome('ord_1');
      const commit = rig.git('rev-parse', 'main').trim();
      expect(told, where).toEqual(isDone ? { ok: true, value: { commit, branch: 'main' } } : undefined);
    }
    expect(after, where).toEqual(
      isDone ? { ...before, commits: '2', main: after.main, status: 'M  b\n', staged: 'M\tb\n' } : before,
    );
    if (isDone) expect(rig.git('show', '--format=', '--name-status', 'main')).toBe('M\ta\nD\tgone\nA\tnew\n');
    // And what was not done can be done.
    else accepted(await landings.commit(rig.place, order));
    expect(rig.git('status', '--porcelain')).toBe('M  b\n');
  }
});

it(`[CHG56] a kill -9 at any step of a landing leaves branch and files as they were, or landed (seed ${seed})`, {
  timeout: times(180_000),
}, async () => {
  const kills = (random: () => number): NumberedKill[] => [
    { at: 'update-ref', when: 'after' },
    { at: 1 + Math.floor(random() * 60), when: random() < 0.5 ? 'before' : 'after' },
  ];
  for (let round = 0; round < times(2); round += 1) {
    const random = seededRandom(seed + round);
    const kill = kills(random)[round % 2];
    if (kill === undefined) throw new Error('no kill');
    await using rig = landingRig();
    for (let file = 0; file < 8; file += 1) rig.write(`d${file % 2}/f${file}`, `first ${file}\n`.repeat(20));
    rig.write('flat', 'a file\n');
    rig.git('add', '.');
    rig.git('commit', '-q', '-m', 'first');
    const tree = rig.worktree('agent');
    for (let file = 0; file < 8; file += 1) {
      if (file % 4 === 0) rmSync(join(tree.path, `d${file % 2}/f${file}`));
      else tree.write(`d${file % 2}/f${file}`, `agent ${file}\n`.repeat(30));
    }
    rmSync(join(tree.path, 'flat'));
    tree.write('flat/inside', 'a folder now\n');
    tree.git('add', '-A');
    tree.git('commit', '-q', '-m', 'by the agent');
    rig.write('staged', 'mine\n');
    rig.git('add', 'staged');
    rig.write('untracked', 'mine\n');
    const { landing } = accepted(await rig.landings.worktree(tree.place));
    if (landing === null) expect.fail('nothing to land');
    const { branch, head, base, baseCommit } = landing;
    const order = { how: 'squash', message: 'm', shown: { branch, head, base, baseCommit } } as const;
    const before = seen(rig);
    const wanted = {
      ...before,
      commits: '2',
      main: tree.git('rev-parse', 'HEAD^{tree}').trim(),
      files: {
        ...snapshotOf(tree.path, { without: ['.git'] }),
        ...snapshotOf(rig.tree, { without: ['.git', 'd0', 'd1', 'flat'] }),
      },
    };
    await rig.workspaces.close();

    await killedByGit(rig.base, program, kill, { cwd: tree.path, rest: ['land', JSON.stringify(order)] });
    // As git leaves files when it is killed while it writes: some done, some not, one not there and one in part.
    if (kill.at === 'update-ref') leaveHalf(rig, before.files, wanted.files, random);
    const again = { at: 1 + Math.floor(random() * 25), when: 'after' } as const;
    await killedByGit(rig.base, program, again, { cwd: tree.path, rest: [] });
    const landings = rig.restarted();
    await landings.finished;
    const after = seen(rig);
    if (kill.at === 'update-ref') expect(after.commits).toBe('2');
    expect(after, `killed ${kill.when} ${kill.at}`).toEqual(after.commits === '2' ? wanted : before);
    if (after.commits === '1') accepted(await landings.land(tree.place, order));
    expect(seen(rig)).toEqual(wanted);
  }
});

it('[CHG56] what somebody edited between the kill and the return stays', async () => {
  await using rig = landingRig();
  for (const name of ['a', 'b']) rig.write(name, 'first\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  const tree = rig.worktree('agent');
  for (const name of ['a', 'b']) tree.write(name, 'by the agent\n');
  tree.git('commit', '-q', '-a', '-m', 'agent');
  const { landing } = accepted(await rig.landings.worktree(tree.place));
  if (landing === null) expect.fail('nothing to land');
  const { branch, head, base, baseCommit } = landing;
  const order = { how: 'rebase', shown: { branch, head, base, baseCommit } };
  await rig.workspaces.close();
  const rest = ['land', JSON.stringify(order)];
  await killedByGit(rig.base, program, { at: 'update-ref', when: 'after' }, { cwd: tree.path, rest });
  rig.write('b', 'by the person\n');
  await rig.restarted().finished;
  expect(rig.git('status', '--porcelain')).toBe(' M b\n');
  expect(rig.git('show', 'main:a')).toBe('by the agent\n');
  expect(seen(rig).files.a).toContain('by the agent');
});

/** A work tree with an edit, and the order to commit it. */
async function orderedCommit(rig: LandingRig) {
  rig.write('a', 'first\n');
  rig.git('add', '.');
  rig.git('commit', '-q', '-m', 'first');
  rig.write('a', 'second\n');
  const { uncommitted } = accepted(await rig.landings.worktree(rig.place));
  await rig.workspaces.close();
  return { message: 'm', paths: ['a'], shown: shownIn(uncommitted) };
}

it('[CHG56] a kill -9 right after the index was locked leaves no lock', async () => {
  await using rig = landingRig();
  const order = await orderedCommit(rig);
  const lock = join(rig.tree, '.git/index.lock');
  const at = { whileThere: lock };
  const rest = ['commit', JSON.stringify(order)];
  await killedByGit(rig.base, program, { at, when: 'before' }, { cwd: rig.tree, rest });
  expect(existsSync(lock)).toBe(true);
  const landings = rig.restarted();
  await landings.finished;
  expect(existsSync(lock)).toBe(false);
  accepted(await landings.commit(rig.place, order));
  expect(rig.git('status', '--porcelain')).toBe('');
});

it('[CHG56] a git that outlives its server is waited for before its work is judged', async () => {
  await using rig = landingRig();
  const order = await orderedCommit(rig);
  const refLock = join(rig.tree, '.git/refs/heads/main.lock');
  writeFileSync(refLock, '');
  const rest = ['commit', JSON.stringify(order)];
  const kill = { at: 'update-ref', when: 'meanwhile' } as const;
  await killedByGit(rig.base, program, kill, { cwd: rig.tree, rest });
  await eventually('git waits for the ref', () => gitsIn(join(rig.tree, '.git')).length > 0);
  const calls = join(rig.base, 'calls');
  const landings = rig.restarted(countedGit(rig.base, calls));
  await eventually(
    'the next server is at it',
    () => existsSync(calls) && readFileSync(calls, 'utf8').includes('version'),
  );
  rmSync(refLock);
  await landings.finished;
  expect(seen(rig)).toMatchObject({ commits: '2', status: '', isLocked: false });
});

type Files = ReturnType<typeof snapshotOf>;

function leaveHalf(rig: LandingRig, was: Files, asked: Files, random: () => number): void {
  const contentOf = (files: Files, path: string): string | undefined =>
    files[path]?.replace(/^\d+ \d+ {2}/, '');
  for (const path of new Set([...Object.keys(was), ...Object.keys(asked)])) {
    const [old, next] = [contentOf(was, path), contentOf(asked, path)];
    if (old === next || path.startsWith('flat')) continue;
    const content = [old, next, undefined, next?.slice(0, 10)][Math.floor(random() * 4)];
    if (content === undefined) rig.remove(path);
    else writeFileSync(join(rig.tree, path), content);
  }
}

/** A PATH with a git that writes down how it is called. */
function countedGit(base: string, calls: string): string {
  const folder = join(base, 'counted');
  const path = process.env.PATH ?? '';
  mkdirSync(folder);
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho "$*" >> '${calls}'\nPATH='${path}'\nexec git "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return `${folder}${delimiter}${path}`;
}
