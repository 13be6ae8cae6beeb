import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  accepted,
  personsGit,
  placeIn,
  snapshotOf,
  tripwire,
  type WorkspaceRig,
  workspaceRig,
} from './repositories.ts';

const secret = 'hunter2-of-somebody-else';

interface Hostile {
  readonly name: string;
  /** Lays the trap, with a program that must not run. */
  lay(rig: WorkspaceRig, program: string): void;
  /** What plain git does there, so that the trap is known to work. Without it there is no program, only something to be told. */
  bite?(rig: WorkspaceRig): void;
  /** What the agent does besides. */
  edit?(rig: WorkspaceRig): void;
}

const config = (rig: WorkspaceRig, ...pairs: [string, string][]): void => {
  for (const [name, value] of pairs) rig.git('config', name, value);
};
const attributes = (rig: WorkspaceRig, text: string): void => rig.write('.gitattributes', `${text}\n`);
const attempt = (rig: WorkspaceRig, ...args: string[]): void => {
  try {
    rig.git(...args);
  } catch {
    // Some traps make git fail after they went off.
  }
};

const traps: readonly Hostile[] = [
  {
    name: 'hooks',
    lay(rig, program) {
      for (const hook of ['post-index-change', 'pre-commit', 'post-checkout', 'reference-transaction']) {
        const path = join(rig.tree, '.git/hooks', hook);
        mkdirSync(join(rig.tree, '.git/hooks'), { recursive: true });
        writeFileSync(path, readFileSync(program));
        chmodSync(path, 0o755);
      }
    },
    bite: (rig) => attempt(rig, 'add', 'a.txt'),
  },
  {
    name: 'hooks elsewhere',
    lay(rig, program) {
      rig.write('hooks/post-index-change', readFileSync(program));
      chmodSync(join(rig.tree, 'hooks/post-index-change'), 0o755);
      config(rig, ['core.hooksPath', 'hooks']);
    },
    bite: (rig) => attempt(rig, 'add', 'a.txt'),
  },
  {
    name: 'filters clean and smudge',
    lay(rig, program) {
      attributes(rig, '* filter=evil');
      config(
        rig,
        ['filter.evil.clean', program],
        ['filter.evil.smudge', program],
        ['filter.evil.required', 'true'],
      );
    },
    bite: (rig) => attempt(rig, 'add', 'a.txt'),
  },
  {
    name: 'a filter that is a process',
    lay(rig, program) {
      attributes(rig, '* filter=evil');
      config(rig, ['filter.evil.process', program]);
    },
    bite: (rig) => attempt(rig, 'add', 'a.txt'),
  },
  {
    name: 'LFS pointers',
    lay(rig, program) {
      attributes(rig, '*.bin filter=lfs diff=lfs merge=lfs -text');
      config(
        rig,
        ['filter.lfs.clean', program],
        ['filter.lfs.smudge', program],
        ['filter.lfs.process', program],
      );
      rig.write(
        'big.bin',
        `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n`,
      );
    },
    bite: (rig) => attempt(rig, 'add', 'big.bin'),
    edit: (rig) => rig.write('big.bin', Buffer.from([0, 1, 2, 255, 254])),
  },
  {
    name: 'core.fsmonitor',
    lay: (rig, program) => config(rig, ['core.fsmonitor', program]),
    bite: (rig) => attempt(rig, 'status'),
  },
  {
    name: 'diff.external',
    lay: (rig, program) => config(rig, ['diff.external', program]),
    bite(rig) {
      rig.write('a.txt', 'bite\n');
      attempt(rig, 'diff');
    },
  },
  {
    name: 'textconv and a diff command',
    lay(rig, program) {
      attributes(rig, '*.txt diff=evil');
      config(rig, ['diff.evil.textconv', program], ['diff.evil.command', program]);
    },
    bite(rig) {
      rig.write('a.txt', 'bite\n');
      attempt(rig, 'diff');
    },
  },
  {
    name: 'a repository below, with settings of its own',
    lay(rig, program) {
      const sub = join(rig.tree, 'sub');
      mkdirSync(sub);
      personsGit(sub, ['init', '-q', '-b', 'main']);
      writeFileSync(join(sub, 'x.txt'), 'x\n');
      writeFileSync(join(sub, '.gitattributes'), '* filter=evil\n');
      personsGit(sub, ['add', '.']);
      personsGit(sub, ['commit', '-q', '-m', 'x']);
      rig.git('add', 'sub');
      writeFileSync(join(sub, 'x.txt'), 'y\n');
      for (const name of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.smudge'])
        personsGit(sub, ['config', name, program]);
    },
    bite: (rig) => attempt(rig, 'status'),
    edit: (rig) => rig.write('sub/x.txt', 'z\n'),
  },
  {
    name: 'an embedded bare repository',
    lay(rig, program) {
      const bare = join(rig.tree, 'bare');
      mkdirSync(join(bare, 'refs'), { recursive: true });
      mkdirSync(join(bare, 'objects'));
      writeFileSync(join(bare, 'HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(
        join(bare, 'config'),
        `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ${program}\n`,
      );
      writeFileSync(join(bare, 'refs/keep'), '');
      writeFileSync(join(bare, 'objects/keep'), '');
    },
    bite(rig) {
      try {
        personsGit(join(rig.tree, 'bare'), ['status']);
      } catch {
        // The trap has gone off before.
      }
    },
  },
  {
    name: 'core.worktree',
    lay: (rig) => config(rig, ['core.worktree', join(rig.base, 'private')]),
  },
  {
    name: 'a remote that is a program, for objects that are lacking',
    lay(rig, program) {
      config(
        rig,
        ['remote.origin.url', `ext::${program} end`],
        ['remote.origin.promisor', 'true'],
        ['protocol.ext.allow', 'always'],
        ['protocol.allow', 'always'],
        ['core.repositoryformatversion', '1'],
        ['extensions.partialClone', 'origin'],
      );
    },
    bite: (rig) => attempt(rig, 'fetch'),
  },
  {
    name: 'pagers, editors, signers and helpers',
    lay(rig, program) {
      const names = ['core.pager', 'core.editor', 'core.askPass', 'core.sshCommand', 'gpg.program'];
      config(rig, ...names.map((name): [string, string] => [name, program]));
      config(
        rig,
        ['commit.gpgSign', 'true'],
        ['credential.helper', program],
        ['alias.record', `!${program}`],
      );
    },
    bite: (rig) => attempt(rig, 'record'),
  },
  {
    name: 'alternates that lead to objects of somebody else, and an object that is not what its name says',
    lay(rig) {
      const other = join(rig.base, 'private');
      personsGit(other, ['init', '-q', '-b', 'main']);
      personsGit(other, ['add', '.']);
      mkdirSync(join(rig.tree, '.git/objects/info'), { recursive: true });
      writeFileSync(join(rig.tree, '.git/objects/info/alternates'), `${join(other, '.git/objects')}\n`);
      // What the agent will write, told as something harmless.
      rig.write('planted', 'rm -rf ~\n');
      const id = rig.git('hash-object', 'planted').trim();
      rig.remove('planted');
      mkdirSync(join(rig.tree, '.git/objects', id.slice(0, 2)), { recursive: true });
      writeFileSync(
        join(rig.tree, '.git/objects', id.slice(0, 2), id.slice(2)),
        deflateSync(Buffer.from(`blob 8\0echo hi\n`)),
      );
    },
    edit: (rig) => rig.write('planted', 'rm -rf ~\n'),
  },
  {
    name: 'a program called git among the programs of the project',
    lay(rig, program) {
      rig.write('node_modules/.bin/git', readFileSync(program));
      chmodSync(join(rig.tree, 'node_modules/.bin/git'), 0o755);
      rig.write('git', readFileSync(program));
      chmodSync(join(rig.tree, 'git'), 0o755);
    },
    bite: (rig) => personsGit(rig.tree, ['status'], hostilePath(rig)),
  },
  {
    name: 'links that lead out of the tree',
    lay(rig) {
      symlinkSync(join(rig.base, 'private'), join(rig.tree, 'out'));
      symlinkSync('../private/secret.txt', join(rig.tree, 'out.txt'));
      rig.write('folder/secret.txt', 'mine\n');
      symlinkSync('../private', join(rig.tree, '.gitignore'));
      symlinkSync('../private/secret.txt', join(rig.tree, '.gitattributes'));
    },
    edit(rig) {
      rig.remove('folder');
      symlinkSync('../private', join(rig.tree, 'folder'));
    },
  },
  {
    name: 'names of any kind',
    lay(rig) {
      for (const name of oddNames) rig.write(name, 'before\n');
    },
    edit(rig) {
      for (const name of oddNames) rig.write(name, 'after\n');
    },
  },
  {
    name: 'attributes that change what is stored',
    lay(rig) {
      attributes(rig, '* text eol=crlf ident working-tree-encoding=UTF-16');
      config(rig, ['core.autocrlf', 'true'], ['core.eol', 'crlf']);
      rig.write('mixed.txt', 'a\r\nb\n$Id$\r\n');
    },
    edit: (rig) => rig.write('mixed.txt', 'a\nb\r\n$Id: x $\n'),
  },
];

const oddNames: readonly (string | Buffer)[] = [
  'two\nlines',
  ' blank ',
  '-rf',
  ':(glob)**',
  '"quoted"',
  'back\\slash',
  'tab\there',
  '*',
  'git~1',
  'ünï/çødé 🙂',
  Buffer.from([0x66, 0xff, 0xfe, 0x2e, 0x74]),
  Buffer.from([0xc3, 0x28, 0x0a]),
];

const hostilePath = (rig: WorkspaceRig): string =>
  ['.', 'node_modules/.bin', join(rig.tree, 'node_modules/.bin'), process.env.PATH].join(delimiter);

describe('[CHG1] [CHG2] a hostile repository runs nothing and is told nothing of others', () => {
  it.each(traps)('$name', async ({ lay, bite, edit }) => {
    await using rig = workspaceRig();
    const workspaces = rig.reopened({ path: hostilePath(rig) });
    const ran = join(rig.base, 'ran');
    mkdirSync(join(rig.base, 'private'));
    writeFileSync(join(rig.base, 'private/secret.txt'), secret);
    for (const name of ['a.txt', 'gone.txt', 'kept.txt']) rig.write(name, `${name}\n`.repeat(5));
    rig.git('add', '.');
    rig.git('commit', '-q', '-m', 'first');
    lay(rig, tripwire(rig.base, 'program'));

    const before = snapshotOf(rig.tree, { without: ['.git', 'sub'] });
    const others = snapshotOf(join(rig.base, 'private'), { times: true });
    const first = accepted(await workspaces.record(rig.place));
    rig.write('a.txt', 'a.txt\nchanged\n');
    rig.write('new.txt', 'new\n');
    rig.remove('gone.txt');
    edit?.(rig);
    const last = accepted(await workspaces.record(rig.place));
    const span = { before: first.id, after: last.id };
    const changes = accepted(await workspaces.changes(rig.place, span));
    expect(changes.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['a.txt', 'gone.txt', 'new.txt']),
    );
    const told: unknown[] = [first, last, changes];
    for (const { path } of changes.files.slice(0, 8)) {
      told.push(accepted(await workspaces.patch(rig.place, span, path)));
      if (['a.txt', 'gone.txt', 'new.txt'].includes(path)) continue;
      const content = accepted(await workspaces.content(rig.place, last.id, path));
      told.push(content?.toString());
      if (path === 'planted') expect(content?.toString()).toBe('rm -rf ~\n');
    }
    const since = accepted(await workspaces.changes(rig.place, { ...span, before: 'commit' }));
    expect(since.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['a.txt', 'gone.txt', 'new.txt']),
    );
    told.push(since, accepted(await workspaces.patch(rig.place, span)));
    told.push(accepted(await workspaces.patch(rig.place, since)));
    for (const { path } of since.files.slice(0, 8)) {
      told.push(accepted(await workspaces.patch(rig.place, since, path)));
      told.push(accepted(await workspaces.content(rig.place, since.before, path))?.toString());
    }
    const undone = accepted(await workspaces.undo(rig.place, span));
    if (!undone.done) expect.fail(JSON.stringify(undone));
    expect(snapshotOf(rig.tree, { without: ['.git', 'sub'] })).toEqual(before);

    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
    expect(JSON.stringify(told)).not.toContain(secret);
    expect(snapshotOf(join(rig.base, 'private'), { times: true })).toEqual(others);
    // The trap is a real one.
    bite?.(rig);
    expect(existsSync(ran)).toBe(bite !== undefined);
  });

  it('every name is told differently and found again', async () => {
    await using rig = workspaceRig();
    const first = accepted(await rig.workspaces.record(rig.place));
    for (const name of oddNames) rig.write(name, Buffer.from(name));
    const last = accepted(await rig.workspaces.record(rig.place));
    const span = { before: first.id, after: last.id };
    const { files } = accepted(await rig.workspaces.changes(rig.place, span));
    expect(new Set(files.map(({ path }) => path)).size).toBe(oddNames.length);
    const contents: string[] = [];
    for (const { path } of files) {
      expect(path).not.toMatch(/\p{Cc}|\ufffd/u);
      contents.push(accepted(await rig.workspaces.content(rig.place, last.id, path))?.toString('hex') ?? '');
    }
    expect(contents.sort()).toEqual(oddNames.map((name) => Buffer.from(name).toString('hex')).sort());
    expect(readFileSync(placeIn(rig.tree, oddNames[0] ?? ''), 'utf8')).toBe('two\nlines');
  });
});
