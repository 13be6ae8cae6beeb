import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../../src/drivers/process/start-program.ts';
import type { WorkspaceRequest } from '../../src/engine/ports/workspace.ts';
import type { EditorOptions } from '../../src/runner/editor/editor.ts';
import { openWorkspace } from '../../src/runner/workspace/workspace.ts';
import { argvEditor } from '../support/argv-editor.ts';
import { eventually } from '../support/eventually.ts';
import { accepted, workspaceRig } from './workspace/repositories.ts';

// However slow the machine is, a program that ends is seen to end.
const patient = 600_000;

function editorRig(options: Partial<EditorOptions> = {}) {
  const rig = workspaceRig();
  const programs = join(rig.base, 'programs');
  mkdirSync(programs);
  const editor = argvEditor(programs);
  const dataDir = join(rig.base, 'data');
  mkdirSync(dataDir);
  const workspace = openWorkspace({
    dataDir,
    home: join(rig.base, 'home'),
    path: process.env.PATH ?? '',
    editor: {
      command: [editor.program, '--at', '{file}:{line}:{column}', '{file}'],
      diff: [editor.program, '{before}', '{after}', '{file}', '+{line}'],
      start: startProgram,
      env: { PATH: process.env.PATH ?? '' },
      waitMs: patient,
      ...options,
    },
  });
  const { call } = workspace;
  const { place } = rig;
  const open = async (file: string, more: Partial<WorkspaceRequest<'open'>> = {}): Promise<string> => {
    const opened = await call('open', { place, orderId: randomUUID(), file, since: ['commit'], ...more });
    return opened.ok ? 'opened' : `${opened.refusal.code}: ${opened.refusal.message}`;
  };
  const recorded = async (): Promise<string> => accepted(await call('record', { place })).recording;
  return {
    ...rig,
    editor,
    programs,
    call,
    open,
    recorded,
    kept: join(dataDir, 'editor'),
    close: () => workspace.close(),
    async [Symbol.asyncDispose]() {
      await workspace.close();
      await rig[Symbol.asyncDispose]();
    },
  };
}

const read = (path: string | undefined): string => readFileSync(path ?? '', 'utf8');

const hostile = [
  'two words.txt',
  '-rf',
  '--wait',
  'quo"te\'s.txt',
  '$(touch planted)',
  '`touch planted`; touch planted',
  'line\nbreak',
  '{line}{before}',
  'größe ✓',
  '*',
];

describe('[CHG61] a file is opened by a command of the configuration', () => {
  it('with its name as one argument, whatever it holds, in the session’s directory and through no shell', async () => {
    await using rig = editorRig();
    for (const name of hostile) {
      const path = join(rig.tree, name);
      writeFileSync(path, 'a\n');
      expect(await rig.open(name, { line: 7, column: 3 }), name).toBe('opened');
      const { args, cwd } = await rig.editor.started();
      expect(args).toEqual(['--at', `${path}:7:3`, path]);
      expect(cwd).toBe(rig.tree);
    }
    expect(existsSync(join(rig.tree, 'planted'))).toBe(false);
    // As changes tell a name that is no plain text.
    expect(await rig.open('"line\\012break"')).toBe('opened');
    expect((await rig.editor.started()).args[1]).toBe(`${join(rig.tree, 'line\nbreak')}:1:1`);
    expect(await rig.open('"no\\377text"')).toMatch(/^file_not_allowed: .*no text/);
  });

  it('where there is no repository, too, by its path from the session’s directory or whole', async () => {
    await using rig = editorRig();
    const cwd = join(rig.base, 'plain');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'a'), 'a\n');
    const place = { cwd, realCwd: null, roots: [] };
    for (const file of ['a', join(cwd, 'a')]) {
      expect(await rig.open(file, { place })).toBe('opened');
      expect((await rig.editor.started()).args.at(-1)).toBe(join(cwd, 'a'));
    }
    expect(await rig.open('a', { place, diff: { before: 'commit', after: 'now' } })).toMatch(
      /^no_repository:/,
    );
  });

  it('once for each order, however often it arrives', async () => {
    await using rig = editorRig();
    rig.write('a', 'a\n');
    const orderId = randomUUID();
    await Promise.all([rig.open('a', { orderId }), rig.open('a', { orderId })]);
    expect(await rig.open('a', { orderId })).toBe('opened');
    expect(rig.editor.count()).toBe(1);
  });

  it('and never by a program that the work tree brings along', async () => {
    await using rig = editorRig({
      command: ['pick-me', '{file}'],
      env: { PATH: ['', '.', 'bin'].join(delimiter) },
    });
    for (const folder of ['.', 'bin']) {
      rig.write(join(folder, 'pick-me'), '#!/bin/sh\ntouch "$0.ran"\n');
      chmodSync(join(rig.tree, folder, 'pick-me'), 0o755);
    }
    expect(await rig.open('pick-me')).toBe(
      'editor_failed: There is no program "pick-me" that could be started there.',
    );
    expect(readdirSync(rig.tree)).not.toContain('pick-me.ran');
  });
});

describe('[CHG62] only what a session works on is opened', () => {
  it('no link, dot or whole path leads out of its directory', async () => {
    await using rig = editorRig();
    const secret = join(rig.base, 'secret.txt');
    writeFileSync(secret, 'not yours');
    symlinkSync(secret, join(rig.tree, 'link.txt'));
    symlinkSync(rig.base, join(rig.tree, 'up'));
    rig.write('own.txt', 'a\n');
    symlinkSync('own.txt', join(rig.tree, 'alias.txt'));
    execFileSync('mkfifo', [join(rig.tree, 'pipe')]);
    for (const file of [secret, '../secret.txt', 'link.txt', 'up/secret.txt'])
      expect(await rig.open(file), file).toMatch(/^file_not_allowed:/);
    for (const file of ['nowhere', 'own.txt/below', '.', 'pipe'])
      expect(await rig.open(file), file).toMatch(/^file_not_found:/);
    expect(rig.editor.count()).toBe(0);
    // It is opened where it leads to: nobody turns the link in between.
    expect(await rig.open('alias.txt')).toBe('opened');
    expect((await rig.editor.started()).args.at(-1)).toBe(join(rig.tree, 'own.txt'));
  });

  it('from a folder of the work tree, what changed elsewhere in it, and nothing else there', async () => {
    await using rig = editorRig();
    rig.write('part/a', 'a\n');
    rig.write('kept', 'first\n');
    rig.write('changed', 'first\n');
    rig.git('add', '.');
    rig.git('commit', '-q', '-m', 'first');
    const place = { ...rig.place, cwd: join(rig.tree, 'part') };
    rig.write('changed', 'second\n');
    expect(await rig.open('kept', { place })).toMatch(/^file_not_allowed:/);
    expect(await rig.open('changed', { place, since: [] })).toMatch(/^file_not_allowed:/);
    for (const file of ['changed', 'part/a']) {
      expect(await rig.open(file, { place }), file).toBe('opened');
      expect((await rig.editor.started()).args.at(-1)).toBe(join(rig.tree, file));
    }
  });

  it('beside how it was, in private files that go again', async () => {
    await using rig = editorRig();
    rig.write('-edited.ts', 'first\n');
    rig.write('gone', 'was here\n');
    const before = await rig.recorded();
    rig.write('-edited.ts', 'second\n');
    rig.write('new one', 'new\n');
    rig.remove('gone');
    const after = await rig.recorded();
    const path = join(rig.tree, '-edited.ts');

    expect(await rig.open('-edited.ts', { line: 4, diff: { before, after: 'now' } })).toBe('opened');
    const [old = '', now, file, line] = (await rig.editor.started()).args;
    expect([now, file, line]).toEqual([path, path, '+4']);
    expect(old).toMatch(/\/before\/-edited\.ts$/);
    expect(read(old)).toBe('first\n');
    expect(lstatSync(old).mode & 0o777).toBe(0o600);
    for (const folder of [dirname(old), dirname(dirname(old)), rig.kept])
      expect(lstatSync(folder).mode & 0o777, folder).toBe(0o700);

    // What it was in that turn is not what it is now.
    rig.write('-edited.ts', 'third\n');
    expect(await rig.open('-edited.ts', { diff: { before, after } })).toBe('opened');
    const later = (await rig.editor.started()).args;
    expect(later.slice(0, 2).map(read)).toEqual(['first\n', 'second\n']);
    expect(later[2]).toBe(path);

    expect(await rig.open('gone', { diff: { before, after } })).toBe('opened');
    expect((await rig.editor.started()).args.slice(0, 3).map(read)).toEqual(['was here\n', '', '']);
    expect(await rig.open('new one', { diff: { before, after } })).toBe('opened');
    const added = (await rig.editor.started()).args;
    expect(added.slice(0, 2).map(read)).toEqual(['', 'new\n']);
    expect(added[1]).toBe(join(rig.tree, 'new one'));
    expect(await rig.open('elsewhere', { diff: { before, after } })).toMatch(/^file_not_found:/);

    // A day later.
    const yesterday = Date.now() / 1000 - 25 * 60 * 60;
    for (const name of readdirSync(rig.kept)) utimesSync(join(rig.kept, name), yesterday, yesterday);
    expect(await rig.open('-edited.ts')).toBe('opened');
    expect(readdirSync(rig.kept)).toEqual([]);
  });

  it('a file that became a link is compared as what was recorded, never through it', async () => {
    await using rig = editorRig();
    const secret = join(rig.base, 'secret.txt');
    writeFileSync(secret, 'not yours');
    rig.write('a', 'first\n');
    const before = await rig.recorded();
    rmSync(join(rig.tree, 'a'));
    symlinkSync(secret, join(rig.tree, 'a'));
    expect(await rig.open('a', { diff: { before, after: 'now' } })).toBe('opened');
    const { args } = await rig.editor.started();
    expect(args.slice(0, 3).map(read)).toEqual(['first\n', secret, secret]);
    for (const path of args.slice(0, 3)) expect(path.startsWith(`${rig.kept}/`)).toBe(true);
  });

  it('a link that lies where its private files go is not followed', async () => {
    await using rig = editorRig();
    rig.write('a', 'a\n');
    const elsewhere = join(rig.base, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, rig.kept);
    await expect(rig.open('a')).rejects.toThrow('is no folder');
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe('[CHG63] what keeps a file from being opened is said in words', () => {
  const program = (folder: string, script: string): string => {
    const path = join(folder, 'breaks');
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };

  it('no command, a program that is not there, and one that fails, with what it printed', async () => {
    await using none = editorRig({ command: undefined, diff: undefined });
    none.write('a', 'a\n');
    expect(await none.call('editor', {})).toEqual({ ok: true, value: { command: null, diff: null } });
    expect(await none.open('a')).toMatch(/^editor_not_available: .*"editor\.command"/);
    expect(await none.open('a', { diff: { before: 'commit', after: 'now' } })).toMatch(
      /^editor_not_available: .*"editor\.diff"/,
    );

    await using rig = editorRig({ command: ['/nowhere/at all', '{file}'] });
    rig.write('a', 'a\n');
    expect(await rig.open('a')).toMatch(/^editor_failed: There is no program "\/nowhere\/at all"/);

    for (const [script, words] of [
      ['echo no display >&2; exit 3', 'ended with 3. It printed: no display'],
      ['exit 1', 'ended with 1. It printed nothing.'],
      ['kill -9 $$', 'was ended by SIGKILL. It printed nothing.'],
    ] as const) {
      const path = program(rig.programs, script);
      await using breaking = editorRig({ command: [path, '{file}'] });
      breaking.write('a', 'a\n');
      expect(await breaking.open('a')).toBe(`editor_failed: The editor "breaks" ${words}`);
    }
    const path = program(rig.programs, 'yes no | head -c 100000 >&2; exit 1');
    await using loud = editorRig({ command: [path, '{file}'] });
    loud.write('a', 'a\n');
    expect((await loud.open('a')).length).toBeLessThan(1_200);
    expect(readdirSync(loud.kept)).toEqual([]);
  });

  it('one that goes on counts as opened, and is not ended with the server', async () => {
    await using rig = editorRig();
    const pipe = join(rig.base, 'pipe');
    const note = join(rig.base, 'note');
    execFileSync('mkfifo', [pipe]);
    const path = program(
      rig.programs,
      `read line < ${pipe}; echo "$line" > ${note}.part; mv ${note}.part ${note}`,
    );
    await using lasting = editorRig({ command: [path, '{file}'], waitMs: 1 });
    lasting.write('a', 'a\n');
    expect(await lasting.open('a')).toBe('opened');
    await lasting.close();
    writeFileSync(pipe, 'still here\n');
    await eventually('it went on', () => existsSync(note));
    expect(read(note)).toBe('still here\n');
  });

  it('whoever waits while the server ends is told at once', async () => {
    await using rig = editorRig();
    const pipe = join(rig.base, 'pipe');
    const began = join(rig.base, 'began');
    execFileSync('mkfifo', [pipe]);
    const path = program(rig.programs, `touch ${began}; read line < ${pipe}`);
    await using waiting = editorRig({ command: [path, '{file}'] });
    waiting.write('a', 'a\n');
    const opened = waiting.open('a');
    await eventually('it runs', () => existsSync(began));
    await waiting.close();
    expect(await opened).toBe('opened');
    writeFileSync(pipe, 'the end\n');
  });
});
