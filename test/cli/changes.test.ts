import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endTerminals, openTerminal } from '../support/terminal.ts';
import { endWatches, watchSession } from '../support/watch.ts';

let beckon: Beckon;
beforeAll(async () => {
  beckon = await startBeckon({ env: { BECKON_DEMO_PACE: '0' } });
});
afterEach(async () => {
  endWatches();
  await endTerminals();
});
afterAll(endBeckons);

/** A session in a repository whose only turn has written a file with odd characters in it. */
async function begin() {
  const cwd = await temporaryDirectory();
  execFileSync('git', ['init', '-q', cwd]);
  await mkdir(join(cwd, 'src'));
  await writeFile(join(cwd, 'src', 'own.txt'), 'mine\n');
  const { body } = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd,
    permissionMode: 'acceptEdits',
    prompt: 'write notes.md',
  });
  const id: string = body.session.id;
  const seen = await watchSession(beckon, id);
  await seen.event('turn.ended');
  await seen.event('files.recorded', ({ when }) => when === 'end');
  return { id, cwd, notes: join(cwd, 'notes.md') };
}

it('[CHG42] diff prints what changed: in colours and without control for a person, byte for byte for git apply', async () => {
  const { id, cwd, notes } = await begin();
  const written = await readFile(notes, 'utf8');
  const piped = await beckon.run(['diff', id, '--turn', '1']);
  expect(piped).toMatchObject({ code: 0, stderr: '' });
  expect(piped.stdout).toMatch(/^diff --git a\/notes\.md b\/notes\.md\nnew file mode 100644\n/);
  execFileSync('git', ['-C', cwd, 'apply', '--reverse'], { input: piped.stdout });
  expect(existsSync(notes)).toBe(false);
  execFileSync('git', ['-C', cwd, 'apply'], { input: piped.stdout });
  expect(await readFile(notes, 'utf8')).toBe(written);

  // A person has edited since; what they wrote would move the cursor.
  await writeFile(join(cwd, 'src', 'own.txt'), 'mine\n\u001b[2Jgone\u202e\n');
  const [stat, part, nothing, json] = await Promise.all([
    beckon.run(['diff', id, '--stat']),
    beckon.run(['diff', id, 'src']),
    beckon.run(['diff', id, 'nowhere']),
    beckon.run(['diff', id, '--json', 'src']),
  ]);
  expect(stat.stdout).toMatch(/added +notes\.md +\+\d+ −0\nmodified +src\/own\.txt +\+1 −0\n/);
  expect(part.stdout).toContain('\u001b[2Jgone\u202e\n');
  expect(part.stdout).not.toContain('notes.md');
  expect(nothing.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({ files: [{ path: 'src/own.txt' }], since: 'start' });
  expect(json.stdout).not.toContain('\u001b');

  const colours = { dataDir: beckon.dataDir, env: { NO_COLOR: '', FORCE_COLOR: '1' } };
  const terminal = openTerminal(['diff', id], colours);
  expect(await terminal.exited).toBe(0);
  expect(terminal.raw()).not.toContain('\u001b[2J');
  expect(terminal.all().join('\n')).toMatch(/\+\\u\{1b\}\[2Jgone\\u\{202e\}/);
  expect(terminal.raw()).toContain('\u001b[32m+');
});

it('[CHG43] undo lists first, waits for a press, asks for what was edited since, and is redone', async () => {
  const { id, notes } = await begin();
  const written = await readFile(notes, 'utf8');
  const unasked = await beckon.run(['undo', id]);
  expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });
  expect(unasked.stdout).toContain('notes.md');
  expect(existsSync(notes)).toBe(true);

  const left = openTerminal(['undo', id], { dataDir: beckon.dataDir });
  await left.seen('Press y');
  left.type('n');
  expect(await left.exited).toBe(1);
  expect(existsSync(notes)).toBe(true);

  await writeFile(notes, `${written}my line\n`);
  const person = openTerminal(['undo', id], { dataDir: beckon.dataDir });
  await person.seen('Press y');
  person.type('y');
  await person.seen('it was edited since');
  expect(await readFile(notes, 'utf8')).toBe(`${written}my line\n`);
  await person.seen('o overwrites it');
  person.type('o');
  await person.seen('1 file put back.');
  expect(await person.exited).toBe(0);
  expect(existsSync(notes)).toBe(false);

  expect(await beckon.run(['undo', id, '--redo', '--yes'])).toMatchObject({ code: 0 });
  expect(await readFile(notes, 'utf8')).toBe(`${written}my line\n`);
  const obstacles = await beckon.run(['undo', id, '--yes']);
  expect(obstacles).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('notes.md: it was edited since'),
  });
  expect(await beckon.run(['undo', id, '--yes', '--leave', 'notes.md'])).toMatchObject({ code: 0 });
  expect(await readFile(notes, 'utf8')).toBe(`${written}my line\n`);
  const done = await beckon.run(['undo', id, '--yes', '--overwrite', 'notes.md', '--json']);
  expect(JSON.parse(done.stdout)).toMatchObject({ done: true, paths: ['notes.md'] });
  expect(existsSync(notes)).toBe(false);

  const forked = await beckon.run(['fork', id, '--turn', '1', '--title', 'Once more']);
  expect(forked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ses_\w+\n$/) });
});
