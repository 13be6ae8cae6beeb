import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { drilledAgent } from '../support/drilled-agent.ts';
import { holds } from '../support/eventually.ts';
import { patienceMs } from '../support/patience.ts';
import { endTerminals, openTerminal as openTerminalAt } from '../support/terminal.ts';

let beckon: Beckon;

beforeAll(async () => {
  beckon = await startBeckon({ args: ['--claude', drilledAgent(await temporaryDirectory())] });
});
afterEach(async () => {
  await endTerminals();
  const { sessions } = (await beckon.api('GET', '/api/sessions')).body;
  for (const { id, status } of sessions)
    if (status !== 'stopped') await beckon.api('POST', `/api/sessions/${id}/stop`);
});
afterAll(endBeckons);

const openTerminal = (args: readonly string[], columns = 80) =>
  openTerminalAt(args, { dataDir: beckon.dataDir, columns });

describe('typing in a terminal', () => {
  const start = async (prompt: string): Promise<string> => {
    const agent = prompt.startsWith('!') ? 'claude' : 'demo';
    const body = { agent, prompt, cwd: await temporaryDirectory(), env: { BECKON_DEMO_PACE: '0' } };
    return (await beckon.api('POST', '/api/sessions', body)).body.session.id;
  };
  const pending = async () => (await beckon.api('GET', '/api/pending')).body.pending;

  it('[ASK8] new goes over into watching; keys answer; Ctrl-C twice leaves and the session goes on', async () => {
    const terminal = openTerminal([
      'new',
      '--agent',
      'demo',
      '--cwd',
      await temporaryDirectory(),
      'run',
      'echo',
      'hi',
    ]);
    await terminal.seen('ses_');
    await terminal.seen('$ echo hi');
    await terminal.seen('[a]llow once');
    terminal.type('a\r');
    await terminal.seen('✓ allowed');
    await terminal.seen('── done');
    terminal.type('\u0003');
    await terminal.seen('Ctrl-C again leaves');
    terminal.type('\u0003');
    await terminal.seen('The session goes on.');
    expect(await terminal.exited).toBe(0);
    const { sessions } = (await beckon.api('GET', '/api/sessions?q=echo')).body;
    expect(sessions.map(({ status }: { status: string }) => status)).toEqual(['idle']);
  });

  it('[UI23] the blanks of a template are asked for, also of who types ahead; left empty they are asked for again, and Ctrl-C starts nothing', async () => {
    await beckon.api('POST', '/api/templates', { name: 'Greeting', prompt: 'hello, {{name}} of {{town}}' });
    const start = ['new', '--agent', 'demo', '--cwd', await temporaryDirectory(), '--no-watch'];
    const terminal = openTerminal([...start, '--template', 'Greeting']);
    // Before the program reads keys, and in one go: nothing of it is lost.
    terminal.type('Ada\r');
    await terminal.seen('town: ');
    terminal.type('\rUlm\r');
    await terminal.seen('ses_');
    expect(await terminal.exited).toBe(0);
    const left = openTerminal([...start, '--template', 'Greeting']);
    await left.seen('name: ');
    left.type('\u0003');
    await left.seen('nothing was started');
    expect(await left.exited).toBe(1);
    const { sessions } = (await beckon.api('GET', '/api/sessions?q=hello,')).body;
    expect(sessions.map(({ title }: { title: string }) => title)).toEqual(['hello, Ada of Ulm']);
  });

  it('[MSG4] a message begun before a question came up is sent as a message and answers nothing', async () => {
    const id = await start('hello');
    const terminal = openTerminal(['watch', id]);
    await terminal.seen('── done');
    terminal.type('my thoughts');
    await terminal.seen('my thoughts');
    await beckon.api('POST', `/api/sessions/${id}/message`, { message: 'question' });
    await terminal.seen('1/2 Which database');
    terminal.type(' on this\r');
    await terminal.seen('queued at place 1');
    expect(await pending()).toHaveLength(1);
    const { queue } = (await beckon.api('GET', `/api/sessions/${id}/queue`)).body;
    expect(queue.map(({ message }: { message: string }) => message)).toEqual(['my thoughts on this']);
  });

  it('[ASK4] a key meant for one interaction does not answer the next', async () => {
    const id = await start('!parallel');
    await holds(async () => expect((await pending()).length).toBeGreaterThan(1));
    const [first, ...others] = await pending();
    const terminal = openTerminal(['watch', id]);
    await terminal.seen('[a]llow once');
    terminal.type('a');
    await terminal.seen('› a');
    await beckon.api('POST', `/api/sessions/${id}/approve`, {
      requestId: first.interactionId,
      decision: 'allow',
    });
    await terminal.seen('✓ allowed with the token');
    terminal.type('\r');
    await terminal.seen('nothing was sent');
    expect((await pending()).map(({ interactionId }: { interactionId: string }) => interactionId)).toEqual(
      others.map(({ interactionId }: { interactionId: string }) => interactionId),
    );
  });

  const messagesOf = async (id: string): Promise<string[]> => {
    const { events } = (await beckon.api('GET', `/api/sessions/${id}/events?limit=1000`)).body;
    return events.flatMap((event: { type: string; text: string }) =>
      event.type === 'message.queued' ? [event.text] : [],
    );
  };

  it('[TERM2] [TERM4] several lines that are pasted are one message; it can be called back, and is kept where only its owner reads it', async () => {
    const id = await start('hello');
    const terminal = openTerminal(['watch', id]);
    await terminal.seen('── done');
    terminal.paste('first \u001b[31mline\r\nsecond line\nthird');
    await terminal.shows((rows) => rows.join('\n').includes('› first line\n  second line\n  third'));
    // What comes together with a paste counts as pasted: a person presses later, and again if nothing happens.
    const sent = async () => {
      terminal.type('\r');
      expect(await messagesOf(id)).toHaveLength(2);
    };
    await holds(sent, { timeout: patienceMs, interval: 300 });
    expect((await messagesOf(id))[1]).toBe('first line\nsecond line\nthird');
    const file = join(beckon.dataDir, 'terminal-history');
    await holds(async () => expect(await readFile(file, 'utf8')).toContain('first line\\nsecond line'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    // The answers and blanks of the other terminals are not in it.
    for (const line of ['"a"', '"Ada"']) expect(await readFile(file, 'utf8')).not.toContain(line);

    const other = openTerminal(['watch', id]);
    await other.seen('── done');
    other.type('\u001b[A');
    await other.shows((rows) => rows.join('\n').includes('› first line\n  second line\n  third'));
  });

  it('[TERM3] what comes while one types, and a terminal that changes its size, leave the typed text whole', async () => {
    const id = await start('slow 120');
    const terminal = openTerminal(['watch', id], 40);
    const text = 'this text is longer than a row of this terminal, and 漢字 wide';
    const isWhole = (rows: readonly string[], width: number) => {
      const at = rows.findIndex((row) => row.startsWith('› this'));
      const typed = rows.slice(at).filter((row) => row !== '');
      return (
        rows.filter((row) => row.includes('this text is')).length === 1 &&
        typed.every((row) => row.length <= width) &&
        typed
          .map((row) => row.slice(2))
          .join('')
          .replaceAll(' ', '') === text.replaceAll(' ', '')
      );
    };
    await terminal.seen('word3 ');
    for (const letter of text) terminal.type(letter);
    await terminal.shows((rows) => isWhole(rows, 40));
    await terminal.seen('── done');
    await terminal.shows((rows) => isWhole(rows, 40));
    const said = terminal.all().join(' ');
    const words = Array.from({ length: 120 }, (_, index) => `word${index + 1}`);
    expect(said.match(/word\d+/g)).toEqual(words);
    terminal.resize(26, 24);
    await terminal.shows((rows) => isWhole(rows, 26));
    terminal.resize(90, 24);
    await terminal.shows((rows) => isWhole(rows, 90));
    terminal.type('\u0003');
    await terminal.shows((rows) => rows.findLast((row) => row !== '') === '›');
    terminal.type('\u0004');
    expect(await terminal.exited).toBe(0);
    expect(await messagesOf(id)).toEqual(['slow 120']);
  });

  it("[TERM5] Tab completes the agent's commands and the files of the session", async () => {
    const cwd = await temporaryDirectory();
    await writeFile(join(cwd, 'notes of today.md'), '');
    await writeFile(join(cwd, 'evil\u001b[2Jname'), '');
    const body = { agent: 'demo', prompt: 'hello', cwd, env: { BECKON_DEMO_PACE: '0' } };
    const { id } = (await beckon.api('POST', '/api/sessions', body)).body.session;
    const terminal = openTerminal(['watch', id]);
    await terminal.seen('── done');
    terminal.type('/que\t');
    await terminal.shows('› /question');
    terminal.type('\u0003/t\t');
    await terminal.shows((rows) => rows.includes('› /t') && rows.some((row) => row.startsWith('  /tour')));
    terminal.type('\u0003look at @evil\t@no\t');
    await terminal.shows('› look at @evil@no');
    terminal.type('\u0003look at @no\t');
    await terminal.shows('› look at @"notes of today.md"');
  });
});
