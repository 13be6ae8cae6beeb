import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Worktrees } from '../../../src/runner/workspace/worktrees.ts';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
import { accepted, personsGit, snapshotOf, tripwire } from './repositories.ts';
import { type WorktreeRig, worktreeRig } from './worktree-rig.ts';

const hooks = ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit', 'update'];

it('[CHG1] [CHG45] making, looking at and removing a worktree runs nothing of a hostile repository', async () => {
  await using rig = worktreeRig({
    '.gitattributes': '*.txt filter=evil diff=evil\n*.bin filter=lfs diff=lfs\n*.crlf text eol=crlf\n',
    'a.txt': 'one\n',
    'big.bin': 'version https://git-lfs.github.com/spec/v1\n',
    'win.crlf': 'one\ntwo\n',
  });
  const sub = join(rig.tree, 'sub');
  mkdirSync(sub);
  personsGit(sub, ['init', '-q']);
  writeFileSync(join(sub, 's.txt'), 's');
  personsGit(sub, ['add', '.']);
  personsGit(sub, ['commit', '-q', '-m', 's']);
  rig.git('add', 'sub');
  rig.git('commit', '-q', '-m', 'A repository within');
  const program = tripwire(rig.base, 'program');
  const ran = (): string =>
    existsSync(join(rig.base, 'ran')) ? readFileSync(join(rig.base, 'ran'), 'utf8') : '';
  for (const hook of hooks) {
    mkdirSync(join(rig.tree, '.git/hooks'), { recursive: true });
    writeFileSync(join(rig.tree, '.git/hooks', hook), readFileSync(program));
    chmodSync(join(rig.tree, '.git/hooks', hook), 0o755);
  }
  for (const name of ['evil', 'lfs'])
    for (const kind of ['clean', 'smudge', 'process'])
      rig.git('config', `filter.${name}.${kind}`, kind === 'process' ? `${program} end` : program);
  for (const name of [
    'core.fsmonitor',
    'diff.external',
    'diff.evil.command',
    'diff.evil.textconv',
    'core.pager',
    'gpg.program',
    'core.sshCommand',
    'credential.helper',
    'core.editor',
    'core.alternateRefsCommand',
    'alias.worktree',
  ])
    rig.git('config', name, name === 'alias.worktree' ? `!${program}` : program);
  // On the way to git there is one that the project brings along.
  const bin = join(rig.tree, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(program, join(bin, 'git'));
  const worktrees = new Worktrees({
    dataDir: join(rig.base, 'data'),
    home: join(rig.base, 'home'),
    path: [bin, process.env.PATH].join(delimiter),
    workspaces: rig.workspaces,
  });
  const { worktree, notes } = accepted(
    await worktrees.make({ orderId: 'w', place: rig.place, title: 'hostile' }),
  );
  expect(notes).toMatchObject({ submodules: 1, filters: ['evil', 'lfs'] });
  const files = snapshotOf(worktree.path, { without: ['.git'] });
  expect(files['big.bin']).toContain('version https://git-lfs');
  expect(files['win.crlf']).toContain('one\r\ntwo\r\n');
  expect(files['a.txt']).toContain('one\n');
  expect(files).not.toHaveProperty(['sub/s.txt']);
  writeFileSync(join(worktree.path, 'a.txt'), 'two\n');
  const [seen] = accepted(await worktrees.list()).worktrees;
  expect(seen?.work.uncommitted).toEqual([{ path: 'a.txt' }]);
  accepted(await worktrees.repository({ place: rig.place }));
  accepted(await worktrees.release({ worktreeId: 'w' }));
  accepted(await worktrees.remove({ worktreeId: 'w', shown: seen?.shown ?? '', branch: 'remove' }));
  await worktrees.close();
  expect(ran()).toBe('');
  // The traps are real ones.
  try {
    rig.git('worktree', 'add', '-q', join(rig.base, 'plain'));
  } catch {
    // Some make git fail after they went off.
  }
  expect(ran()).not.toBe('');
});

const seed = testSeed();

it(`[CHG50] a kill -9 while a worktree is made or removed leaves nothing half done, and the person's tree as it was (seed ${seed})`, {
  timeout: times(180_000),
}, async () => {
  const random = seededRandom(seed);
  for (let round = 0; round < times(3); round += 1) {
    await using rig = worktreeRig({ '.gitignore': '.env\n', '.worktreeinclude': '.env\n', 'a.txt': 'one\n' });
    rig.write('.env', 'TOKEN=1\n');
    rig.write('a.txt', 'edited\n');
    const persons = (): object => ({
      tree: snapshotOf(rig.tree, { times: true, without: ['.git'] }),
      own: ['index', 'HEAD', 'config'].map((name) => readFileSync(join(rig.tree, '.git', name), 'latin1')),
      refs: rig.git('for-each-ref', 'refs/heads/main'),
    });
    const before = persons();
    await killed(rig, 'make', 1 + Math.floor(random() * 10), random() < 0.5);
    const next = rig.again();
    // Whatever was begun is whole or gone, and it can be asked for again.
    const left = accepted(await next.list()).worktrees;
    expect(rig.git('worktree', 'list').trim().split('\n')).toHaveLength(1 + left.length);
    expect(rig.git('branch', '--list', 'beckon/*').split('\n').filter(Boolean)).toHaveLength(left.length);
    const { worktree } = accepted(await next.make({ orderId: 'w', place: rig.place, title: 'killed' }));
    expect(rig.gitIn(worktree.path, 'status', '--porcelain')).toBe('');
    writeFileSync(join(worktree.path, 'new'), 'untracked\n');
    const shown = (await rig.look('w')).shown;
    writeFileSync(join(rig.base, 'shown'), shown);
    await next.close();

    await killed(rig, 'remove', 1 + Math.floor(random() * 35), random() < 0.5);
    const last = rig.again();
    const stays = accepted(await last.list()).worktrees;
    expect(rig.git('worktree', 'list').trim().split('\n')).toHaveLength(1 + stays.length);
    for (const one of stays) expect(one).toMatchObject({ state: 'there', shown });
    expect(persons()).toEqual(before);
  }
});

it(`[CHG50] [CHG68] a kill -9 while a worktree is brought back leaves it removed or whole, and it can be brought back again (seed ${seed})`, {
  timeout: times(120_000),
}, async () => {
  const random = seededRandom(seed);
  for (let round = 0; round < times(3); round += 1) {
    await using rig = worktreeRig({ '.gitignore': '.env\n', '.worktreeinclude': '.env\n', 'a.txt': 'one\n' });
    rig.write('.env', 'TOKEN=1\n');
    const { worktree } = await rig.make('w');
    writeFileSync(join(worktree.path, 'a.txt'), 'edited\n');
    writeFileSync(join(worktree.path, 'new'), 'untracked\n');
    writeFileSync(join(worktree.path, '.env'), 'TOKEN=2\n');
    const files = (): object => snapshotOf(worktree.path, { without: ['.git'] });
    const before = files();
    const isDropped = random() < 0.5;
    const { shown } = await rig.look('w');
    const removal = { worktreeId: 'w', shown, branch: isDropped ? 'remove' : 'keep' } as const;
    accepted(await rig.worktrees.remove(removal));
    const persons = (): object => ({
      tree: snapshotOf(rig.tree, { times: true, without: ['.git'] }),
      own: ['index', 'HEAD', 'config'].map((name) => readFileSync(join(rig.tree, '.git', name), 'latin1')),
    });
    const own = persons();
    await killed(rig, 'restore', 1 + Math.floor(random() * restoreCalls), random() < 0.5);
    const next = rig.again();
    const { worktrees, removed } = accepted(await next.list());
    expect(worktrees.length + removed.length).toBe(1);
    expect(rig.git('worktree', 'list').trim().split('\n')).toHaveLength(1 + worktrees.length);
    if (removed.length === 1) {
      expect(existsSync(worktree.path)).toBe(false);
      expect(rig.git('branch', '--list', worktree.branch) === '').toBe(isDropped);
      accepted(await next.restore({ worktreeId: 'w' }));
    }
    expect(files()).toEqual(before);
    expect(rig.gitIn(worktree.path, 'status', '--porcelain')).toBe(' M a.txt\n?? new\n');
    expect(persons()).toEqual(own);
  }
});

/** About as many times as git is started to bring one back. */
const restoreCalls = 30;

const program = fileURLToPath(new URL('worktree-program.ts', import.meta.url));

/** Runs the program with a git that kills it at its n-th call. */
async function killed(
  rig: WorktreeRig,
  what: 'make' | 'remove' | 'restore',
  at: number,
  isBefore: boolean,
): Promise<void> {
  const folder = join(rig.base, 'programs');
  const count = join(folder, 'count');
  mkdirSync(folder, { recursive: true });
  writeFileSync(count, '');
  const path = process.env.PATH ?? '';
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh
printf x >> '${count}'
PATH='${path}'
if [ $(wc -c < '${count}') -eq ${at} ]; then
  ${isBefore ? '' : 'git "$@"'}
  kill -9 $PPID
  exit 1
fi
exec git "$@"
`,
  );
  chmodSync(join(folder, 'git'), 0o755);
  const child = spawn(process.execPath, [program, rig.base, what], {
    env: { PATH: [folder, path].join(delimiter), HOME: join(rig.base, 'home') },
    stdio: 'ignore',
  });
  await once(child, 'exit');
}
