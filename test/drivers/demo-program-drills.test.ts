import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isRunning } from '../support/running.ts';
import {
  adopt,
  contentOf,
  type DemoProcess,
  endDemos,
  isAsk,
  type Line,
  startDemo,
  uuid,
} from './demo-process.ts';

afterEach(endDemos);

async function childPid(demo: DemoProcess): Promise<number> {
  const { result = '' } = await demo.result();
  return adopt(Number(/^child pid (\d+)$/.exec(result)?.[1]));
}

function texts(demo: DemoProcess): readonly (string | undefined)[] {
  return demo.lines.filter((line) => line.type === 'assistant').map((line) => contentOf(line)[0]?.text);
}

describe('misbehaviour that the demo program rehearses', () => {
  it('!garbage: odd lines and bytes between two good ones', async () => {
    const demo = startDemo();
    demo.say('!garbage');
    await demo.result();
    expect(texts(demo)).toEqual(['before the garbage', 'after the garbage']);
    expect(demo.raw.includes('this is not JSON\n')).toBe(true);
    expect(demo.raw.includes(Buffer.of(0x00, 0xff, 0xfe))).toBe(true);
    expect(demo.lines.some((line) => line.type === 'from_the_future')).toBe(true);
  });

  it('!split-utf8: a line that comes byte by byte', async () => {
    const demo = startDemo();
    demo.say('!split-utf8');
    await demo.result();
    expect(texts(demo)[0]).toBe('Grüße, 世界, 👋🏽!');
  });

  it('!bigline: a tool result of as many megabytes as asked', async () => {
    const demo = startDemo();
    demo.say('!bigline 3');
    const content = contentOf(await demo.toolResult())[0]?.content;
    expect(String(content).length).toBe(3 * 1024 * 1024);
  });

  it('!hang: hears no interrupt; a signal ends it', async () => {
    const demo = startDemo();
    demo.say('!hang');
    await demo.next('init', (line) => line.subtype === 'init');
    demo.request('i', { subtype: 'interrupt' });
    demo.request('m', { subtype: 'set_permission_mode', mode: 'plan' });
    await demo.answerTo('m');
    demo.child.stdin.end();
    demo.kill('SIGTERM');
    expect(await demo.exited).toBe(143);
    expect(
      demo.lines.some((line) => line.type === 'control_response' && JSON.stringify(line).includes('"i"')),
    ).toBe(false);
  });

  it('!ignore-sigterm: outlives SIGTERM and the end of its input, with a child of its own', async () => {
    const demo = startDemo();
    demo.say('!ignore-sigterm');
    const pid = await childPid(demo);
    demo.kill('SIGTERM');
    demo.say('hello');
    expect((await demo.result()).subtype).toBe('success');
    expect(isRunning(pid)).toBe(true);
    demo.kill('SIGKILL');
    expect(await demo.exited).toBe('SIGKILL');
    expect(isRunning(pid)).toBe(true);
  });

  it('!child: a grandchild in a session of its own', async () => {
    const demo = startDemo({ args: ['--permission-mode', 'bypassPermissions'] });
    demo.say('!child');
    const pid = await childPid(demo);
    const [, , , , parent, , session] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/\(.*\)/, 'x y')
      .split(' ');
    expect(Number(session)).toBe(pid);
    adopt(Number(parent));
    const grandparent = readFileSync(`/proc/${parent}/stat`, 'utf8')
      .replace(/\(.*\)/, 'x')
      .split(' ')[3];
    expect(Number(grandparent)).toBe(demo.pid);
    expect(await demo.end()).toBe(0);
    expect(isRunning(pid)).toBe(true);
  });

  it('!crash: ends in the middle of a turn with the code given', async () => {
    const demo = startDemo();
    demo.say('!crash 7');
    expect(await demo.exited).toBe(7);
    expect(demo.lines.some((line) => line.type === 'result')).toBe(false);
    expect(demo.stderr).toContain('crashing');
  });

  it('!crash-always: again on every resume', async () => {
    const first = startDemo({ args: ['--session-id', uuid(5)] });
    first.say('!crash-always');
    expect(await first.exited).toBe(1);
    const again = startDemo({ args: ['--resume', uuid(5)], cwd: first.cwd, home: first.home });
    expect(await again.exited).toBe(1);
    expect(again.stderr).toContain('crashing again');
  });

  it('!die-midline: leaves half a line', async () => {
    const demo = startDemo();
    demo.say('!die-midline');
    expect(await demo.exited).toBe(1);
    expect(demo.raw.toString().endsWith('{"type":"te')).toBe(true);
  });

  it('!die-asking: asks and is gone', async () => {
    const demo = startDemo();
    demo.say('!die-asking');
    expect(await demo.exited).toBe(1);
    expect(demo.lines.at(-1)?.type).toBe('control_request');
  });

  it('!flood: every piece arrives, in order, also when no one reads for a while', async () => {
    const demo = startDemo({ args: ['--include-partial-messages'] });
    demo.child.stdout.pause();
    demo.say('!flood 20000');
    demo.child.stdout.resume();
    const { result } = await demo.result();
    const deltas = demo.lines.flatMap((line) => line.event?.delta?.text ?? []);
    expect(deltas).toHaveLength(20_000);
    expect(deltas.join('')).toBe(result);
    expect(deltas.at(-1)).toBe('20000 ');
  });

  it('!flood: hears an interrupt while no one reads', async () => {
    const demo = startDemo({ args: ['--include-partial-messages'] });
    demo.say('!flood 100000000');
    await demo.next('delta', (line) => line.event?.delta !== undefined);
    demo.child.stdout.pause();
    demo.request('i', { subtype: 'interrupt' });
    demo.child.stdout.resume();
    expect((await demo.result()).terminal_reason).toBe('aborted_streaming');
  });

  it('!numbered: as many lines as asked', async () => {
    const demo = startDemo();
    demo.say('!numbered 500');
    await demo.result();
    expect(texts(demo)).toEqual(Array.from({ length: 500 }, (_, at) => `line ${at + 1} of 500`));
  });

  it('!tally: numbered lines with asks in between, written down as they are said; what comes twice is counted', async () => {
    const demo = startDemo();
    const said = { uuid: uuid(1) };
    demo.say('!tally t 6 0 t.txt', said);
    const ask = await demo.ask();
    expect(ask.request).toMatchObject({ tool_name: 'DemoPing', input: { number: 't ask 3' } });
    demo.say('!tally t 6 0 t.txt', said);
    demo.allow(ask);
    demo.allow(ask);
    // Read after all that came before it.
    demo.allow(await demo.ask());
    await demo.result();
    const lines = ['t line 1', 't line 2', 't line 3', 't ask 3 allowed'];
    lines.push('t line 4', 't line 5', 't line 6', 't ask 6 allowed');
    const last = 't done, answers twice: 1, messages twice: 1';
    expect(texts(demo).filter((text) => text !== undefined)).toEqual([...lines, last]);
    expect(readFileSync(join(demo.cwd, 't.txt'), 'utf8').trimEnd().split('\n')).toEqual([...lines, last]);
  });

  it('!pace: asks on the beat without waiting for answers, and measures each', async () => {
    const demo = startDemo();
    demo.say('!pace 5 10');
    const asks = [];
    for (let at = 0; at < 5; at++) asks.push(await demo.ask());
    expect(asks.map((ask) => ask.request.input)).toEqual([1, 2, 3, 4, 5].map((number) => ({ number })));
    for (const ask of asks.toReversed()) demo.allow(ask);
    const { result } = await demo.result();
    expect(result).toMatch(/^pings 5 allowed 5 p50 [\d.]+ p99 [\d.]+ max [\d.]+$/);
    const measured = demo.lines.filter((line) => contentOf(line)[0]?.type === 'tool_result');
    expect(measured.map((line) => line.tool_use_result)).toEqual(
      [5, 4, 3, 2, 1].map((number) => expect.objectContaining({ number, milliseconds: expect.any(Number) })),
    );
  });

  it('!pace: an interrupt gives every open call its result before the turn ends', async () => {
    const demo = startDemo();
    demo.say('!pace 1000 5');
    await demo.ask();
    await demo.ask();
    const third = await demo.ask();
    demo.request('i', { subtype: 'interrupt' });
    const result = await demo.result();
    const rejected = demo.lines.filter((line) => contentOf(line)[0]?.type === 'tool_result');
    expect(rejected).toHaveLength(demo.lines.filter(isAsk).length);
    expect(rejected.every((line) => demo.lines.indexOf(line) < demo.lines.indexOf(result))).toBe(true);
    demo.allow(third);
    expect(await demo.end()).toBe(1);
    expect(demo.lines.findLast((line) => line.type !== 'control_response')).toBe(result);
  });

  it('!unknown-control and !hook: tell the answer they got', async () => {
    const demo = startDemo();
    demo.say('!unknown-control');
    const unknown = await demo.ask();
    const response = { subtype: 'error', request_id: unknown.request_id, error: 'no such thing' };
    demo.send({ type: 'control_response', response });
    expect((await demo.result()).result).toBe('answer: error no such thing');
    demo.say('!hook');
    const hook = await demo.ask();
    expect(hook.request).toMatchObject({ subtype: 'hook_callback', callback_id: 'demo_hook' });
    demo.respond(hook, { continue: true });
    expect((await demo.result()).result).toBe('answer: success {"continue":true}');
  });

  it('!withdraw: takes its ask back, and ignores a late answer', async () => {
    const demo = startDemo();
    demo.say('!withdraw');
    const ask = await demo.ask();
    const cancel = await demo.next('cancel', (line) => line.type === 'control_cancel_request');
    expect(cancel.request_id).toBe(ask.request_id);
    demo.allow(ask);
    expect((await demo.result()).result).toContain('went on without it');
    expect(await demo.end()).toBe(0);
    expect(existsSync(join(demo.cwd, 'withdrawn.txt'))).toBe(false);
  });

  it('!double-ask: the same request twice runs once', async () => {
    const demo = startDemo();
    demo.say('!double-ask');
    const first = await demo.ask();
    const second = await demo.ask();
    expect(second.request_id).toBe(first.request_id);
    demo.allow(first);
    demo.allow(second);
    await demo.result();
    expect(readFileSync(join(demo.cwd, 'double.txt'), 'utf8')).toBe('once\n');
  });

  it('!stderr: writes lines there', async () => {
    const demo = startDemo();
    demo.say('!stderr 2000');
    await demo.result();
    await demo.until('last line', () => demo.stderr.includes('stderr line 2000 of 2000\n') || undefined);
    expect(demo.stderr.trimEnd().split('\n')).toHaveLength(2000);
  });

  it('!no-result: the turn stays open until it is interrupted', async () => {
    const demo = startDemo();
    demo.say('!no-result');
    await demo.next('text', (line) => line.type === 'assistant');
    demo.request('i', { subtype: 'interrupt' });
    expect((await demo.result()).subtype).toBe('error_during_execution');
  });

  it('!exit-clean: leaves by itself after the result', async () => {
    const demo = startDemo();
    demo.say('!exit-clean');
    expect(await demo.exited).toBe(0);
    expect(demo.lines.at(-1)?.type).toBe('result');
  });

  it('!api-error: a success that is an error', async () => {
    const demo = startDemo();
    demo.say('!api-error');
    expect(await demo.result()).toMatchObject({
      subtype: 'success',
      is_error: true,
      terminal_reason: 'api_error',
    });
    expect(await demo.end()).toBe(1);
  });

  it('!background: asks after the result, then begins a turn by itself', async () => {
    const demo = startDemo();
    demo.say('!background');
    await demo.result();
    const ask = await demo.ask();
    const launched = demo.lines.find((line) => line.subtype === 'task_started');
    expect(ask.request.agent_id).toBe(launched?.task_id);
    demo.allow(ask);
    const spontaneous = await demo.result();
    expect(spontaneous.origin).toMatchObject({ kind: 'task-notification' });
    expect(existsSync(join(demo.cwd, 'background.txt'))).toBe(true);
  });

  it('!background: an interrupt ends the work, and no result follows', async () => {
    const demo = startDemo();
    demo.say('!background');
    await demo.result();
    await demo.ask();
    demo.request('i', { subtype: 'interrupt' });
    await demo.next('stopped', (line) => line.subtype === 'task_notification' && line.status === 'stopped');
    await demo.answerTo('i');
    expect(await demo.end()).toBe(0);
    expect(demo.lines.filter((line) => line.type === 'result')).toHaveLength(1);
  });

  it('!nested: the inner ask names the inner agent, whose call is a line of the outer one', async () => {
    const demo = startDemo();
    demo.say('!nested');
    const ask = await demo.ask();
    const [outer, inner] = demo.lines.filter((line) => line.subtype === 'task_started');
    expect(inner).toMatchObject({ spawn_depth: 2, task_id: ask.request.agent_id });
    const innerCall = demo.lines.find((line) => contentOf(line)[0]?.id === inner?.tool_use_id);
    expect(innerCall?.parent_tool_use_id).toBe(outer?.tool_use_id);
    demo.allow(ask);
    expect((await demo.result()).result).toBe('nested result: outer heard: inner done');
  });

  it('!nested quiet: shows nothing of the inner agent but its ask', async () => {
    const demo = startDemo();
    demo.say('!nested quiet');
    const ask = await demo.ask();
    const call = (line: Line): boolean => contentOf(line)[0]?.id === ask.request.tool_use_id;
    expect(demo.lines.some(call)).toBe(false);
    expect(demo.lines.filter(isAsk)).toHaveLength(1);
  });
});
