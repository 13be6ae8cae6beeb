import { spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { drilledAgent } from '../support/drilled-agent.ts';

const program = resolve(import.meta.dirname, '../../src/cli/main.ts');
const lender: string = 'script';
/** util-linux's `script` lends a pseudo-terminal; elsewhere it has other flags or is not there. */
const hasTerminal = /util-linux/.test(spawnSync(lender, ['--version'], { encoding: 'utf8' }).stdout ?? '');

interface Terminal {
  type(keys: string): void;
  seen(text: string): Promise<void>;
  readonly exited: Promise<number | null>;
  text(): string;
}

let beckon: Beckon;
let endTerminal: () => Promise<unknown> = async () => {};

beforeEach(async () => {
  beckon = await startBeckon({ args: ['--claude', drilledAgent(await temporaryDirectory())] });
});
afterEach(async () => {
  await endTerminal();
  await endBeckons();
});

function openTerminal(args: readonly string[]): Terminal {
  const command = [process.execPath, program, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn(lender, ['-qfec', command, '/dev/null'], {
    env: { ...process.env, BECKON_DATA_DIR: beckon.dataDir, TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: '' },
  });
  let raw = '';
  let text = '';
  let from = 0;
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    raw += more;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the movements of the cursor are no words
    text = raw.replace(/\u001b\[[\d;]*[A-Za-z]/g, '');
  });
  const exited = new Promise<number | null>((end) => child.on('close', end));
  endTerminal = () => {
    child.kill('SIGKILL');
    return exited;
  };
  return {
    exited,
    text: () => text,
    type: (keys) => void child.stdin.write(keys),
    seen: (words) =>
      vi.waitFor(() => {
        const at = text.indexOf(words, from);
        if (at === -1) throw new Error(`"${words}" did not come: ${text.slice(from)}`);
        from = at + words.length;
      }, 15_000),
  };
}

describe.skipIf(!hasTerminal)('typing in a terminal', () => {
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
    const { sessions } = (await beckon.api('GET', '/api/sessions')).body;
    expect(sessions.map(({ status }: { status: string }) => status)).toEqual(['idle']);
  });

  it('[UI23] the blanks of a template are asked for; left empty they are asked for again, and Ctrl-C starts nothing', async () => {
    await beckon.api('POST', '/api/templates', { name: 'Greeting', prompt: 'hello, {{name}} of {{town}}' });
    const start = ['new', '--agent', 'demo', '--cwd', await temporaryDirectory(), '--no-watch'];
    const terminal = openTerminal([...start, '--template', 'Greeting', '--set', 'town=Ulm']);
    await terminal.seen('name: ');
    terminal.type('\r');
    await terminal.seen('name: ');
    terminal.type('Ada\r');
    await terminal.seen('ses_');
    expect(await terminal.exited).toBe(0);
    const left = openTerminal([...start, '--template', 'Greeting']);
    await left.seen('name: ');
    left.type('\u0003');
    await left.seen('nothing was started');
    expect(await left.exited).toBe(1);
    const { sessions } = (await beckon.api('GET', '/api/sessions')).body;
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
    await vi.waitFor(async () => expect((await pending()).length).toBeGreaterThan(1), 15_000);
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
});
