import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitFiles } from '../../src/drivers/process/git-files.ts';
import { completeDirectory } from '../../src/runner/complete-directory.ts';
import { fileFinder } from '../../src/runner/find-files.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-completion-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folders = (...paths: string[]) => {
  for (const path of paths) mkdirSync(join(home, path), { recursive: true });
};
const file = (path: string, text = '') => {
  folders(join(path, '..'));
  writeFileSync(join(home, path), text);
};
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'init.defaultBranch=main', ...args], { cwd: home, stdio: 'pipe' });

describe('[UI23] directories that may be meant', () => {
  const complete = async (typed: string, roots: readonly string[] = []) => {
    const found = await completeDirectory({ typed, cwd: home, roots });
    if (!found.ok) return found.refusal.code;
    return { ...found.value, names: found.value.directories.map(({ path }) => path.slice(home.length + 1)) };
  };

  it('begin with what was typed; hidden ones are last, files are none', async () => {
    folders('web', 'Work', '.wrong', 'api', 'web-old');
    file('w.txt');
    expect(await complete(`${home}/w`)).toMatchObject({ names: ['web', 'web-old', 'Work'], isAll: true });
    expect(await complete(`${home}/`)).toMatchObject({ names: ['api', 'web', 'web-old', 'Work', '.wrong'] });
    expect(await complete('')).toMatchObject({ typed: { path: home } });
    expect(await complete('we')).toMatchObject({ names: ['web', 'web-old'] });
    expect(await complete(`${home}/none/x`)).toBe('directory_not_found');
    expect(await complete('a\0b/')).toBe('directory_not_found');
  });

  it('say what branch is checked out, also of a worktree, and of what lies in a repository', async () => {
    folders('plain', 'repo/src', 'tree', 'loose');
    file('repo/.git/HEAD', 'ref: refs/heads/feature/page\n');
    file('repo/.git/worktrees/tree/HEAD', 'ref: refs/heads/other\n');
    file('tree/.git', `gitdir: ${home}/repo/.git/worktrees/tree\n`);
    file('loose/.git/HEAD', '0123456789012345678901234567890123456789\n');
    const all = await complete(`${home}/`);
    expect(all).toMatchObject({
      directories: [
        { path: join(home, 'loose'), isRepository: true },
        { path: join(home, 'plain'), isRepository: false },
        { path: join(home, 'repo'), isRepository: true, branch: 'feature/page' },
        { path: join(home, 'tree'), isRepository: true, branch: 'other' },
      ],
    });
    expect(await complete(`${home}/repo/src`)).toMatchObject({ typed: { branch: 'feature/page' } });
  });

  it('are told though the place is made to confuse: pipes, loops, names that cannot be shown, thousands', async () => {
    folders('a\nb', 'c\u202Ed', 'fine', 'piped/.git', 'many');
    symlinkSync(join(home, 'loop'), join(home, 'loop'));
    symlinkSync(home, join(home, 'up'));
    execFileSync('mkfifo', [join(home, 'piped/.git/HEAD')]);
    mkdirSync(Buffer.concat([Buffer.from(`${home}/bad`), Buffer.from([0xff])]));
    expect(await complete(`${home}/`)).toMatchObject({ names: ['fine', 'many', 'piped', 'up'], isAll: true });
    for (let number = 0; number < 150; number += 1) mkdirSync(join(home, 'many', `d${number}`));
    const many = await complete(`${home}/many/`);
    expect(many).toMatchObject({ isAll: false });
    expect(many).toHaveProperty('directories.length', 100);
  });

  it('[SEC4] are told within the roots alone, and no link leads out of them', async () => {
    folders('in/side', 'out/secret');
    symlinkSync(join(home, 'out'), join(home, 'in', 'link'));
    symlinkSync(join(home, 'in', 'side'), join(home, 'in', 'near'));
    const roots = [join(home, 'in')];
    expect(await complete(`${home}/in/`, roots)).toMatchObject({ names: ['in/near', 'in/side'] });
    expect(await complete(`${home}/in/link/`, roots)).toBe('directory_not_allowed');
    expect(await complete(`${home}/out/s`, roots)).toBe('directory_not_allowed');
    expect(await complete(`${home}/`, roots)).toMatchObject({ names: ['in'] });
    expect(await complete('', roots)).toMatchObject({ names: ['in'] });
    expect(await complete(`${home}/in`, roots)).toMatchObject({ typed: { path: join(home, 'in') } });
  });
});

describe('[UI24] files of a directory', () => {
  const find = async (typed: string, most = 50) => {
    const found = await fileFinder(gitFiles(process.env))({
      cwd: home,
      realCwd: null,
      roots: [],
      typed,
      most,
    });
    return found.ok ? found.value : found.refusal.code;
  };

  it('are found by letters of their path, the best first', async () => {
    for (const path of ['src/engine/room.ts', 'src/room-view.ts', 'room.ts', 'docs/r/o/o/m.md', 'x.ts'])
      file(path);
    expect(await find('room')).toEqual({
      files: ['room.ts', 'src/room-view.ts', 'src/engine/room.ts', 'docs/r/o/o/m.md'],
      isAll: true,
    });
    expect(await find('ENGroom')).toMatchObject({ files: ['src/engine/room.ts'] });
    expect(await find('')).toMatchObject({ files: expect.arrayContaining(['room.ts', 'x.ts']) });
    expect(await find('', 1)).toMatchObject({ files: ['room.ts'] });
    expect(await find('nothing-like-it')).toMatchObject({ files: [] });
  });

  it('leave out what git ignores and what was removed, and run nothing that the repository is set to run', async () => {
    git('init', '-q');
    for (const path of ['kept.ts', 'gone.ts', 'built/out.js', 'new.ts', 'a b\tc.ts', 'ü.ts']) file(path);
    file('.gitignore', 'built/\n');
    git('add', 'kept.ts', 'gone.ts');
    rmSync(join(home, 'gone.ts'));
    const ran = join(home, 'built', 'ran');
    file('built/hook.sh', `#!/bin/sh\ntouch ${ran}\n`);
    execFileSync('chmod', ['+x', join(home, 'built/hook.sh')]);
    for (const name of ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'core.gitProxy'])
      git('config', name, join(home, 'built/hook.sh'));
    expect(await find('')).toEqual({ files: ['.gitignore', 'kept.ts', 'new.ts', 'ü.ts'], isAll: true });
    expect(existsSync(ran)).toBe(false);
    // The same settings do run it where they are not put aside.
    execFileSync('git', ['status'], { cwd: home, stdio: 'pipe' });
    expect(existsSync(ran)).toBe(true);
  });

  it('are found without git, too, past links that go round, and not in the packages of others', async () => {
    for (const path of ['one.ts', 'deep/er/two.ts', 'node_modules/p/index.js', '.git/config', 'bad\nname.ts'])
      file(path);
    symlinkSync(home, join(home, 'deep', 'round'));
    expect(await find('')).toEqual({ files: ['one.ts', 'deep/er/two.ts'], isAll: true });
    rmSync(home, { recursive: true });
    expect(await find('')).toBe('directory_not_found');
  });

  it('are looked at up to a number', async () => {
    for (let number = 0; number < 300; number += 1) file(`f${number % 3}/n${number}.ts`);
    const found = async (most: number) => {
      const finder = fileFinder(gitFiles(process.env, most), most);
      const result = await finder({ cwd: home, realCwd: null, roots: [], typed: '.ts', most: 200 });
      return result.ok && { isAll: result.value.isAll, isSome: result.value.files.length > 0 };
    };
    expect(await found(250)).toEqual({ isAll: false, isSome: true });
    expect(await found(303)).toEqual({ isAll: true, isSome: true });
    git('init', '-q');
    expect(await found(250)).toEqual({ isAll: false, isSome: true });
    expect(await found(300)).toEqual({ isAll: true, isSome: true });
  });
});
