import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Block,
  contentOf,
  endDemos,
  isResponseTo,
  kindOf,
  type Line,
  startDemo,
} from './demo-process.ts';

afterEach(endDemos);

function resultBlock(line: Line | undefined): Block | undefined {
  return contentOf(line)[0];
}

describe('approvals of the demo program', () => {
  it('writes the file only after the allow, and then asks for the edit', async () => {
    const demo = startDemo();
    const file = join(demo.cwd, 'notes.md');
    demo.say('write notes.md');
    const ask = await demo.ask();
    expect(ask.request).toMatchObject({
      subtype: 'can_use_tool',
      tool_name: 'Write',
      input: { file_path: file },
      description: 'notes.md',
      permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits' }],
    });
    expect(ask.request.tool_use_id).toBe(
      contentOf(demo.lines.findLast((line) => line.type === 'assistant'))[0]?.id,
    );
    expect(existsSync(file)).toBe(false);
    demo.allow(ask);
    const written = await demo.toolResult();
    expect(written.tool_use_result).toMatchObject({ type: 'create', filePath: file });
    expect(readFileSync(file, 'utf8')).toContain('Status: draft');
    const edit = await demo.ask();
    expect(edit.request.tool_name).toBe('Edit');
    demo.allow(edit);
    await demo.result();
    expect(readFileSync(file, 'utf8')).toContain('Status: reviewed by a person');
  });

  it('gives the reason of a denial to the model, and does nothing', async () => {
    const demo = startDemo();
    demo.say('write notes.md');
    demo.respond(await demo.ask(), { behavior: 'deny', message: 'not on a Sunday' });
    expect(resultBlock(await demo.toolResult())).toMatchObject({
      is_error: true,
      content: 'not on a Sunday',
    });
    const result = await demo.result();
    expect(result.result).toContain('not on a Sunday');
    expect(result.permission_denials).toMatchObject([{ tool_name: 'Write' }]);
    expect(existsSync(join(demo.cwd, 'notes.md'))).toBe(false);
    expect(await demo.end()).toBe(0);
  });

  it('runs what the person made of the input', async () => {
    const demo = startDemo();
    demo.say('run echo original');
    const ask = await demo.ask();
    expect(ask.request.input).toEqual({ command: 'echo original' });
    demo.respond(ask, { behavior: 'allow', updatedInput: { command: 'echo edited > out.txt; cat out.txt' } });
    expect(resultBlock(await demo.toolResult())).toMatchObject({ content: 'edited', is_error: false });
    expect(readFileSync(join(demo.cwd, 'out.txt'), 'utf8')).toBe('edited\n');
  });

  it('tells the exit code of a command that fails', async () => {
    const demo = startDemo();
    demo.say('run echo oops >&2; exit 3');
    demo.allow(await demo.ask());
    expect(resultBlock(await demo.toolResult())).toMatchObject({
      content: 'Exit code 3\noops',
      is_error: true,
    });
  });

  it.each([
    ['an allow without updatedInput', { behavior: 'allow' }],
    ['a deny without a message', { behavior: 'deny' }],
    ['an answer without a behavior', {}],
  ])('fails the call on %s, and goes on with the turn', async (_, response) => {
    const demo = startDemo();
    demo.say('run touch never.txt');
    demo.respond(await demo.ask(), response);
    expect(resultBlock(await demo.toolResult())).toMatchObject({
      is_error: true,
      content: expect.stringContaining('invalid permission result'),
    });
    expect((await demo.result()).subtype).toBe('success');
    expect(existsSync(join(demo.cwd, 'never.txt'))).toBe(false);
  });

  it('takes an error response as a failed call, and does not echo it', async () => {
    const demo = startDemo();
    demo.say('run touch never.txt');
    const { request_id } = await demo.ask();
    demo.send({ type: 'control_response', response: { subtype: 'error', request_id, error: 'cannot' } });
    expect(resultBlock(await demo.toolResult())?.content).toBe(
      'Tool permission request failed: Error: cannot',
    );
    await demo.result();
    expect(demo.lines.some((line) => line.type === 'control_response')).toBe(false);
  });

  it('echoes a response, and ignores a second one to the same ask', async () => {
    const demo = startDemo();
    demo.say('run echo once >> count.txt');
    const ask = await demo.ask();
    demo.allow(ask);
    demo.respond(ask, { behavior: 'deny', message: 'too late' });
    const result = await demo.result();
    expect(result.permission_denials).toEqual([]);
    expect(readFileSync(join(demo.cwd, 'count.txt'), 'utf8')).toBe('once\n');
    expect(demo.lines.filter((line) => isResponseTo(line, ask.request_id))).toHaveLength(2);
  });

  it('ends the turn on a deny with interrupt', async () => {
    const demo = startDemo();
    demo.say('run touch never.txt');
    demo.respond(await demo.ask(), { behavior: 'deny', message: 'stop', interrupt: true });
    const result = await demo.result();
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_tools',
    });
    expect(demo.lines.slice(-3).map(kindOf)).toEqual(['tool_result', 'text', 'result']);
    expect(contentOf(demo.lines.at(-2))[0]?.text).toBe('[Request interrupted by user for tool use]');
    expect(await demo.end()).toBe(1);
  });

  it('asks for two fetches at the same time, and matches answers given in reverse order', async () => {
    const demo = startDemo();
    demo.say('!parallel');
    const first = await demo.ask();
    const second = await demo.ask();
    expect([first.request.input.url, second.request.input.url]).toEqual(['http://a.test/', 'http://b.test/']);
    demo.respond(second, { behavior: 'deny', message: 'not b' });
    demo.allow(first);
    const result = await demo.result();
    expect(result.result).toBe(
      'http://a.test/ fetched: The page at a.test says: hello from a.test.\nhttp://b.test/ refused: not b',
    );
  });

  it('no longer asks for what a session rule covers, and still asks for commands with operators', async () => {
    const demo = startDemo();
    const rules = [{ toolName: 'Bash', ruleContent: 'echo:*' }];
    const updatedPermissions = [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }];
    demo.say('run echo one');
    demo.allow(await demo.ask(), { updatedPermissions });
    await demo.result();
    demo.say('run echo two');
    expect((await demo.result()).result).toContain('two');
    demo.say('run echo three; touch evil.txt');
    const ask = await demo.ask();
    expect(ask.request.input.command).toBe('echo three; touch evil.txt');
    expect(demo.lines.filter((line) => line.type === 'control_request')).toHaveLength(2);
  });

  it('an exact rule covers that command alone', async () => {
    const demo = startDemo();
    const rules = [{ toolName: 'Bash', ruleContent: 'echo one' }];
    demo.say('run echo one');
    const updatedPermissions = [{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }];
    demo.allow(await demo.ask(), { updatedPermissions });
    await demo.result();
    demo.say('run echo one');
    await demo.result();
    demo.say('run echo one more');
    await demo.ask();
    expect(demo.lines.filter((line) => line.type === 'control_request')).toHaveLength(2);
  });

  it('changes the mode by an allow that says so', async () => {
    const demo = startDemo();
    demo.say('write notes.md');
    const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
    demo.allow(await demo.ask(), { updatedPermissions });
    await demo.result();
    expect(demo.lines.filter((line) => line.type === 'control_request')).toHaveLength(1);
    expect(
      demo.lines.some((line) => line.subtype === 'status' && line.permissionMode === 'acceptEdits'),
    ).toBe(true);
  });

  it('asks nothing when permissions are bypassed, except what only a person can say', async () => {
    const demo = startDemo({ args: ['--permission-mode', 'bypassPermissions'] });
    demo.say('run echo free');
    expect((await demo.result()).result).toContain('free');
    expect(demo.lines.some((line) => line.type === 'control_request')).toBe(false);
    demo.say('question');
    expect((await demo.ask()).request).toMatchObject({
      tool_name: 'AskUserQuestion',
      requires_user_interaction: true,
    });
  });

  it('fails the open call when its input ends, goes on with the turn, and exits', async () => {
    const demo = startDemo();
    demo.say('run touch never.txt');
    await demo.ask();
    expect(await demo.end()).toBe(0);
    const failed = demo.lines.find((line) => contentOf(line)[0]?.type === 'tool_result');
    expect(resultBlock(failed)?.content).toBe('Tool permission stream closed before response received');
    expect(demo.lines.at(-1)?.type).toBe('result');
    expect(existsSync(join(demo.cwd, 'never.txt'))).toBe(false);
  });

  it('asks the hooks it was given, and heeds them', async () => {
    const demo = startDemo();
    demo.request('i', {
      subtype: 'initialize',
      hooks: { PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['cb'] }] },
    });
    await demo.answerTo('i');
    const decide = async (permissionDecision: string): Promise<void> => {
      const callback = await demo.ask();
      expect(callback.request).toMatchObject({ subtype: 'hook_callback', callback_id: 'cb' });
      const hookSpecificOutput = {
        hookEventName: 'PreToolUse',
        permissionDecision,
        permissionDecisionReason: 'because',
      };
      demo.respond(callback, { hookSpecificOutput });
    };
    demo.say('run echo one');
    await decide('deny');
    expect(resultBlock(await demo.toolResult())?.content).toBe('PreToolUse:Bash hook error: because');
    demo.say('run echo two');
    await decide('allow');
    expect(resultBlock(await demo.toolResult())?.content).toBe('two');
    demo.say('run echo three');
    await decide('ask');
    expect((await demo.ask()).request).toMatchObject({ subtype: 'can_use_tool', decision_reason: 'because' });
  });
});
