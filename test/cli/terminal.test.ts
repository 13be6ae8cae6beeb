import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Beckon,
  endBeckons,
  runBeckon,
  spawnBeckon,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { inTurn } from '../support/demo-turns.ts';
import { holds } from '../support/eventually.ts';

let beckon: Beckon;
let work: string;

beforeEach(async () => {
  work = await temporaryDirectory();
  beckon = await startBeckon();
});
afterEach(endBeckons);

/** Starts a session of the demo agent that does not dawdle, and returns its id. */
async function begin(prompt: string, ...flags: string[]): Promise<string> {
  const started = await beckon.run([
    'new',
    '--agent',
    'demo',
    '--cwd',
    work,
    '--env',
    'BECKON_DEMO_PACE=0',
    ...flags,
    prompt,
  ]);
  expect(started).toMatchObject({ code: 0, stderr: '' });
  return started.stdout.trim();
}

const statusOf = async (id: string): Promise<string> =>
  (await beckon.api('GET', `/api/sessions/${id}`)).body.session.status;
const becomes = (id: string, status: string) => holds(async () => expect(await statusOf(id)).toBe(status));

async function asked(): Promise<{ interactionId: string; kind: string; sessionId: string }> {
  return holds(async () => {
    const { body } = await beckon.api('GET', '/api/pending');
    expect(body.pending).toHaveLength(1);
    return body.pending[0];
  });
}

const follow = (args: string[]) => spawnBeckon([...args, '--data-dir', beckon.dataDir]);

describe('the terminal client', () => {
  it('[API1] goes through the tour: new, pending, approve, answer, to the end', async () => {
    const id = await begin('tour', '--key', 'first-tour');
    const approval = await asked();
    const pending = await beckon.run(['pending']);
    expect(pending.stdout).toMatch(
      new RegExp(`^${approval.interactionId.slice(0, 8)}\\S*  approval .*beckon-demo\\.md`),
    );
    expect((await beckon.run(['pending', approval.interactionId])).stdout).toContain('+ # Hello from Beckon');

    const allowed = await beckon.run(['approve', approval.interactionId.slice(0, 9)]);
    expect(allowed).toMatchObject({ code: 0, stdout: 'allowed: Write\n' });
    await holds(async () => expect((await asked()).kind).toBe('question'));
    expect(await readFile(join(work, 'beckon-demo.md'), 'utf8')).toContain('# Hello from Beckon');

    const answered = await beckon.run(['answer', 'Write tests', '--json']);
    expect(answered.code).toBe(0);
    expect(JSON.parse(answered.stdout)).toMatchObject({ status: 'ok', interaction: { outcome: 'answered' } });
    await becomes(id, 'idle');
    expect((await beckon.run(['pending'])).stdout).toBe('Nothing waits for you.\n');

    const watched = await beckon.run(['watch', 'first-tour', '--all', '--once']);
    expect(watched.code).toBe(0);
    expect(watched.stdout).toContain('› tour');
    expect(watched.stdout).toContain('✓ allowed');
    expect(watched.stdout).toContain('You answered my question with **Write tests**.');
    expect(watched.stdout).toContain('── done');
  });

  it('[UI23] [SES9] starts a session with a template, or from its title and description', async () => {
    expect((await beckon.run(['templates'])).stdout).toBe('There are no templates.\n');
    const prompt = 'hello, {{ name }} of {{town}}';
    await beckon.api('POST', '/api/templates', { name: 'Greeting', prompt });
    expect((await beckon.run(['templates'])).stdout).toBe(`Greeting  name, town  ${prompt}\n`);
    const first = async (id: string): Promise<string> => {
      const { body } = await beckon.api('GET', `/api/sessions/${id}/events`);
      return body.events.find(({ type }: { type: string }) => type === 'message.queued').text;
    };
    const id = await begin(
      'and all',
      '--template',
      'greeting',
      '--set',
      'name=A=B',
      '--set',
      'town={{name}}',
    );
    expect(await first(id)).toBe('hello, A=B of {{name}}\n\nand all');
    const started = ['new', '--agent', 'demo', '--cwd', work];
    const about = await beckon.run([...started, '--title', 'Fix it', '--description', 'It is broken.']);
    expect(await first(about.stdout.trim())).toBe('Fix it\n\nIt is broken.');

    const wrong: [string[], RegExp][] = [
      [['--template', 'Greeting', '--set', 'name=Ada'], /has the blanks "name", "town".*--set "town=…"/],
      [['--template', 'Greeting', '--set', 'city=Ulm'], /has the blanks "name", "town", and no "city"/],
      [['--set', 'name=Ada'], /--set does nothing without --template/],
      [['--template', 'Greeting', '--set', 'name'], /--set wants NAME=VALUE/],
    ];
    const told = await Promise.all(wrong.map(([flags]) => beckon.run([...started, ...flags])));
    for (const [at, [, stderr]] of wrong.entries())
      expect(told[at]).toMatchObject({ code: 2, stderr: expect.stringMatching(stderr) });
    expect(await beckon.run([...started, '--template', 'Nope'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no template is called "Nope"; there is "Greeting"'),
    });
    expect((await beckon.api('GET', '/api/sessions')).body.sessions).toHaveLength(2);
  });

  it('[API1] lists, sends, interrupts, stops and resumes', async () => {
    const id = await begin('slow 100000', '--title', 'a slow one');
    expect((await beckon.run(['ls'])).stdout).toMatch(/^ses_\S+ .*demo.*a slow one\n$/);
    await inTurn(beckon, id);
    const sent = await beckon.run(['send', id.slice(0, 9), 'hello', 'there']);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^queued at place 1/) });
    expect((await beckon.run(['queue', id])).stdout).toBe('1. hello there\n');
    const removed = await beckon.run(['queue', id, '--remove', '1']);
    expect(removed.stdout).toBe('Nothing is queued.\n');
    await beckon.run(['send', id, '--queue', 'never sent']);
    expect(await beckon.run(['stop', id])).toMatchObject({
      code: 0,
      stdout: 'stopped\nnot sent: never sent\n',
    });
    expect((await beckon.run(['ls'])).stdout).toContain('1 stopped');
    expect((await beckon.run(['ls', '--all'])).stdout).toContain('stopped');
    // [SES21]
    expect(await beckon.run(['archive', id])).toMatchObject({ code: 0, stdout: 'archived\n' });
    expect((await beckon.run(['ls'])).stdout).toMatch(/1 archived: "beckon ls --archived"\)\n$/);
    expect((await beckon.run(['ls', '--archived'])).stdout).toMatch(/^ses_\S+ .*a slow one\n$/);
    expect(await beckon.run(['unarchive', id])).toMatchObject({ code: 0, stdout: 'no longer archived\n' });
    expect((await beckon.run(['ls'])).stdout).toContain('1 stopped');
    expect(await beckon.run(['resume', id])).toMatchObject({ code: 0, stdout: 'resumed\n' });
    await becomes(id, 'idle');
    // [REACH5]
    const muted = await beckon.run(['mute', id, '--for', '2h']);
    expect(muted).toMatchObject({ code: 0, stdout: 'muted for 2 h 0 min: a slow one\n' });
    expect((await beckon.run(['mute', id, '--for', 'soon'])).stderr).toContain('30m, 2h or 3d');
    const unmuted = await beckon.run(['unmute', id, '--json']);
    expect(JSON.parse(unmuted.stdout).session).not.toHaveProperty('mutedUntil');
    expect(await beckon.run(['interrupt', id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No turn'),
    });
  });

  it('[ASK8] denies with a reason that reaches the agent', async () => {
    const id = await begin('run echo hi');
    await asked();
    expect(await beckon.run(['deny', '--reason', 'not on a Friday'])).toMatchObject({
      code: 0,
      stdout: 'denied: Bash\n',
    });
    await becomes(id, 'idle');
    expect((await beckon.run(['watch', id, '--once'])).stdout).toContain('not on a Friday');
  });

  it('[GRANT1] approves for the session; the grant is listed and revoked', async () => {
    const id = await begin('run echo hi');
    const { interactionId } = await asked();
    expect((await beckon.run(['approve', interactionId, '--scope', 'session'])).code).toBe(0);
    await becomes(id, 'idle');
    const listed = await beckon.run(['grants']);
    expect(listed.stdout).toMatch(
      /^grant_\S+ {2}session {2}Bash {2}echo hi {2}\(with the token \(terminal\)\)\n$/,
    );
    const grant = listed.stdout.split(' ')[0] ?? '';
    expect((await beckon.run(['grants', '--revoke', grant])).stdout).toBe('No standing approvals.\n');
  });

  it('[GRANT9] says so when a pattern lets any program run', async () => {
    await begin('run sh -c true');
    await asked();
    const approved = await beckon.run(['approve', '--scope', 'session', '--pattern', 'sh *']);
    expect(approved.stdout).toBe(
      'allowed: Bash\nwarning: "sh" can be told to run any other program.\n"beckon grants" lists it, and takes it back with --revoke.\n',
    );
  });

  it('[UI12] marks lookalikes for people, and prints JSON for machines without a character that hides others', async () => {
    await begin('run echo g\u043e\u043egle \u202e\u200b\u3164');
    const { interactionId } = await asked();
    const shown = await beckon.run(['pending', interactionId]);
    expect(shown.stdout).toContain('$ echo g\\u{43e}\\u{43e}gle \\u{202e}\\u{200b}\\u{3164}');
    expect((await beckon.run(['pending'])).stdout).toContain('g\\u{43e}\\u{43e}gle');
    const { stdout } = await beckon.run(['pending', '--json']);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
    expect(JSON.parse(stdout).pending[0].input.command).toBe('echo g\u043e\u043egle \u202e\u200b\u3164');
  });

  it('[ASK9] answers several questions, by number, label, JSON and free text', async () => {
    const answerTo = async (...args: string[]) => {
      const id = await begin('question');
      const { interactionId } = await asked();
      expect(await beckon.run(['answer', interactionId, ...args])).toMatchObject({ code: 0, stderr: '' });
      await becomes(id, 'idle');
      return (await beckon.run(['watch', id, '--once'])).stdout;
    };
    const byNumber = await answerTo('2', '3,tests');
    expect(byNumber).toContain('Which database should I use? → SQLite');
    expect(byNumber).toContain('Which extras do you want? → CI, Tests');
    const byText = await answerTo('--other', 'a text file', 'Docs');
    expect(byText).toContain('Which database should I use? → a text file');
    const byJson = await answerTo('--json-answers', '{"0":"None","1":["Tests","CI"]}');
    expect(byJson).toContain('Which database should I use? → None');
  });

  it('[ASK3] a wrong answer is refused with what is wrong, and the question stays open', async () => {
    await begin('question');
    const { interactionId } = await asked();
    const refusals = [
      [['answer', interactionId, '1'], 2, 'there are 2 questions and 1 answers'],
      [['answer', interactionId, 'MySQL', '1'], 2, '"MySQL" is no option'],
      [['answer', interactionId, '1,2', '1'], 2, 'Only one option'],
      [['answer', interactionId, '--json-answers', '[]'], 1, ''],
      [['approve', interactionId], 1, 'use "beckon answer"'],
      [['answer', 'int_unknown', '1', '1'], 2, ''],
      [['approve', 'int_unknown'], 1, 'no open interaction has the id "int_unknown"'],
    ] as const;
    for (const [args, code, words] of refusals) {
      expect(await beckon.run(args)).toMatchObject({
        code,
        stdout: '',
        stderr: expect.stringContaining(words),
      });
    }
    expect((await asked()).interactionId).toBe(interactionId);
  });

  it('[TOOL3] fills in a form by the ids of its fields', async () => {
    const id = await begin('form');
    const { kind } = await asked();
    expect(kind).toBe('form');
    expect(await beckon.run(['answer', 'name=Jo', 'port=8080', 'https=no', 'tier=large'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    await becomes(id, 'idle');
    const told = (await beckon.run(['watch', id, '--once'])).stdout;
    expect(told).toContain('"name":"Jo"');
    expect(told).toContain('"port":8080');
    expect(told).toContain('"https":false');
    expect(told).toContain('"tier":"large"');
  });

  it('[API1] speaks JSON to machines, also of errors', async () => {
    const created = await beckon.run(['new', '--agent', 'demo', '--cwd', work, '--json', 'hello']);
    const { session } = JSON.parse(created.stdout);
    expect(session).toMatchObject({ agent: 'demo', cwd: work });
    await becomes(session.id, 'idle');
    expect(JSON.parse((await beckon.run(['ls', '--json'])).stdout).sessions).toHaveLength(1);
    expect(JSON.parse((await beckon.run(['pending', '--json'])).stdout)).toEqual({ pending: [] });
    const { agents } = JSON.parse((await beckon.run(['agents', '--json'])).stdout);
    const names = agents.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['claude', 'claude-sdk', 'demo']));
    expect(JSON.parse((await beckon.run(['search', 'hello', '--json'])).stdout).hits).not.toEqual([]);
    const failed = await beckon.run(['new', '--agent', 'nobody', '--json', 'x']);
    expect(failed).toMatchObject({ code: 1, stderr: '' });
    expect(JSON.parse(failed.stdout).error.code).toBe('agent_unknown');

    const watched = await beckon.run(['watch', session.id, '--all', '--once', '--json']);
    const lines = watched.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0].type).toBe('snapshot');
    const seqs = lines.filter(({ type }) => type === 'event').map(({ event }) => event.seq);
    expect(seqs.length).toBeGreaterThan(3);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it('[API1] tells what to do when nothing runs, when an id is ambiguous, and when the token is wrong', async () => {
    const nowhere = await temporaryDirectory();
    const notRunning = await runBeckon(['ls', '--data-dir', nowhere]);
    expect(notRunning).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('start one with "beckon serve'),
    });
    await begin('hello');
    await begin('hello');
    const ambiguous = await beckon.run(['watch', 'ses_']);
    expect(ambiguous).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('could be several sessions'),
    });
    expect(await beckon.run(['watch', 'nope'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no session has'),
    });
    expect(await beckon.run(['approve'])).toMatchObject({
      code: 1,
      stderr: 'beckon: nothing waits for you\n',
    });
    expect(await beckon.run(['send'])).toMatchObject({ code: 2 });
    await writeFile(join(beckon.dataDir, 'token'), 'w'.repeat(43));
    expect(await beckon.run(['ls'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The token file is not the one the server started with'),
    });
  });

  it('[SEC1] makes a link that lets one browser in', async () => {
    const { stdout } = await beckon.run(['pair']);
    const [, url, code] = /^(http:\S+)\/#pair=(\S+)\n$/.exec(stdout) ?? [];
    const pair = () =>
      fetch(`${url}/api/pair`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
    expect((await pair()).headers.get('set-cookie')).toMatch(/HttpOnly.*SameSite=Strict/i);
    expect((await pair()).status).toBe(401);
  });
});

describe('watching', () => {
  it('[MULTI3] tells what is open and how to answer it, and ends with the session', async () => {
    const id = await begin('run echo hi');
    const { interactionId } = await asked();
    const watching = follow(['watch', id, '--tail', '0']);
    await watching.seen(`beckon approve ${interactionId}`);
    expect(watching.stdout()).toContain('$ echo hi');
    await beckon.run(['approve']);
    await watching.seen('✓ allowed with the token');
    await watching.seen('── done');
    await beckon.run(['stop', id]);
    await watching.seen('■ stopped');
    expect(await watching.exited).toEqual({ code: 0, signal: null });
  });

  it('[ASK8] lets a person answer: deny with a reason, allow for the session, pick by number; lines are messages', async () => {
    const id = await begin('run echo one');
    const watching = follow(['watch', id, '--interactive']);
    const type = (line: string) => watching.child.stdin?.write(`${line}\n`);
    let at = await watching.seen('[a]llow once');
    type('maybe');
    at = await watching.seen('was not understood', at);
    type('d');
    at = await watching.seen('Why?', at);
    type('say two instead');
    await watching.seen('✗ denied', at);
    await watching.seen('say two instead', at);
    at = await watching.seen('── done', at);

    type('run echo two');
    at = await watching.seen('$ echo two', at);
    at = await watching.seen('[a]llow once', at);
    type('> later: hello');
    at = await watching.seen('queued at place 1', at);
    type('s');
    at = await watching.seen('✓ allowed\n', at);
    at = await watching.seen('── done', at);
    at = await watching.seen('── done', at);

    type('question');
    at = await watching.seen('1/2 Which database', at);
    type('2');
    at = await watching.seen('2/2 Which extras', at);
    type('1,3');
    // What is being said is told at once, what is stored when it is: their order is not fixed.
    await watching.seen('✓ answered\n', at);
    await watching.seen('Which extras do you want? → Tests, CI', at);
    at = await watching.seen('── done', at);
    expect(watching.stdout()).not.toContain('› run echo two');

    watching.child.kill('SIGINT');
    at = await watching.seen('Ctrl-C again leaves', at);
    watching.child.kill('SIGINT');
    expect(await watching.exited).toEqual({ code: 0, signal: null });
    expect(await statusOf(id)).toBe('idle');
  });

  it('[ASK4] says when it was answered elsewhere, and goes on', async () => {
    const id = await begin('run echo one');
    const watching = follow(['watch', id, '--interactive', '--once']);
    await watching.seen('[a]llow once');
    await beckon.run(['approve']);
    await watching.seen('✓ allowed with the token (terminal)');
    expect(await watching.exited).toEqual({ code: 0, signal: null });
    expect(watching.stdout()).toContain('It printed:');
  });

  it('[SES5] Ctrl-C interrupts the turn, not the session', async () => {
    const id = await begin('slow 100000');
    await inTurn(beckon, id);
    const watching = follow(['watch', id, '--interactive']);
    await watching.seen('word1');
    watching.child.kill('SIGINT');
    await watching.seen('── interrupted');
    await becomes(id, 'idle');
  });

  it('[MULTI5] survives a restart of the server on the same port, without repeating anything', async () => {
    const id = await begin('hello');
    await becomes(id, 'idle');
    const watching = follow(['watch', id, '--all']);
    await watching.seen('── done');
    const port = new URL(beckon.url).port;
    await beckon.kill9();
    await watching.seen('The connection is lost');
    const { dataDir } = beckon;
    beckon = await startBeckon({ dataDir, args: ['--port', port] });
    await watching.seen('Connected again.');
    await beckon.run(['send', id, 'remember the milk']);
    await watching.seen('› remember the milk');
    expect(watching.stdout().match(/› hello/g)).toHaveLength(1);
  });
});
