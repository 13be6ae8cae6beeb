import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import type { Scene } from '../../../src/drivers/demo/program/scenes/scene.ts';
import type { Answer, Session } from '../../../src/drivers/demo/program/session.ts';
import { Stage } from '../../../src/drivers/demo/program/stage.ts';
import { failed } from '../../../src/drivers/demo/program/tools.ts';

type Play = (stage: Stage, ...args: readonly number[]) => Promise<void>;

const aDayMs = 86_400_000;

/** In the directory of a session whose agent crashes at every start. */
export const crashMark = '.crashes-always';

/** By the first word of a message; the numbers after it are their arguments. */
const plays: Readonly<Record<string, Play>> = {
  /** Lines no reader should trip over, in the middle of an ordinary turn. */
  async '!garbage'(stage) {
    const { session } = stage;
    await stage.say('before the garbage');
    await stage.endReply('end_turn');
    await session.write(
      'this is not JSON\n{"broken": \n{"no_type":true}\n{"type":"from_the_future","x":1}\n',
    );
    await session.write('{"type":"system","subtype":"from_the_future"}\n[1,2,3]\nnull\n"text"\n42\n\n');
    await session.write(Uint8Array.of(0x00, 0xff, 0xfe, 0x80, 0xc3, 0x28, 0x0a));
    await stage.say('after the garbage');
  },

  /** A line with characters of two, three and four bytes, written byte by byte. */
  async '!split-utf8'(stage) {
    const message = {
      id: 'split',
      role: 'assistant',
      content: [{ type: 'text', text: 'Grüße, 世界, 👋🏽!' }],
    };
    const line = { type: 'assistant', message, parent_tool_use_id: null, session_id: stage.session.id };
    for (const byte of Buffer.from(`${JSON.stringify(line)}\n`)) await flushed(Uint8Array.of(byte));
  },

  /** A tool result of N megabytes in a single line. */
  async '!bigline'(stage, megabytes = 1) {
    const content = 'x'.repeat(Math.round(megabytes * 1024 * 1024));
    await stage.act('Bulk', { megabytes }, async () => ({ content }));
  },

  /** Says nothing more, hears no interrupt, and stays when its input ends. */
  '!hang'() {
    process.stdin.removeAllListeners().pause();
    return new Promise(() => setInterval(() => undefined, aDayMs));
  },

  /** Neither the end of its input nor SIGTERM ends it, and it has a child in a session of its own. */
  async '!ignore-sigterm'(stage) {
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined);
    process.stdin.removeAllListeners('end');
    setInterval(() => undefined, aDayMs);
    const sleeper = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    sleeper.unref();
    await stage.say(`child pid ${sleeper.pid}`);
  },

  /** Ends in the middle of a turn, with the exit code given. */
  async '!crash'(stage, code = 1) {
    await stage.say('I am about to crash.');
    await crash(code);
  },

  /** Crashes now, and again on every start. */
  async '!crash-always'() {
    writeFileSync(crashMark, '');
    await crash(1);
  },

  /** Leaves half a line behind. */
  async '!die-midline'(stage) {
    await stage.say('The next line will be cut in half.');
    await flushed('{"type":"assistant","message":{"id":"half","content":[{"type":"te');
    process.exit(1);
  },

  /** Asks, and is gone before anyone can answer. */
  async '!die-asking'(stage) {
    await startAsk(stage, 'Bash', { command: 'touch never.txt' });
    await flushed('');
    process.exit(1);
  },

  /** Asks, thinks better of it and takes the ask back. */
  async '!withdraw'(stage) {
    const withdrawal = new AbortController();
    const ask = await startAsk(stage, 'Bash', { command: 'touch withdrawn.txt' }, withdrawal.signal);
    await flushed('');
    withdrawal.abort();
    await ask.allowed;
    await stage.say('went on without it');
  },

  /** Asks, and takes the ask back when there is a file called `enough`; then it works on by itself. */
  async '!withdraw-later'(stage) {
    const withdrawal = new AbortController();
    const ask = await startAsk(stage, 'Bash', { command: 'touch withdrawn.txt' }, withdrawal.signal);
    while (!existsSync('enough')) await stage.pause(20);
    withdrawal.abort();
    await ask.allowed;
    await stage.say('went on without it');
    writeFileSync('went-on.txt', '');
  },

  /** Two asks open at the same time. */
  async '!parallel'(stage) {
    const asks = [];
    for (const url of ['http://a.test/', 'http://b.test/'])
      asks.push(await startAsk(stage, 'WebFetch', { url, prompt: 'What does it say?' }));
    const allowed = await Promise.all(asks.map((ask) => ask.allowed));
    await stage.pause(0);
    await stage.say(`fetched: ${allowed.join(', ')}`);
  },

  /** N asks, one every MS milliseconds whether or not the earlier ones are answered; results tell how long answers took. */
  async '!pace'(stage, count = 10, everyMs = 200) {
    const startedAt = performance.now();
    const pings = [];
    for (let number = 1; number <= count; number++) {
      // Held against the clock, not the last ask: a late timer must not slow the pace.
      await stage.pause(startedAt + (number - 1) * everyMs - performance.now());
      pings.push(await startAsk(stage, 'Ping', { number }));
    }
    await Promise.all(pings.map((ping) => ping.allowed));
    await stage.pause(0);
    await stage.say(`${count} pings`);
  },

  /** N small pieces of text, as fast as the host reads. */
  '!flood': (stage, count = 1000) => stage.stream('text', counted(count), 0),

  /** N numbered lines, each a message of its own, so that a missing one is noticed. */
  async '!numbered'(stage, count = 100) {
    for (let at = 1; at <= count; at++) {
      await stage.stream('text', [`line ${at} of ${count}`], 0);
      await stage.endReply('end_turn');
    }
  },

  /** A request of a kind no host knows: it should be refused, not left open. */
  '!unknown-control': (stage) => tellAnswer(stage, { subtype: 'from_the_future', anything: true }),

  /** A hook callback that the host has not asked for: it must be answered all the same. */
  '!hook': (stage) => tellAnswer(stage, { subtype: 'hook_callback', callback_id: 'drill', input: {} }),

  /** The model's service refuses: a made-up line says so, and the result is a "success" that is an error. */
  async '!api-error'(stage) {
    const text = 'API Error: 400 told to fail';
    const message = {
      id: randomUUID(),
      role: 'assistant',
      model: '<synthetic>',
      content: [{ type: 'text', text }],
    };
    await stage.turn.echo();
    await stage.line({ type: 'assistant', message, error: 'unknown' });
    throw new Error(text);
  },

  /** A sub-agent that asks only after the turn's result, and whose end starts a turn no one asked for. */
  async '!background'(stage) {
    const { session, turn } = stage;
    const part = { agentId: 'a1', toolUseId: '', description: 'Work behind' };
    const task = { task_id: part.agentId, description: part.description };
    await stage.act('Agent', { description: part.description, prompt: 'Touch a file.' }, async ({ id }) => {
      part.toolUseId = id;
      await session.line({ type: 'system', subtype: 'task_started', ...task, tool_use_id: id });
      return { content: 'Async agent launched successfully.' };
    });
    await stage.say('It works behind; I am done for now.');
    await stage.endReply('end_turn');
    await tellResult(session);
    const behind = new Stage(turn, part);
    await behind.tool('Bash', { command: 'touch background.txt' });
    await session.line({ type: 'system', subtype: 'task_notification', ...task, status: 'completed' });
    const capabilities = ['msg_lifecycle_v1'];
    await session.line({ type: 'system', subtype: 'init', model: session.model, capabilities });
    await stage.say('The background work has ended.');
  },
};

export const drills: readonly Scene[] = Object.entries(plays).map(([name, play]) => ({
  name,
  about: 'a drill',
  matches: (text) => text.split(/\s+/, 1)[0] === name,
  play: (stage) => play(stage, ...stage.text.split(/\s+/).slice(1).map(Number)),
}));

/** A call that asks and does nothing: its result tells when it asked and was answered. It waits for no other. */
async function startAsk(
  stage: Stage,
  name: string,
  input: Readonly<Record<string, unknown>>,
  signal = stage.turn.signal,
): Promise<{ readonly allowed: Promise<boolean> }> {
  const use = await stage.announce(name, input);
  const request = { subtype: 'can_use_tool', tool_name: name, input, tool_use_id: use.id };
  const askedAt = now();
  stage.turn.calls += 1;
  const allowed = stage.session.ask(request, signal).then(async (answer) => {
    stage.turn.calls -= 1;
    const refusal = refusalIn(answer);
    const answeredAt = now();
    const structured = { askedAt, answeredAt, milliseconds: answeredAt - askedAt };
    await stage.result(use, refusal === undefined ? { content: 'done', structured } : failed(refusal));
    return refusal === undefined;
  });
  return { allowed };
}

function refusalIn(answer: Answer): string | undefined {
  if (!answer.ok) return answer.reason;
  return answer.response.behavior === 'allow' ? undefined : String(answer.response.message);
}

const now = (): number => performance.timeOrigin + performance.now();

async function tellAnswer(stage: Stage, request: Readonly<Record<string, unknown>>): Promise<void> {
  const answer = await stage.session.ask(request, stage.turn.signal);
  await stage.say(
    answer.ok ? `answer: success ${JSON.stringify(answer.response)}` : `answer: error ${answer.reason}`,
  );
}

const tellResult = (session: Session): Promise<void> =>
  session.line({
    type: 'result',
    subtype: 'success',
    is_error: false,
    terminal_reason: 'completed',
    result: '',
  });

async function crash(code: number): Promise<never> {
  process.stderr.write('drilled agent: crashing, as it was asked to\n');
  await flushed('');
  process.exit(code);
}

/** Settles when everything that was written has left the process. */
const flushed = (bytes: string | Uint8Array): Promise<void> =>
  new Promise((resolve) => process.stdout.write(bytes, () => resolve()));

function* counted(count: number): Generator<string> {
  for (let at = 1; at <= count; at++) yield `${at} `;
}
