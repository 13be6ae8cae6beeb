import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Git } from '../../../src/runner/workspace/git.ts';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
import { accepted, personsGit, snapshotOf, type WorkspaceRig, workspaceRig } from './repositories.ts';

const seed = testSeed();

describe('recording', () => {
  it(`[CHG3] [CHG4] leaves all that is the person's bit for bit, and has what git would have (seed ${seed})`, {
    timeout: times(180_000),
  }, async () => {
    for (let round = 0; round < times(3); round += 1) {
      await using rig = workspaceRig();
      const random = seededRandom(seed + round);
      for (let move = 0; move < 14; move += 1) personMoves(rig, random);
      const before = snapshotOf(rig.tree, { times: true });
      const recording = accepted(await rig.workspaces.record(rig.place));
      const again = accepted(await rig.reopened().record(rig.place));
      expect(again.tree).toBe(recording.tree);
      expect(snapshotOf(rig.tree, { times: true })).toEqual(before);

      // Only in the middle of a move has the person's index what is no longer there.
      const listed = rig.git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
      const expected = listed.filter((path) => path in before);
      const recorded: string[] = [];
      const empty = accepted(await emptyRecording(rig));
      const all = accepted(
        await rig.workspaces.changes(rig.place, { before: empty.id, after: recording.id }),
      );
      for (const { path } of all.files) recorded.push(path);
      expect(recorded.sort()).toEqual([...new Set(expected)].sort());
    }
  });

  it('[CHG4] has tracked files that are ignored, and leaves out what the person, the repository or Beckon ignores', async () => {
    await using rig = workspaceRig();
    const empty = accepted(await rig.workspaces.record(rig.place));
    mkdirSync(join(rig.base, 'home/.config/git'), { recursive: true });
    writeFileSync(join(rig.base, 'home/.config/git/ignore'), '*.swp\n');
    writeFileSync(join(rig.tree, '.git/info/exclude'), '/notes\n');
    rig.write('.gitignore', 'build/\n.env\n');
    for (const path of ['a.swp', 'notes', '.env', 'build/tracked', 'build/untracked', 'src/main'])
      rig.write(path, path);
    rig.git('add', '-f', 'build/tracked');
    const first = accepted(await rig.workspaces.record(rig.place));
    expect(await pathsBetween(rig, empty.id, first.id)).toEqual(['.gitignore', 'build/tracked', 'src/main']);

    // Gone and made again, it is still the repository's.
    rig.remove('build/tracked');
    const without = accepted(await rig.workspaces.record(rig.place));
    expect(await pathsBetween(rig, first.id, without.id)).toEqual(['build/tracked']);
    rig.write('build/tracked', 'anew');
    const last = accepted(await rig.workspaces.record(rig.place));
    expect(await pathsBetween(rig, without.id, last.id)).toEqual(['build/tracked']);

    const inside = rig.reopened({ dataDir: join(rig.tree, 'our [own] data') });
    const before = accepted(await inside.record(rig.place)).id;
    rig.write('src/main', 'changed');
    const after = accepted(await inside.record(rig.place)).id;
    const { files } = accepted(await inside.changes(rig.place, { before, after }));
    expect(files.map(({ path }) => path)).toEqual(['src/main']);
  });

  it('[CHG4] [CHG23] has every file, also of very many, and lets everything else go on meanwhile', async () => {
    await using rig = workspaceRig();
    const before = accepted(await rig.workspaces.record(rig.place)).id;
    const paths = Array.from({ length: 3_100 }, (_, file) => `d${file % 9}/f${file}`);
    for (const path of paths) rig.write(path, `${path}\n`);
    const turns = longestTurn();
    const after = accepted(await rig.workspaces.record(rig.place)).id;
    const { files, isAll } = accepted(await rig.workspaces.changes(rig.place, { before, after }));
    // A collection of garbage in a process that has run many tests counts, too.
    expect(turns.end()).toBeLessThan(60);
    expect({ isAll, count: files.length }).toEqual({ isAll: true, count: 3_100 });
    const content = await rig.workspaces.content(rig.place, after, 'd2/f3098');
    expect(accepted(content)?.toString()).toBe('d2/f3098\n');

    // Of a large index only a part is written anew. Edits of the same second and length are seen all the same, each time.
    let last = after;
    for (let turn = 0; turn < 4; turn += 1) {
      const workspaces = turn === 2 ? rig.reopened() : rig.workspaces;
      const [edited = '', gone = ''] = paths.slice(turn * 2);
      rig.write(edited, `${edited.toUpperCase()}\n`);
      rig.remove(gone);
      rig.write(`new${turn}`, 'new\n');
      const next = accepted(await workspaces.record(rig.place)).id;
      expect(await pathsBetween(rig, last, next)).toEqual([edited, gone, `new${turn}`].sort());
      last = next;
    }
    const store = join(rig.base, 'data/recordings');
    const [folder = ''] = readdirSync(store).filter((name) => /^[0-9a-f]{32}$/.test(name));
    expect(readdirSync(join(store, folder)).some((name) => name.startsWith('sharedindex.'))).toBe(true);
  });

  it('[CHG4] finds all files again where its index was lost or cut short', async () => {
    await using rig = workspaceRig();
    rig.write('file', 'one\n');
    const first = accepted(await rig.workspaces.record(rig.place));
    const store = join(rig.base, 'data/recordings');
    const [folder = ''] = readdirSync(store).filter((name) => /^[0-9a-f]{32}$/.test(name));
    const index = join(store, folder, 'index');
    for (const spoil of [
      () => truncateSync(index, 20),
      () => writeFileSync(index, 'x'),
      () => rmSync(index),
    ]) {
      spoil();
      expect(accepted(await rig.workspaces.record(rig.place)).tree).toBe(first.tree);
    }
  });

  it('[CHG4] [CHG6] names what it cannot record, and never tells it as deleted', async () => {
    await using rig = workspaceRig({ limits: { fileBytes: 1_000 } });
    for (const path of ['grows', 'becomes-pipe', 'small']) rig.write(path, 'short\n');
    const first = accepted(await rig.workspaces.record(rig.place));
    expect(first.unrecorded).toEqual([]);
    truncateSync(join(rig.tree, 'grows'), 1_001);
    rig.remove('becomes-pipe');
    execFileSync('mkfifo', [join(rig.tree, 'becomes-pipe')]);
    rig.write('.GIT/config', 'x');
    symlinkSync('small', join(rig.tree, '.gitmodules'));
    mkdirSync(join(rig.tree, 'nested'));
    personsGit(join(rig.tree, 'nested'), ['init', '-q']);
    rig.write('nested/file', 'x');
    rig.write('small', 'changed\n');

    const last = accepted(await rig.workspaces.record(rig.place));
    const named = new Map(last.unrecorded.map(({ path, why }) => [String(path), why]));
    expect(Object.fromEntries(named)).toEqual({
      grows: 'size',
      'becomes-pipe': 'kind',
      '.GIT/config': 'name',
      '.gitmodules': 'name',
      'nested/': 'nested',
    });
    const span = { before: first.id, after: last.id };
    const changes = accepted(await rig.workspaces.changes(rig.place, span));
    expect(changes.files.map(({ path }) => path)).toEqual(['small']);
    expect(changes.unrecorded).toHaveLength(5);
    // It is on the disk with the recording: another server knows it as well.
    expect(accepted(await rig.reopened().changes(rig.place, span))).toEqual(changes);
    const before = snapshotOf(rig.tree, { without: ['.git', 'small'] });
    expect(accepted(await rig.workspaces.undo(rig.place, span)).done).toBe(true);
    expect(snapshotOf(rig.tree, { without: ['.git', 'small'] })).toEqual(before);
  });

  it('[CHG5] is refused in words without git, in a home directory, and above the roots', async () => {
    await using rig = workspaceRig();
    const plain = join(rig.base, 'plain');
    mkdirSync(plain);
    const code = async (cwd: string, roots: string[] = []): Promise<string | undefined> => {
      const result = await rig.reopened().record({ cwd, realCwd: null, roots });
      return result.ok ? undefined : result.refusal.code;
    };
    expect(await code(plain)).toBe('no_repository');
    personsGit(join(rig.base, 'home'), ['init', '-q']);
    expect(await code(join(rig.base, 'home'))).toBe('directory_too_wide');
    personsGit(rig.base, ['init', '-q']);
    expect(await code(plain)).toBe('directory_too_wide');
    mkdirSync(join(rig.tree, 'part'));
    expect(await code(join(rig.tree, 'part'), [join(rig.tree, 'part')])).toBe('no_repository');
    expect(await code(join(rig.tree, 'part'))).toBeUndefined();
    expect(await rig.reopened({ path: plain }).record(rig.place)).toMatchObject({
      refusal: { code: 'git_not_available' },
    });
  });

  it('[CHG6] gives up the oldest recordings when more is kept than may be, and refuses too much at once', async () => {
    await using rig = workspaceRig({ storeBytes: 300_000, limits: { newBytes: 200_000 } });
    const random = seededRandom(seed);
    const ids: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      rig.write('noise', Buffer.from(Array.from({ length: 100_000 }, () => Math.floor(random() * 256))));
      ids.push(accepted(await rig.workspaces.record(rig.place)).id);
    }
    const [oldest = '', newest = ''] = [ids[0], ids.at(-1)];
    const gone = await rig.workspaces.content(rig.place, oldest, 'noise');
    expect(gone).toMatchObject({ ok: false, refusal: { code: 'recording_not_found' } });
    expect(accepted(await rig.workspaces.content(rig.place, newest, 'noise'))).toHaveLength(100_000);
    for (const name of ['a', 'b', 'c']) rig.write(name, Buffer.alloc(100_000));
    expect(await rig.workspaces.record(rig.place)).toMatchObject({ refusal: { code: 'directory_too_wide' } });
  });
});

describe('[CHG11] git', () => {
  const call = (rig: WorkspaceRig, args: string[], more = {}) => ({
    gitDir: rig.base,
    workTree: rig.tree,
    args,
    ...more,
  });

  /** A program called git that does what a shell is told. */
  function scripted(rig: WorkspaceRig, script: string): Git {
    const folder = join(rig.base, 'programs');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'git'), 0o755);
    return new Git(`${folder}:/usr/bin:/bin`);
  }

  it('is ended with all it started when it takes too long, says too much, or the server closes', async () => {
    await using rig = workspaceRig();
    const late = await scripted(rig, 'sleep 1000').run(call(rig, ['x'], { longestMs: 50 }));
    expect(late.end).toBe('late');
    const chatty = await scripted(rig, 'yes').run(call(rig, ['x'], { mostBytes: 1_000 }));
    expect(chatty).toMatchObject({ end: 'long' });
    expect(chatty.output).toHaveLength(1_000);
    const pidFile = join(rig.base, 'pid');
    const waiting = scripted(
      rig,
      `sleep 1000 & echo $! > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; wait`,
    );
    const both = [waiting.run(call(rig, ['x'])), waiting.run(call(rig, ['x']))];
    await expect.poll(() => existsSync(pidFile)).toBe(true);
    waiting.close();
    expect((await Promise.all(both)).map(({ end }) => end)).toEqual(['closed', 'closed']);
    await expect.poll(() => isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  it('runs once at a time per directory, and gets nothing of our environment', async () => {
    await using rig = workspaceRig();
    const notes = join(rig.base, 'notes');
    const git = scripted(rig, `echo begin >> '${notes}'; env; echo end >> '${notes}'; cat '${notes}'`);
    const outcomes = await Promise.all([1, 2, 3].map(() => git.run(call(rig, ['x']))));
    expect(outcomes[2]?.output.toString()).toContain('begin\nend\nbegin\nend\nbegin\nend\n');
    const told = outcomes[0]?.output.toString() ?? '';
    expect(told).not.toContain('VITEST');
    expect(told).toContain(`HOME=${rig.base}\n`);
    // Elsewhere it would miss edits of the same second and length.
    expect(told).toContain(`PWD=${rig.tree}\n`);
  });
});

/** The longest that this thread worked without letting others: its own processor time, whatever else the machine does. */
function longestTurn(): { end(): number } {
  let [longest, isOver] = [0, false];
  let last = process.threadCpuUsage();
  const look = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, (now.user + now.system - last.user - last.system) / 1_000);
    last = now;
    if (!isOver) setTimeout(look, 1);
  };
  look();
  return {
    end() {
      isOver = true;
      return longest;
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function pathsBetween(rig: WorkspaceRig, before: string, after: string): Promise<string[]> {
  return accepted(await rig.workspaces.changes(rig.place, { before, after })).files.map(({ path }) => path);
}

/** The recording of an empty tree, in the store of the same work tree. */
async function emptyRecording(rig: WorkspaceRig) {
  const aside = join(rig.base, 'aside');
  execFileSync('mv', [rig.tree, aside]);
  mkdirSync(rig.tree);
  personsGit(rig.tree, ['init', '-q']);
  const empty = await rig.reopened().record(rig.place);
  execFileSync('rm', ['-r', rig.tree]);
  execFileSync('mv', [aside, rig.tree]);
  return empty;
}

/** What people do between two turns. */
function personMoves(rig: WorkspaceRig, random: () => number): void {
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const file = pick(['a', 'b', 'dir/c', 'dir/d', 'deep/er/e', 'x.log']) ?? 'a';
  const attempt = (...args: string[]): void => {
    try {
      rig.git(...args);
    } catch {
      // Nothing to add, to commit or to stash: then nothing happens.
    }
  };
  const write = (): void => rig.write(file, `${random()}\n`);
  const moves: readonly (() => void)[] = [
    write,
    write,
    () => attempt('add', '-f', file),
    () => {
      attempt('add', '.');
      write();
    },
    () => attempt('commit', '-q', '-a', '-m', 'work'),
    () => attempt('stash', '-u'),
    () => attempt('rm', '-q', '--cached', file),
    () => {
      write();
      chmodSync(join(rig.tree, file), 0o755);
    },
    () => rig.write('.gitignore', '*.log\n'),
    () => rig.remove(file),
    () => attempt('checkout', '-q', '-b', `b${Math.floor(random() * 1e9)}`),
  ];
  pick(moves)?.();
}
