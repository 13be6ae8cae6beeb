import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { contentOf, endDemos, kindOf, startDemo, uuid } from './demo-process.ts';

afterEach(endDemos);

describe('the demo program on the wire', () => {
  it('prints nothing until the first line, and ends with exit 0 when its input ends', async () => {
    const demo = startDemo();
    demo.send({ type: 'wat' });
    expect(await demo.end()).toBe(0);
    expect(demo.raw.length).toBe(0);
  });

  it('takes a turn in the order of the real program', async () => {
    const demo = startDemo({ args: ['--include-partial-messages'] });
    demo.say('!numbered 1', { uuid: uuid(1) });
    await demo.next('completed', (line) => line.state === 'completed');
    expect(demo.lines.map(kindOf)).toEqual([
      'lifecycle queued',
      'lifecycle started',
      'system/init',
      'system/status',
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
      message: { content: [{ type: 'text', text: '!numbered 1' }] },
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

  it('leaves out echoes and fragments unless told to send them', async () => {
    const flags = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--unknown-flag'];
    const demo = startDemo({ flags });
    demo.say('hello');
    await demo.result();
    expect(demo.lines.map(kindOf)).toEqual(['system/init', 'system/status', 'assistant text', 'result']);
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

  it('exits 1 on a line that is no JSON, and passes over arrays, blank lines and unknown types', async () => {
    const demo = startDemo();
    demo.child.stdin.write('\n[1]\n{"type":"wat"}\n');
    demo.say('hello');
    await demo.result();
    demo.child.stdin.write('hello there\n');
    expect(await demo.exited).toBe(1);
    expect(demo.stderr).toContain('Error parsing streaming input line');
  });

  it('goes on to the end of the turn when no one reads any more', async () => {
    const demo = startDemo({ args: ['--permission-mode', 'bypassPermissions'] });
    demo.say('hello');
    await demo.result();
    demo.child.stdout.destroy();
    demo.say('!numbered 2000');
    demo.say('run touch done.txt', { priority: 'later' });
    expect(await demo.end()).toBe(0);
    expect(existsSync(join(demo.cwd, 'done.txt'))).toBe(true);
  });

  it('exits 1 on a user line without a user role', async () => {
    const demo = startDemo();
    demo.send({ type: 'user' });
    expect(await demo.exited).toBe(1);
    expect(demo.stderr).toContain("Expected message role 'user'");
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

  it('refuses modes, session ids and formats that the real program refuses', async () => {
    const refused = [
      startDemo({ args: ['--permission-mode', 'nonsense'] }),
      startDemo({ args: ['--session-id', 'not-a-uuid'] }),
      startDemo({ args: ['--session-id', uuid(1), '--resume', uuid(2)] }),
      startDemo({ flags: ['-p'] }),
    ];
    for (const demo of refused) {
      expect(await demo.exited).toBe(1);
      expect(demo.stderr).toMatch(/error/i);
    }
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
        pid: demo.pid,
        session_state: 'idle',
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
    expect((await demo.answerTo('m1')).response).toMatchObject({
      subtype: 'error',
      error_code: 'invalid_mode',
    });
    demo.request('m2', { subtype: 'set_permission_mode', mode: 'bypassPermissions' });
    expect((await demo.answerTo('m2')).response).toMatchObject({
      subtype: 'error',
      error_code: 'bypass_not_launched',
    });
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
      error_code: 'unsupported_request',
    });
  });
});
