import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { MessageId, SessionId } from '../../../src/protocol/ids.ts';
import type { Decision } from '../../../src/protocol/interaction.ts';
import type { AgentConnection, AgentStart } from '../../../src/runner/ports/agent-driver.ts';
import { FactRecorder } from '../../support/fact-recorder.ts';
import { patienceMs } from '../../support/patience.ts';
import { isRunning } from '../../support/running.ts';
import { type AcpRig, acpRig } from './acp-rig.ts';

const rigs: AcpRig[] = [];

afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()));
});

function begin(flags: string[] = [], settings: Partial<AgentStart> & { startLimitMs?: number } = {}) {
  const { startLimitMs, ...start } = settings;
  const rig = acpRig({ flags, ...(startLimitMs !== undefined && { startLimitMs }) });
  rigs.push(rig);
  return { rig, ...startOn(rig, start) };
}

function startOn(rig: AcpRig, settings: Partial<AgentStart> = {}) {
  const facts = new FactRecorder();
  const connection = rig.driver.start(
    {
      processId: randomUUID(),
      sessionId: SessionId.parse('s1'),
      cwd: rig.cwd,
      env: {},
      permissionMode: null,
      model: null,
      resume: null,
      tools: null,
      ...settings,
    },
    facts.report,
  );
  return { facts, connection };
}

async function say(
  facts: FactRecorder,
  connection: AgentConnection,
  text: string,
  images = 0,
): Promise<void> {
  await facts.of('ready');
  const pictures = Array.from({ length: images }, () => ({ mediaType: 'image/png', data: 'AAAA' }));
  await connection.send({ messageId: MessageId.parse(randomUUID()), text, images: pictures }, 'turn');
}

/** Plays a scene to its end, and gives the words that came of it. */
async function played(words: string, flags: string[] = [], prepare?: (rig: AcpRig) => void) {
  const begun = begin(flags);
  prepare?.(begun.rig);
  await say(begun.facts, begun.connection, words.replaceAll('CWD', begun.rig.cwd));
  const ended = await begun.facts.of('turn-ended');
  return { ...begun, ended, said: wordsIn(begun.facts) };
}

const wordsIn = (facts: FactRecorder) =>
  facts
    .said('agent.text')
    .map(({ text }) => text)
    .join('');

describe('an agent that cannot be started', () => {
  test('[SES7] one that does not answer is given up, in words, and ended', async () => {
    const { facts } = begin(['--hang'], { startLimitMs: 500 });
    const exited = await facts.of('exited');
    expect(exited.startError).toMatch(/Scripted did not get ready: it did not answer "initialize" within/);
    expect(facts.types()).toEqual(['exited']);
  });

  test('[SES7] one that refuses is told with its own words', async () => {
    const { facts } = begin(['--refuse']);
    expect((await facts.of('exited')).startError).toContain('Internal error: no account');
  });

  test('[SES7] one that wants a login says so, and how it can be done', async () => {
    const { facts } = begin(['--auth']);
    const { startError } = await facts.of('exited');
    expect(startError).toContain('wants you to sign in first');
    expect(startError).toContain('Log in (with a browser)');
    expect(startError).toContain('sign in first: Authentication required: run `scripted login`');
    expect(startError).toContain('Run "scripted login" in a terminal. Or give it a key in SCRIPTED_KEY.');
  });

  test('[SES24] one whose key lies in its environment is told to take it, and starts', async () => {
    const { facts } = begin(['--auth', '--auth-key'], { env: { SCRIPTED_KEY: 'right' } });
    expect(await facts.of('ready')).toMatchObject({ version: '1.2.3' });
  });

  test('[SES24] what it says of a key that it does not take is told', async () => {
    const { facts } = begin(['--auth', '--auth-key'], { env: { SCRIPTED_KEY: 'wrong' } });
    expect((await facts.of('exited')).startError).toContain('That key is too old');
  });

  test('[SES7] one of another version of the protocol is refused', async () => {
    const { facts } = begin(['--version-9']);
    expect((await facts.of('exited')).startError).toContain('speaks version 9');
  });

  test('a mode and a model it does not have are told, and it starts without them', async () => {
    const { facts } = begin([], { permissionMode: 'yolo', model: 'huge-model' });
    await facts.of('ready');
    expect(facts.said('agent.notice').map(({ code }) => code)).toEqual(['mode-refused', 'model-refused']);
    const { permissionMode } = await facts.of('mode-changed');
    expect(permissionMode).toBe('default');
  });

  test('[SES13] a mode and a model it has are set before the first message', async () => {
    const { facts } = begin([], { permissionMode: 'plan', model: 'another-model' });
    await facts.of('ready');
    expect(facts.said('agent.notice')).toEqual([]);
    expect([...facts.every('mode-changed'), ...facts.every('model-changed')]).toEqual([]);
  });
});

describe('an agent that misbehaves', () => {
  test('[SES8] one that dies in mid-turn is told with its exit code and last words', async () => {
    const { facts, connection } = begin();
    await say(facts, connection, '!die');
    const exited = await facts.of('exited');
    expect(exited).toMatchObject({ code: 3, signal: null });
    expect(exited.stderr.join('\n')).toContain('the last words');
    expect(facts.all.at(-1)).toBe(exited);
    expect(wordsIn(facts)).toBe('Goodbye, ');
    await expect(connection.interrupt()).rejects.toThrow();
  });

  test('[PEER6] what is no JSON or no message is told, and the turn goes on', async () => {
    const { facts, ended, said, rig } = await played('!garbage');
    expect(ended.outcome).toBe('completed');
    expect(said).toBe('before after');
    expect(facts.said('tool.called')).toEqual([]);
    const codes = new Set(facts.every('diagnostic').map(({ code }) => code));
    expect([...codes].sort()).toEqual([
      'malformed-response',
      'no-type',
      'not-an-object',
      'not-json',
      'unknown-input',
    ]);
    expect(rig.raw()).toContain('this is not JSON');
  });

  test('[PEER6] updates and notifications it does not know are told once, a request is refused', async () => {
    const { facts, said } = await played('!unknown');
    expect(said).toMatch(/^before after: refused: .*session\/sing/);
    const texts = facts.every('diagnostic').map(({ text }) => text);
    expect(texts.filter((text) => text.includes('update dance'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('from/the_future'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('unknown kind; it was refused'))).toHaveLength(1);
    expect(texts).toHaveLength(3);
  });

  test('[PEER6] what is nested beyond measure is told or refused, and the turn goes on', async () => {
    const { facts, ended, said, rig } = await played('!deep');
    expect(ended.outcome).toBe('completed');
    expect(said).toBe('out again');
    expect(facts.every('asked')).toEqual([]);
    const codes = facts.every('diagnostic').map(({ code }) => code);
    expect(codes).toEqual(['handler-failed', 'handler-failed', 'malformed-request', 'malformed-request']);
    for (const id of ['deep-approval', 'deep-form']) {
      await until(() => rig.raw().includes(`{"jsonrpc":"2.0","id":"${id}","error":{"code":-32602`));
    }
  });

  test('[PEER4] a line of 20 MB is whole', async () => {
    const { facts } = await played('!bigline 20');
    expect(facts.said('tool.result')[0]?.text).toHaveLength(20 * 1024 * 1024);
    expect(facts.every('diagnostic')).toEqual([]);
  });

  test('[PEER4] a line that is too long is skipped, and the turn goes on', async () => {
    const { facts, said } = await played('!bigline 33');
    expect(said).toBe('printed');
    expect(facts.every('diagnostic').map(({ code }) => code)).toEqual(['overlong-line']);
  });

  test('[PEER7] a question that it takes back is withdrawn', async () => {
    const { facts, connection } = begin();
    await say(facts, connection, '!withdraw');
    const { ask } = await facts.of('asked');
    await facts.of('withdrawn');
    await expect(connection.answer(ask, { type: 'allow', scope: 'once' })).resolves.toMatchObject({
      ok: false,
    });
    expect(await facts.of('turn-ended')).toMatchObject({ outcome: 'completed' });
    expect(facts.every('withdrawn')).toHaveLength(1);
  });

  test('[MULTI4] nothing is reported while reading is paused, and nothing is lost', async () => {
    const { facts, connection, rig } = begin();
    await facts.of('ready');
    connection.pause();
    const before = facts.all.length;
    await say(facts, connection, 'run touch made.txt');
    // It has noted the message, and says at once what it has to say.
    await until(() => readdirSync(rig.home).some((name) => name.endsWith('.history')));
    expect(facts.all).toHaveLength(before);
    connection.resume();
    const { ask } = await facts.of('asked');
    await connection.answer(ask, { type: 'allow', scope: 'once' });
    await facts.of('turn-ended');
    expect(wordsIn(facts)).toBe('I run it.Done.');
  });

  test('[SES15] that one that is paused is gone is told, and what it said last is read when reading goes on', async () => {
    const { facts, connection } = begin();
    await facts.of('ready');
    connection.pause();
    await say(facts, connection, '!die');
    await facts.of('ending');
    expect(wordsIn(facts)).toBe('');
    connection.resume();
    expect(await facts.of('exited')).toMatchObject({ code: 3 });
    expect(wordsIn(facts)).toBe('Goodbye, ');
  });

  test('[SES6] one that is paused can be closed', async () => {
    const { facts, connection } = begin();
    await facts.of('ready');
    connection.pause();
    await say(facts, connection, 'endless');
    await connection.close();
    expect(facts.all.at(-1)?.type).toBe('exited');
  });

  test('what it says after its turn is a turn of its own, which ends', async () => {
    const { facts } = await played('!late');
    const from = facts.all.indexOf(await facts.of('turn-ended')) + 1;
    expect(await facts.of('turn-started', from)).toMatchObject({ messageIds: [] });
    expect(await facts.of('turn-ended', from)).toMatchObject({ outcome: 'completed' });
    expect(wordsIn(facts)).toBe('in the turnafter it');
  });
});

describe('options of an approval', () => {
  const deny: Decision = { type: 'deny', message: 'No', interrupt: false };
  const allow = (scope: 'once' | 'session' | 'always'): Decision => ({ type: 'allow', scope });

  test.each([
    ['all', allow('once'), 'yes', []],
    ['all', allow('session'), 'yes', []],
    ['all', allow('always'), 'yes', []],
    ['all', deny, 'no', []],
    ['strange', allow('always'), 'yes', []],
    ['only-always', allow('once'), 'ever', ['remembered-by-agent']],
    ['only-never', deny, 'never', []],
    ['no-way-out', deny, 'undefined', ['no-such-option']],
    ['none', allow('once'), 'undefined', ['no-such-option']],
  ])('[ASK8] of %s, %o chooses %s', async (which, decision, chosen, remarks) => {
    const { facts, connection } = begin();
    await say(facts, connection, `!options ${which}`);
    const { ask } = await facts.of('asked');
    await connection.answer(ask, decision);
    await facts.of('turn-ended');
    expect(wordsIn(facts)).toBe(`chosen: ${chosen}`);
    expect(facts.said('agent.notice').map(({ code }) => code)).toEqual(remarks);
  });

  test('[GRANT5] where an approval would hold for good, or cannot be given, the person is told and no grant answers', async () => {
    for (const which of ['only-always', 'none']) {
      const { facts, connection } = begin();
      await say(facts, connection, `!options ${which}`);
      const { ask } = await facts.of('asked');
      expect(ask).toMatchObject({ requiresPerson: true, toolName: 'Poke it', input: { it: 1 } });
      expect(ask.reason).toContain('The agent offers no');
    }
  });
});

describe('files and commands', () => {
  test('[ACP1] the agent is offered no files: it reads and writes them itself, and one that tries it here is refused', async () => {
    const { facts, said, rig } = await played('!files CWD/a.txt', [], ({ cwd }) =>
      writeFileSync(join(cwd, 'a.txt'), 'one\n'),
    );
    const { fs } = JSON.parse(readFileSync(join(rig.home, 'client.json'), 'utf8'));
    expect(fs).toEqual({ readTextFile: false, writeTextFile: false });
    expect(said.match(/refused: There is no method fs/g)).toHaveLength(2);
    expect(readFileSync(join(rig.cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(facts.said('tool.called')).toEqual([]);
  });

  test('a change to a file is shown as a diff', async () => {
    const { facts, connection, rig } = begin();
    writeFileSync(join(rig.cwd, 'a.txt'), 'one\ntwo\nthree\n');
    await say(facts, connection, 'edit');
    const { ask } = await facts.of('asked');
    const path = join(rig.cwd, 'a.txt');
    expect(ask).toMatchObject({
      toolName: 'Edit',
      input: { told: { path, changes: [{ after: 'one\n2\nthree\n' }] } },
      call: { is: 'change', path: '/told/path' },
    });
    await connection.answer(ask, { type: 'allow', scope: 'once' });
    await facts.of('turn-ended');
    expect(readFileSync(path, 'utf8')).toBe('one\n2\nthree\n');
    expect(facts.said('tool.called')).toHaveLength(1);
    expect(facts.said('tool.result')[0]?.detail).toMatchObject({
      hunks: [{ oldStart: 1, newStart: 1, lines: [' one', '-two', '+2', ' three'] }],
    });
  });

  test('a command runs in the directory; what it printed is the result of the call that shows it', async () => {
    const { facts, said } = await played('terminal pwd; echo wrong >&2; exit 3');
    expect(JSON.parse(said)).toEqual({ exitCode: 3, signal: null });
    const [result] = facts.said('tool.result');
    expect(result?.text).toMatch(/work\nwrong\n$/);
    expect(facts.said('tool.called')).toHaveLength(1);
  });

  test('[SEC4] a command outside the directory is refused, and told, also where a link leads there', async () => {
    for (const cwd of ['/', '..', 'out']) {
      const { facts, said } = await played(`!terminal {"command":"pwd","cwd":"${cwd}"}`, [], (rig) =>
        symlinkSync(rig.dir, join(rig.cwd, 'out')),
      );
      expect(said).toMatch(/refused: .*outside the session's directory/);
      expect(facts.said('agent.notice').map(({ code }) => code)).toEqual(['outside-directory']);
    }
  });

  test('the output of a command is bounded, and shown when no call told of it', async () => {
    const { facts, said } = await played('!flood');
    expect(said).toMatch(/^1048576 true refused: There is no terminal/);
    expect(facts.said('tool.called')).toMatchObject([
      { name: 'Bash', input: { command: 'yes | head -c 9000000' } },
    ]);
  });

  test('[SES7] a command that still runs ends with the agent', async () => {
    const { facts, connection, rig } = await played(
      "!command setsid sh -c 'echo $$ > pid; exec sleep 600' & wait",
    );
    const pid = await pidIn(join(rig.cwd, 'pid'));
    await connection.close();
    expect(isRunning(pid)).toBe(false);
    expect(facts.all.at(-1)?.type).toBe('exited');
    expect(facts.said('tool.called')).toMatchObject([{ name: 'Bash' }]);
    expect(facts.said('tool.result')).toMatchObject([
      { isError: true, text: expect.stringContaining('SIG') },
    ]);
  });
});

describe('what the protocol carries', () => {
  test('a list of steps is told as often as it changes', async () => {
    const { facts } = await played('todo');
    const lists = facts.said('tool.called').filter(({ name }) => name === 'TodoWrite');
    expect(lists).toHaveLength(4);
    expect(lists[1]?.input).toEqual({
      todos: [
        { content: 'Look', status: 'completed' },
        { content: 'Think', status: 'in_progress' },
        { content: 'Act', status: 'pending' },
      ],
    });
  });

  test('[TOOL11] a form is asked as one, and what is filled in reaches the agent', async () => {
    const { facts, connection } = begin();
    await say(facts, connection, 'form');
    const { ask } = await facts.of('asked');
    expect(ask).toMatchObject({ kind: 'form', form: { message: 'Who are you?' }, requiresPerson: true });
    expect(ask.form?.fields).toMatchObject([
      { id: 'name', type: 'text', label: 'Name', required: true },
      { id: 'age', type: 'number', integer: true, minimum: 1 },
    ]);
    await connection.answer(ask, { type: 'submit', values: { name: 'Ada', age: 36 } });
    await facts.of('turn-ended');
    expect(JSON.parse(wordsIn(facts))).toEqual({ action: 'accept', content: { name: 'Ada', age: 36 } });
  });

  test('[MSG6] images are sent where they are taken, and their loss is told where not', async () => {
    const seeing = begin();
    await say(seeing.facts, seeing.connection, 'and this', 2);
    await seeing.facts.of('turn-ended');
    expect(wordsIn(seeing.facts)).toBe('You said: [image] and this');
    const blind = begin(['--blind']);
    await say(blind.facts, blind.connection, 'look at this', 1);
    await blind.facts.of('turn-ended');
    expect(blind.facts.said('agent.notice').map(({ code }) => code)).toEqual(['images-left-out']);
    expect((await blind.facts.of('ready')).capabilities.images).toBe(false);
  });

  test.each([
    ['before', '--load'],
    ['after', '--late-history'],
  ])('[SES10] a history that is replayed %s the reply to load is not told again', async (_, flag) => {
    const { rig, facts, connection } = begin(['--load', flag]);
    await say(facts, connection, 'hello');
    await facts.of('turn-ended');
    const { agentSessionId } = await facts.of('identified');
    await connection.close();
    const again = startOn(rig, { resume: agentSessionId });
    await say(again.facts, again.connection, 'echo more');
    await again.facts.of('turn-ended');
    expect(rig.raw()).toContain('told before');
    expect(wordsIn(again.facts)).toBe('You said: more');
  });

  test('an agent that cannot take up a conversation says so, and begins another', async () => {
    const { facts } = begin(['--forgetful'], { resume: 'earlier' });
    const { capabilities, agentSessionId } = await facts.of('ready');
    expect([capabilities.resume, agentSessionId]).toEqual([false, null]);
    expect(facts.said('agent.notice')).toMatchObject([{ code: 'resume-refused' }]);
  });

  const tools = { url: 'http://127.0.0.1:9/mcp', key: 'the-secret-key', unasked: [] };

  test('[TOOL11] [TOOL16] the interactive tools are offered to an agent that can reach them', async () => {
    const { rig, facts } = begin([], { tools });
    await facts.of('ready');
    // Nothing is known of when this agent gives up on a tool: a minute is what most wait.
    const limit = { name: 'x-beckon-tool-limit', value: '60000' };
    expect(JSON.parse(readFileSync(join(rig.home, 'servers.json'), 'utf8'))).toEqual([
      {
        type: 'http',
        name: 'beckon',
        url: tools.url,
        headers: [{ name: 'Authorization', value: 'Bearer the-secret-key' }, limit],
      },
    ]);
    expect(facts.said('agent.notice')).toEqual([]);
  });

  test('[TOOL11] a tool of ours that asks by itself needs no leave, and one that is only called like it does', async () => {
    const { facts, connection } = begin([], { tools: { ...tools, unasked: ['ask_user'] } });
    await say(facts, connection, '!call Asking mcp__beckon__ask_user');
    await facts.of('turn-ended');
    expect(wordsIn(facts)).toBe('chosen: yes');
    expect(facts.every('asked')).toEqual([]);

    await say(facts, connection, '!call mcp__beckon__ask_user');
    const { ask } = await facts.of('asked');
    await connection.answer(ask, { type: 'deny', message: 'No.', interrupt: false });
    await facts.next('the second end', () => facts.every('turn-ended')[1]);
    expect(wordsIn(facts)).toBe('chosen: yeschosen: no');
  });

  test('[TOOL11] an agent that cannot reach them works without, and that is said', async () => {
    const { rig, facts } = begin(['--no-http'], { tools });
    await facts.of('ready');
    expect(readFileSync(join(rig.home, 'servers.json'), 'utf8')).toBe('[]');
    expect(facts.said('agent.notice').map(({ code }) => code)).toEqual(['tools-left-out']);
  });

  test('[SEC3] the key of the tools is not in the raw log', async () => {
    const { rig, facts } = begin([], { tools });
    await facts.of('ready');
    expect(rig.raw()).toContain('"Authorization"');
    expect(rig.raw()).not.toContain('the-secret-key');
  });

  test('what it can do, and its version, are known after it ran once', async () => {
    const { rig, facts } = begin();
    expect(await rig.driver.probe()).toMatchObject({
      available: true,
      capabilities: { permissionModes: [] },
    });
    const { capabilities } = await facts.of('ready');
    expect(await rig.driver.probe()).toMatchObject({ available: true, version: '1.2.3', capabilities });
    expect(capabilities).toMatchObject({
      steer: false,
      permissionModes: ['default', 'acceptEdits', 'plan'],
      models: [
        { value: 'small-model', label: 'The small-model' },
        { value: 'another-model', label: 'The another-model' },
      ],
    });
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error('It never came true');
    await delay(10);
  }
}

async function pidIn(path: string): Promise<number> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (/^\d+\n$/.test(text)) return Number(text);
    if (performance.now() > deadline) throw new Error(`${path} never held a pid`);
    await delay(10);
  }
}
