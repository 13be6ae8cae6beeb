import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isRunning } from '../support/running.ts';
import { contentOf, type DemoProcess, endDemos, kindOf, type Line, startDemo, uuid } from './demo-process.ts';

afterEach(endDemos);

/** The kinds of all lines after this one. */
function kindsAfter(demo: DemoProcess, line: Line): readonly string[] {
  return demo.lines.slice(demo.lines.indexOf(line) + 1).map(kindOf);
}

function textOf(line: Line | undefined): string | undefined {
  return contentOf(line)[0]?.text;
}

async function startSlow(demo: DemoProcess, extra: object = {}): Promise<Line> {
  demo.say('slow 2000', extra);
  return demo.next('second word', (line) => line.event?.delta?.text === 'word2 ');
}

describe('interrupting the demo program', () => {
  it('cuts off a text: answer, partial line, notice, result; and the next message runs at once', async () => {
    const demo = startDemo({ args: ['--include-partial-messages'] });
    const last = await startSlow(demo, { uuid: uuid(1) });
    demo.request('i', { subtype: 'interrupt' });
    const result = await demo.result();
    await demo.next('cancelled', (line) => line.state === 'cancelled');
    const after = kindsAfter(demo, last).filter((kind) => kind !== 'content_block_delta');
    expect(after).toEqual(['control_response', 'assistant text', 'text', 'result', 'lifecycle cancelled']);
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

  it('withdraws open asks before it answers, and rejects each call', async () => {
    const demo = startDemo();
    demo.say('!parallel');
    await demo.ask();
    const second = await demo.ask();
    demo.request('i', { subtype: 'interrupt' });
    const result = await demo.result();
    expect(kindsAfter(demo, second)).toEqual([
      'control_cancel_request',
      'control_cancel_request',
      'control_response',
      'tool_result',
      'tool_result',
      'text',
      'result',
    ]);
    expect(textOf(demo.lines.at(-2))).toBe('[Request interrupted by user for tool use]');
    expect(result.terminal_reason).toBe('aborted_tools');
    demo.allow(second);
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
    expect(await demo.end()).toBe(1);
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
    const demo = startDemo({ args: ['--include-partial-messages'] });
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
    expect(kindsAfter(demo, toolResult).slice(0, 3)).toEqual(['echo', 'lifecycle started', 'system/status']);
    expect(result.user_message_uuids).toEqual([uuid(1), uuid(2)]);
    expect(result.result).toContain('“and mind the gap”');
    const completed = demo.lines.findIndex(
      (line) => line.state === 'completed' && line.command_uuid === uuid(2),
    );
    expect(completed).toBeLessThan(demo.lines.indexOf(result));
    expect(await demo.end()).toBe(0);
    expect(demo.lines.filter((line) => line.type === 'result')).toHaveLength(1);
  });

  it('keeps a message of priority "later" until after the result', async () => {
    const demo = startDemo();
    demo.say('run echo hi');
    const ask = await demo.ask();
    demo.say('remember later', { priority: 'later' });
    demo.allow(ask);
    expect((await demo.result()).result).not.toContain('later');
    expect((await demo.result()).result).toBe('I will remember: later');
  });

  it('aborts the turn for a message of priority "now", which is no error', async () => {
    const demo = startDemo();
    demo.say('run touch never.txt', { uuid: uuid(1) });
    const ask = await demo.ask();
    demo.say('remember now', { uuid: uuid(2), priority: 'now' });
    const aborted = await demo.result();
    expect(aborted).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: '',
      terminal_reason: 'aborted_tools',
    });
    expect(kindsAfter(demo, ask).slice(0, 4)).toEqual([
      'control_cancel_request',
      'lifecycle queued',
      'tool_result',
      'result',
    ]);
    expect((await demo.result()).result).toBe('I will remember: now');
    expect(await demo.end()).toBe(0);
  });

  it('makes one turn of two messages that wait', async () => {
    const demo = startDemo();
    demo.say('run echo hi');
    const ask = await demo.ask();
    demo.say('remember one', { uuid: uuid(1), priority: 'later' });
    demo.say('remember two', { uuid: uuid(2), priority: 'later' });
    demo.allow(ask);
    await demo.result();
    const merged = await demo.result();
    expect(merged.user_message_uuids).toEqual([uuid(1), uuid(2)]);
    const echo = demo.lines.findLast((line) => line.isReplay);
    expect(echo?.uuid).toBe(uuid(2));
    expect(contentOf(echo).map((block) => block.text)).toEqual(['remember one', 'remember two']);
    expect(await demo.end()).toBe(0);
    expect(demo.lines.filter((line) => line.type === 'result')).toHaveLength(2);
  });

  it('gives a waiting message back, once', async () => {
    const demo = startDemo();
    demo.say('run echo hi');
    const ask = await demo.ask();
    demo.say('remember nothing', { uuid: uuid(1), priority: 'later' });
    demo.request('c1', { subtype: 'cancel_async_message', message_uuid: uuid(1) });
    expect((await demo.answerTo('c1')).response.response).toEqual({ cancelled: true });
    demo.request('c2', { subtype: 'cancel_async_message', message_uuid: uuid(1) });
    expect((await demo.answerTo('c2')).response.response).toEqual({ cancelled: false });
    demo.allow(ask);
    await demo.result();
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
    expect(echo).not.toHaveProperty('timestamp');
    expect(await demo.end()).toBe(0);
    expect(demo.lines.filter((line) => line.type === 'result')).toHaveLength(1);
  });
});

describe('resuming the demo program', () => {
  it('keeps the conversation under its id, in its directory', async () => {
    const first = startDemo({ args: ['--session-id', uuid(7)] });
    const { cwd, home } = first;
    first.say('remember the milk', { uuid: uuid(1) });
    expect((await first.result()).session_id).toBe(uuid(7));
    await first.end();
    const second = startDemo({ args: [`--resume=${uuid(7)}`], cwd, home });
    second.say('what did I say');
    const result = await second.result();
    expect(result.session_id).toBe(uuid(7));
    expect(result.result).toContain('You asked me to remember: the milk.');
    expect(result.result).toContain('- remember the milk');
    second.say('remember the milk', { uuid: uuid(1) });
    await second.next('completed', (line) => line.state === 'completed' && line.command_uuid === uuid(1));
    await second.end();
    expect(second.lines.filter((line) => line.type === 'result')).toHaveLength(1);
  });

  it('keeps what was said in a turn that never ended', async () => {
    const first = startDemo({ args: ['--session-id', uuid(7)] });
    first.say('run touch a');
    await first.ask();
    first.kill('SIGKILL');
    await first.exited;
    const second = startDemo({ args: ['--resume', uuid(7)], cwd: first.cwd, home: first.home });
    second.say('what did I say');
    expect((await second.result()).result).toContain('- run touch a');
    expect(second.lines.some((line) => line.type === 'control_request')).toBe(false);
  });

  it('fails for an id it does not know, and for a known one elsewhere, without waiting for a line', async () => {
    const first = startDemo({ args: ['--session-id', uuid(7)] });
    first.say('hello');
    await first.result();
    await first.end();
    const unknown = startDemo({ args: ['--resume', uuid(8)], cwd: first.cwd, home: first.home });
    const elsewhere = startDemo({ args: ['--resume', uuid(7)], home: first.home });
    for (const [demo, id] of [
      [unknown, uuid(8)],
      [elsewhere, uuid(7)],
    ] as const) {
      expect(await demo.exited).toBe(1);
      expect(demo.stderr).toContain(`No conversation found with session ID: ${id}`);
      expect(demo.lines).toMatchObject([
        { type: 'result', subtype: 'error_during_execution', is_error: true },
      ]);
    }
  });

  it('refuses a session id that is in use', async () => {
    const first = startDemo({ args: ['--session-id', uuid(7)] });
    first.say('hello');
    await first.result();
    const second = startDemo({ args: ['--session-id', uuid(7)], cwd: first.cwd, home: first.home });
    expect(await second.exited).toBe(1);
    expect(second.stderr).toContain('already in use');
  });
});
