import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isRunning } from '../../support/running.ts';
import {
  type Ask,
  contentOf,
  type DemoProcess,
  endDemos,
  isAsk,
  kindOf,
  type Line,
  startDemo,
  uuid,
} from './demo-process.ts';

afterEach(endDemos);

/** The kinds of the lines after this one, up to the end of the turn. */
function kindsAfter(demo: DemoProcess, line: Line): readonly string[] {
  const kinds = demo.lines.slice(demo.lines.indexOf(line) + 1).map(kindOf);
  return kinds.slice(0, kinds.indexOf('result') + 1);
}

function textOf(line: Line | undefined): string | undefined {
  return contentOf(line)[0]?.text;
}

async function startSlow(demo: DemoProcess, extra: object = {}): Promise<Line> {
  demo.say('slow 2000', extra);
  return demo.next('second word', (line) => line.event?.delta?.text === 'word2 ');
}

describe('the demo program on the wire', () => {
  it('prints nothing until the first line, and ends with exit 0 when its input ends', async () => {
    const demo = startDemo();
    demo.send({ type: 'wat' });
    expect(await demo.end()).toBe(0);
    expect(demo.raw.length).toBe(0);
  });

  it('takes a turn in the order of the real program', async () => {
    const demo = startDemo();
    demo.say('remember milk', { uuid: uuid(1) });
    await demo.next('completed', (line) => line.state === 'completed');
    const kinds = demo.lines.map(kindOf);
    expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
      'lifecycle queued',
      'lifecycle started',
      'system/init',
      'echo',
      'message_start',
      'content_block_start',
      'content_block_delta',
      'assistant text',
      'content_block_stop',
      'message_delta',
      'message_stop',
      'result',
      'lifecycle completed',
    ]);
    const echo = demo.lines.find((line) => line.isReplay);
    expect(echo).toMatchObject({
      uuid: uuid(1),
      message: { content: [{ type: 'text', text: 'remember milk' }] },
    });
  });

  it('gives one assistant line for each block, with the same message id', async () => {
    const demo = startDemo();
    demo.say('run echo hi');
    await demo.ask();
    const blocks = demo.lines.filter((line) => line.type === 'assistant');
    expect(blocks.map((line) => contentOf(line)[0]?.type)).toEqual(['text', 'tool_use']);
    expect(new Set(blocks.map((line) => line.message?.id)).size).toBe(1);
  });

  it('repeats init each turn, and tells usage by turn and cost in total', async () => {
    const demo = startDemo();
    demo.say('hello');
    const first = await demo.result();
    demo.say('hello');
    const second = await demo.result();
    expect(demo.lines.filter((line) => line.subtype === 'init')).toHaveLength(2);
    expect(first).toMatchObject({ subtype: 'success', is_error: false, terminal_reason: 'completed' });
    expect(second.usage).toEqual(first.usage);
    expect(second.total_cost_usd).toBeCloseTo(2 * first.total_cost_usd, 10);
    expect(second.duration_ms).toBeTypeOf('number');
    expect(await demo.end()).toBe(0);
  });

  it('goes on to the end of the turn when no one reads any more', async () => {
    const demo = startDemo({ args: ['--permission-mode', 'bypassPermissions'] });
    demo.say('hello');
    await demo.result();
    demo.child.stdout.destroy();
    demo.say('help');
    demo.say('run touch done.txt');
    await expect.poll(() => existsSync(join(demo.cwd, 'done.txt'))).toBe(true);
  });

  it('reads a line that comes in pieces, cut within a character', async () => {
    const demo = startDemo();
    const bytes = Buffer.from(
      `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'remember Grüße 👋' } })}\n`,
    );
    for (const byte of bytes) {
      await new Promise((resolve) => demo.child.stdin.write(Uint8Array.of(byte), resolve));
    }
    expect((await demo.result()).result).toBe('I will remember: Grüße 👋');
  });

  it('refuses a mode that there is not', async () => {
    const demo = startDemo({ args: ['--permission-mode', 'nonsense'] });
    expect(await demo.exited).toBe(1);
    expect(demo.stderr).toMatch(/error/i);
  });

  it('passes over lines that it does not understand', async () => {
    const demo = startDemo();
    demo.child.stdin.write('\n[1]\n{"type":"wat"}\nhello there\n');
    demo.say('hello');
    expect((await demo.result()).is_error).toBe(false);
  });

  it('tells its version', async () => {
    const demo = startDemo({ flags: ['--version'] });
    expect(await demo.exited).toBe(0);
    expect(demo.raw.toString()).toMatch(/^2\.1\.\d+ \(Beckon demo agent\)\n$/);
  });
});

describe('control requests to the demo program', () => {
  it('introduces itself', async () => {
    const demo = startDemo({ args: ['--permission-mode=acceptEdits'] });
    demo.request('i', { subtype: 'initialize' });
    const { response } = await demo.answerTo('i');
    expect(response).toMatchObject({
      subtype: 'success',
      response: {
        commands: expect.arrayContaining([
          { name: 'tour', description: expect.any(String), argumentHint: '' },
          { name: 'run', description: expect.any(String), argumentHint: 'COMMAND' },
        ]),
        current_permission_mode: 'acceptEdits',
      },
    });
  });

  it('changes the mode and tells so once', async () => {
    const demo = startDemo();
    demo.request('m1', { subtype: 'set_permission_mode', mode: 'acceptEdits' });
    expect((await demo.answerTo('m1')).response.response).toEqual({ mode: 'acceptEdits' });
    await demo.next('status', (line) => line.subtype === 'status' && line.permissionMode === 'acceptEdits');
    demo.request('m2', { subtype: 'set_permission_mode', mode: 'acceptEdits' });
    await demo.answerTo('m2');
    demo.say('write notes.md');
    expect((await demo.result()).result).toContain('Done');
    expect(
      demo.lines.filter((line) => line.permissionMode === 'acceptEdits' && line.subtype === 'status'),
    ).toHaveLength(1);
    expect(demo.lines.some((line) => line.type === 'control_request')).toBe(false);
  });

  it('refuses modes it does not know, and the bypass unless launched for it', async () => {
    const demo = startDemo();
    demo.request('m1', { subtype: 'set_permission_mode', mode: 'nonsense' });
    expect((await demo.answerTo('m1')).response).toMatchObject({ subtype: 'error' });
    demo.request('m2', { subtype: 'set_permission_mode', mode: 'bypassPermissions' });
    expect((await demo.answerTo('m2')).response).toMatchObject({ subtype: 'error' });
  });

  it('changes the model, which the next init shows', async () => {
    const demo = startDemo({ args: ['--model', 'first'] });
    demo.request('s', { subtype: 'set_model', model: 'second' });
    expect((await demo.answerTo('s')).response.response).toEqual({ model: 'second' });
    demo.say('hello');
    const init = await demo.next('init', (line) => line.subtype === 'init');
    expect(init.model).toBe('second');
  });

  it('answers a request of an unknown kind with an error', async () => {
    const demo = startDemo();
    demo.request('u', { subtype: 'nonsense' });
    expect((await demo.answerTo('u')).response).toEqual({
      subtype: 'error',
      request_id: 'u',
      error: 'Unsupported control request subtype: nonsense',
    });
  });
});

describe('interrupting the demo program', () => {
  it('cuts off a text: answer, partial line, notice, result; and the next message runs at once', async () => {
    const demo = startDemo();
    const last = await startSlow(demo, { uuid: uuid(1) });
    demo.request('i', { subtype: 'interrupt' });
    const result = await demo.result();
    await demo.next('cancelled', (line) => line.state === 'cancelled');
    const after = kindsAfter(demo, last).filter((kind) => kind !== 'content_block_delta');
    expect(after).toEqual(['control_response', 'assistant text', 'text', 'result']);
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
    });
    expect(result).not.toHaveProperty('result');
    expect(demo.lines.find((line) => line.aborted)).toBeDefined();
    expect(demo.lines.some((line) => textOf(line) === '[Request interrupted by user]')).toBe(true);
    demo.say('what did I say');
    expect((await demo.result()).result).toContain('- slow 2000');
    expect(await demo.end()).toBe(0);
  });

  it('withdraws an open ask before it answers, and rejects the call', async () => {
    const demo = startDemo();
    demo.say('run touch never.txt');
    const ask = await demo.ask();
    demo.request('i', { subtype: 'interrupt' });
    const result = await demo.result();
    expect(kindsAfter(demo, ask)).toEqual([
      'control_cancel_request',
      'control_response',
      'tool_result',
      'text',
      'result',
    ]);
    expect(demo.lines.map(textOf)).toContain('[Request interrupted by user for tool use]');
    expect(result.terminal_reason).toBe('aborted_tools');
    demo.allow(ask);
    demo.say('hello');
    expect((await demo.result()).subtype).toBe('success');
  });

  it('ends a command that runs', async () => {
    const demo = startDemo();
    demo.say('run echo $$ > pid.txt; echo up > up.txt; exec sleep 1000');
    demo.allow(await demo.ask());
    await expect.poll(() => existsSync(join(demo.cwd, 'up.txt'))).toBe(true);
    const pid = Number(readFileSync(join(demo.cwd, 'pid.txt'), 'utf8'));
    demo.request('i', { subtype: 'interrupt' });
    expect((await demo.result()).terminal_reason).toBe('aborted_tools');
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('is acknowledged when nothing runs, and nothing follows', async () => {
    const demo = startDemo();
    demo.request('i', { subtype: 'interrupt' });
    expect((await demo.answerTo('i')).response).toEqual({
      subtype: 'success',
      request_id: 'i',
      response: { still_queued: [] },
    });
    expect(await demo.end()).toBe(0);
    expect(demo.lines).toHaveLength(1);
  });
});

describe('messages to the demo program during a turn', () => {
  it('runs a message as a turn of its own when no tool call follows', async () => {
    const demo = startDemo();
    demo.say('slow 5', { uuid: uuid(1) });
    await demo.next('first word', (line) => line.event?.delta?.text === 'word1 ');
    demo.say('remember the milk', { uuid: uuid(2) });
    await demo.next('queued', (line) => line.state === 'queued' && line.command_uuid === uuid(2));
    const first = await demo.result();
    expect(first.user_message_uuids).toEqual([uuid(1)]);
    const init = await demo.next('init', (line) => line.subtype === 'init');
    expect(init.user_message_uuids).toEqual([uuid(2)]);
    expect((await demo.result()).result).toBe('I will remember: the milk');
  });

  it('takes a message into the running turn after the next tool result', async () => {
    const demo = startDemo();
    demo.say('run echo hi', { uuid: uuid(1) });
    const ask = await demo.ask();
    demo.say('and mind the gap', { uuid: uuid(2), priority: 'next' });
    await demo.next('queued', (line) => line.state === 'queued' && line.command_uuid === uuid(2));
    demo.allow(ask);
    const toolResult = await demo.toolResult();
    const result = await demo.result();
    expect(kindsAfter(demo, toolResult).slice(0, 3)).toEqual(['echo', 'lifecycle started', 'message_start']);
    expect(result.user_message_uuids).toEqual([uuid(1), uuid(2)]);
    expect(result.result).toContain('“and mind the gap”');
    const completed = demo.lines.findIndex(
      (line) => line.state === 'completed' && line.command_uuid === uuid(2),
    );
    expect(completed).toBeLessThan(demo.lines.indexOf(result));
    expect(await demo.end()).toBe(0);
    expect(demo.lines.filter((line) => line.type === 'result')).toHaveLength(1);
  });

  it('keeps a waiting message over an interrupt, names it, and runs it next', async () => {
    const demo = startDemo();
    demo.say('run echo hi');
    await demo.ask();
    demo.say('remember me', { uuid: uuid(1) });
    demo.request('i', { subtype: 'interrupt' });
    expect((await demo.answerTo('i')).response.response).toEqual({ still_queued: [uuid(1)] });
    expect((await demo.result()).terminal_reason).toBe('aborted_tools');
    expect((await demo.result()).result).toBe('I will remember: me');
  });

  it('runs a message with a uuid it had before only once', async () => {
    const demo = startDemo();
    demo.say('remember once', { uuid: uuid(1) });
    await demo.result();
    demo.say('remember once', { uuid: uuid(1) });
    const echo = await demo.next('echo', (line) => line.isReplay === true);
    expect(echo).toMatchObject({ uuid: uuid(1) });
    expect(await demo.end()).toBe(0);
    expect(demo.lines.filter((line) => line.type === 'result')).toHaveLength(1);
  });
});

describe('resuming the demo program', () => {
  it('keeps the conversation under its id, in its directory', async () => {
    const first = startDemo();
    const { cwd, home } = first;
    first.say('remember the milk', { uuid: uuid(1) });
    const { session_id: id } = await first.result();
    await first.end();
    const second = startDemo({ args: [`--resume=${id}`], cwd, home });
    second.say('what did I say');
    const result = await second.result();
    expect(result.session_id).toBe(id);
    expect(result.result).toContain('You asked me to remember: the milk.');
    expect(result.result).toContain('- remember the milk');
    second.say('remember the milk', { uuid: uuid(1) });
    await second.next('echo', (line) => line.isReplay === true && line.uuid === uuid(1));
    await second.end();
    expect(second.lines.filter((line) => line.type === 'result')).toHaveLength(1);
  });

  it('keeps what was said in a turn that never ended', async () => {
    const first = startDemo();
    first.say('run touch a');
    await first.ask();
    first.kill('SIGKILL');
    await first.exited;
    const id = first.lines.find((line) => line.subtype === 'init')?.session_id ?? '';
    const second = startDemo({ args: ['--resume', id], cwd: first.cwd, home: first.home });
    second.say('what did I say');
    expect((await second.result()).result).toContain('- run touch a');
    expect(second.lines.some((line) => line.type === 'control_request')).toBe(false);
  });

  it('fails for an id it does not know, and for a known one elsewhere, without waiting for a line', async () => {
    const first = startDemo();
    first.say('hello');
    const known = (await first.result()).session_id ?? '';
    await first.end();
    const unknown = startDemo({ args: ['--resume', uuid(8)], cwd: first.cwd, home: first.home });
    const elsewhere = startDemo({ args: ['--resume', known], home: first.home });
    for (const [demo, id] of [
      [unknown, uuid(8)],
      [elsewhere, known],
    ] as const) {
      expect(await demo.exited).toBe(1);
      expect(demo.stderr).toContain(`No conversation found with session ID: ${id}`);
      expect(demo.lines).toMatchObject([
        { type: 'result', subtype: 'error_during_execution', is_error: true },
      ]);
    }
  });
});

const RECORDED = join(import.meta.dirname, '../../fixtures/claude-wire/2.1.325');

/** What a line is, finely enough that lines of one kind have one shape. */
function shapeName(line: Line): string {
  if (isAsk(line)) return `${kindOf(line)} ${line.request.subtype} ${line.request.tool_name}`;
  const inner = typeof line.parent_tool_use_id === 'string' ? ' of a sub-agent' : '';
  return `${kindOf(line)}${line.subtype === undefined ? '' : ` ${line.subtype}`}${inner}`;
}

function keysOf(line: Line): readonly string[] {
  const nested = isAsk(line) ? Object.keys(line.request).map((key) => `request.${key}`) : [];
  const message = line.message === undefined ? [] : Object.keys(line.message).map((key) => `message.${key}`);
  return [...Object.keys(line), ...nested, ...message];
}

function recordedShapes(): Map<string, Set<string>> {
  const shapes = new Map<string, Set<string>>();
  for (const file of readdirSync(RECORDED).filter((name) => name.endsWith('.ndjson'))) {
    for (const text of readFileSync(join(RECORDED, file), 'utf8').split('\n')) {
      if (text === '') continue;
      const line: Line = JSON.parse(text);
      const known = shapes.get(shapeName(line)) ?? new Set<string>();
      for (const key of keysOf(line)) known.add(key);
      shapes.set(shapeName(line), known);
    }
  }
  return shapes;
}

async function answerAll(demo: DemoProcess, text: string): Promise<void> {
  const from = demo.lines.length;
  const answered = new Set<string>();
  demo.say(text, { uuid: uuid(from + 1) });
  await demo.until(`result of ${text}`, () => {
    for (const line of demo.lines.slice(from)) {
      if (!isAsk(line) || answered.has(line.request_id)) continue;
      answered.add(line.request_id);
      demo.allow(line);
    }
    return demo.lines.slice(from).some((line) => line.type === 'result') || undefined;
  });
}

describe('the demo program beside recordings of the real one', () => {
  it('sends no field that the real program does not send in such a line', async () => {
    const demo = startDemo();
    for (const text of ['think', 'run echo hi', 'question', 'plan', 'subagent']) await answerAll(demo, text);
    demo.say('run touch a');
    demo.respond(await askOf(demo, 'touch a'), { behavior: 'deny', message: 'no', interrupt: true });
    await demo.next('aborted result', (line) => line.subtype === 'error_during_execution');
    const shapes = recordedShapes();
    const compared = demo.lines.filter((line) => shapes.has(shapeName(line)));
    const odd = compared.flatMap((line) =>
      keysOf(line)
        .filter((key) => !shapes.get(shapeName(line))?.has(key))
        .map((key) => `${shapeName(line)}: ${key}`),
    );
    expect([...new Set(odd)]).toEqual([]);
    expect(new Set(compared.map(shapeName)).size).toBeGreaterThan(20);
  });
});

function askOf(demo: DemoProcess, command: string): Promise<Ask> {
  return demo.until('ask', () =>
    demo.lines.filter(isAsk).find((ask) => ask.request.input.command === command),
  );
}
