import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { argvEditor } from '../support/argv-editor.ts';
import { endBeckons, runBeckon, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { DemoSession, PersonsTree } from '../support/demo-turns.ts';
import { times } from '../support/seeded-random.ts';

afterEach(endBeckons);

const configured = async (editor: object): Promise<string> => {
  const dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, 'config.json'), JSON.stringify({ editor }));
  return dataDir;
};

// Each starts servers and a dozen programs: on a machine with other work that takes its time.
describe('an editor of the configuration', { timeout: times(120_000) }, () => {
  it('[CHG61] [CHG62] opens what an agent changed, alone and beside how it was, without Beckon’s secrets', async () => {
    const tree = await PersonsTree.make({ '-edited $(touch planted)': 'first\n' });
    const editor = argvEditor(await temporaryDirectory());
    const dataDir = await configured({
      command: [editor.program, '--goto', '{file}:{line}'],
      diff: [editor.program, '{before}', '{after}'],
    });
    const beckon = await startBeckon({ dataDir, env: { BECKON_OWN: 'secret', OF_THE_PERSON: 'kept' } });
    expect(await beckon.api('GET', '/api/editor')).toEqual({
      status: 200,
      body: {
        command: [editor.program, '--goto', '{file}:{line}'],
        diff: [editor.program, '{before}', '{after}'],
      },
    });
    const one = await DemoSession.start(beckon, { cwd: tree.path });
    await one.turn("echo agent > './-edited $(touch planted)'");
    const file = '-edited $(touch planted)';
    const path = join(tree.path, file);

    const opened = await one.api('POST', '/open', { file, line: 3 });
    expect(opened).toEqual({ status: 200, body: { status: 'ok' } });
    const first = await editor.started();
    expect(first.args).toEqual(['--goto', `${path}:3`]);
    expect(first.cwd).toBe(tree.path);
    expect(first.environment).toContain('OF_THE_PERSON=kept');
    expect(first.environment).not.toContain('secret');
    expect(first.environment).not.toContain(beckon.token);

    for (const diff of [{}, { since: 'turn' }, { since: 'commit' }]) {
      expect(await one.api('POST', '/open', { file, diff }), JSON.stringify(diff)).toMatchObject({
        status: 200,
      });
      const { args } = await editor.started();
      expect(args[1]).toBe(path);
      expect(args[0]?.startsWith(join(dataDir, 'editor'))).toBe(true);
    }
    expect(tree.read('planted')).toBeUndefined();
    expect(await one.api('POST', '/open', { file: '/etc/passwd' })).toMatchObject({
      status: 422,
      body: { error: { code: 'file_not_allowed' } },
    });
    expect(await one.api('POST', '/open', { file: 'a\0b' })).toMatchObject({ status: 422 });
    expect(editor.count()).toBe(4);
  });

  it('[CHG64] is started from the terminal, by a path from there or from the top of the work tree', async () => {
    const tree = await PersonsTree.make({ a: 'first\n', 'b:2': 'b\n' });
    const editor = argvEditor(await temporaryDirectory());
    const beckon = await startBeckon({
      dataDir: await configured({
        command: [editor.program, '{file}', '{line}', '{column}'],
        diff: [editor.program, '{before}', '{after}'],
      }),
    });
    const one = await DemoSession.start(beckon, { cwd: tree.path });
    await one.turn('echo agent > a');
    const path = join(tree.path, 'a');
    const opens = async (args: readonly string[], cwd: string): Promise<readonly string[]> => {
      const ran = await beckon.run(['open', one.id, ...args], { cwd });
      expect(ran).toEqual({ code: 0, stdout: expect.stringMatching(/^opened /), stderr: '' });
      return (await editor.started()).args;
    };
    expect(await opens(['a:12:4'], tree.path)).toEqual([path, '12', '4']);
    expect(await opens(['a:12'], dirname(tree.path))).toEqual([path, '12', '1']);
    expect(await opens(['b:2'], tree.path)).toEqual([join(tree.path, 'b:2'), '1', '1']);
    const [before = '', after] = await opens(['a', '--diff', '--since', 'turn'], tree.path);
    expect(after).toBe(path);
    expect(readFileSync(before, 'utf8')).toBe('first\n');
    const refused = await beckon.run(['open', one.id, '/etc/passwd']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain("neither in the session's directory nor named by its changes");
  });

  it('[CHG63] [CHG64] is refused in words where it is missing, and to a program where only devices decide', async () => {
    const tree = await PersonsTree.make({ a: 'first\n' });
    const missing = await startBeckon({
      dataDir: await configured({ command: ['no-such-editor', '{file}'] }),
    });
    const one = await DemoSession.start(missing, { cwd: tree.path });
    expect(await one.api('POST', '/open', { file: 'a' })).toMatchObject({
      status: 503,
      body: {
        error: {
          code: 'editor_failed',
          message: 'There is no program "no-such-editor" that could be started there.',
        },
      },
    });
    const noDiff = await one.api('POST', '/open', { file: 'a', diff: {} });
    expect(noDiff).toMatchObject({ status: 503, body: { error: { code: 'editor_not_available' } } });

    const editor = argvEditor(await temporaryDirectory());
    const guarded = await startBeckon({
      dataDir: await configured({ command: [editor.program, '{file}'] }),
      args: ['--decide', 'devices'],
    });
    const { body } = await guarded.api('POST', '/api/sessions', { agent: 'demo', cwd: tree.path });
    const refused = await guarded.api('POST', `/api/sessions/${body.session.id}/open`, { file: 'a' });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'device_required' } } });
    expect(editor.count()).toBe(0);
  });

  it('[CHG61] is checked before the server starts, and a path in it is relative to the file', async () => {
    const wrong = async (editor: object): Promise<string> => {
      const dataDir = await configured(editor);
      const { code, stderr } = await runBeckon(['serve', '--port', '0', '--data-dir', dataDir, '--no-open']);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await wrong({ command: ['code', '{path}'] })).toMatch(/\{path\} stands for nothing here/);
    expect(await wrong({ command: ['code', '{flie}'] })).toMatch(/did you mean "file"/);
    expect(await wrong({ command: ['code'] })).toMatch(/no argument has \{file\}/);
    expect(await wrong({ command: ['{file}'] })).toMatch(/the first is a program/);
    expect(await wrong({ command: 'code {file}' })).toMatch(/editor\.command/);
    expect(await wrong({ diff: ['code', '{before}'] })).toMatch(/no argument has \{after\}/);

    const tree = await PersonsTree.make({ a: 'first\n' });
    const dataDir = await configured({ command: ['./programs/my editor', '{file}'] });
    await mkdir(join(dataDir, 'programs'));
    const editor = argvEditor(join(dataDir, 'programs'), 'my editor');
    // One of the same name that the repository brings along is another.
    tree.git('checkout', '-q', '-b', 'planted');
    await mkdir(join(tree.path, 'programs'));
    writeFileSync(join(tree.path, 'programs/my editor'), '#!/bin/sh\nexit 9\n', { mode: 0o755 });
    const one = await DemoSession.start(await startBeckon({ dataDir }), { cwd: tree.path });
    expect(await one.api('POST', '/open', { file: 'a' })).toMatchObject({ status: 200 });
    expect((await editor.started()).args).toEqual([join(tree.path, 'a')]);
  });
});
