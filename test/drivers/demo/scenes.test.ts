import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isRunning } from '../../support/running.ts';
import {
  adopt,
  type Block,
  contentOf,
  endDemos,
  isAsk,
  kindOf,
  type Line,
  startDemo,
} from './demo-process.ts';

afterEach(endDemos);

describe('scenes of the demo program', () => {
  it('tour: an approval, a question, and a summary of both', async () => {
    const demo = startDemo();
    demo.say('Show me around, please');
    const approval = await demo.ask();
    expect(approval.request).toMatchObject({
      tool_name: 'Write',
      input: { file_path: join(demo.cwd, 'beckon-demo.md') },
    });
    demo.allow(approval);
    const question = await demo.ask();
    const asked = question.request.input.questions as { question: string; options: { label: string }[] }[];
    expect(asked).toHaveLength(1);
    expect(asked[0]?.options).toHaveLength(3);
    const answers = { [asked[0]?.question ?? '']: asked[0]?.options[1]?.label };
    demo.respond(question, { behavior: 'allow', updatedInput: { ...question.request.input, answers } });
    const { result } = await demo.result();
    expect(result).toContain('beckon-demo.md');
    expect(result).toContain('**Write tests**');
    expect(existsSync(join(demo.cwd, 'beckon-demo.md'))).toBe(true);
  });

  it('tour: a no is heard, and the tour goes on', async () => {
    const demo = startDemo();
    demo.say('tour');
    demo.respond(await demo.ask(), { behavior: 'deny', message: 'keep my directory clean' });
    const question = await demo.ask();
    demo.respond(question, { behavior: 'deny', message: 'ask me later' });
    const { result } = await demo.result();
    expect(result).toContain('keep my directory clean');
    expect(result).toContain('ask me later');
    expect(readdirSync(demo.cwd)).toEqual([]);
  });

  it('question: says exactly the answers it got, and loses those under another key', async () => {
    const demo = startDemo();
    demo.say('question');
    const ask = await demo.ask();
    const answers = {
      'Which database should I use?': 'A “file”, please',
      'Which extras do you want?': 'Tests, CI',
      '0': 'lost',
    };
    demo.respond(ask, { behavior: 'allow', updatedInput: { ...ask.request.input, answers } });
    const toolResult = await demo.toolResult();
    expect(contentOf(toolResult)[0]?.content).toBe(
      'Your questions have been answered: "Which database should I use?"="A “file”, please", ' +
        '"Which extras do you want?"="Tests, CI". You can now continue with these answers in mind.',
    );
    expect((await demo.result()).result).toBe(
      'I got these answers:\n\n- Which database should I use? → A “file”, please\n- Which extras do you want? → Tests, CI',
    );
  });

  it('plan: goes on in the mode chosen with the approval, without asking again', async () => {
    const demo = startDemo();
    demo.say('plan something');
    const ask = await demo.ask();
    expect(ask.request).toMatchObject({ tool_name: 'ExitPlanMode' });
    expect(ask.request.input.plan).toContain('# A small, safe change');
    const updatedPermissions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
    demo.respond(ask, { behavior: 'allow', updatedInput: { plan: '# Changed' }, updatedPermissions });
    expect((await demo.result()).result).toContain('demo-plan.md');
    expect(readFileSync(join(demo.cwd, 'demo-plan.md'), 'utf8')).toBe('# Changed\n');
    expect(demo.lines.filter(isAsk)).toHaveLength(1);
    const modes = demo.lines.filter((line) => line.subtype === 'status' && line.status === null);
    expect(modes.map((line) => line.permissionMode)).toEqual(['plan', 'acceptEdits']);
  });

  it('plan: a plain approval leads back to the mode before', async () => {
    const demo = startDemo();
    demo.say('plan');
    demo.allow(await demo.ask());
    expect((await demo.ask()).request.tool_name).toBe('Write');
    const modes = demo.lines.filter((line) => line.subtype === 'status' && line.status === null);
    expect(modes.map((line) => line.permissionMode)).toEqual(['plan', 'default']);
  });

  it('plan: tells the comments it got, and stays in plan mode', async () => {
    const demo = startDemo();
    demo.say('plan');
    demo.respond(await demo.ask(), { behavior: 'deny', message: 'add tests first' });
    expect((await demo.result()).result).toContain('add tests first');
    demo.say('run touch never.txt');
    expect((await demo.ask()).request.tool_name).toBe('ExitPlanMode');
    expect(readdirSync(demo.cwd)).toEqual([]);
  });

  it('form: raises an elicitation, and tells action and content', async () => {
    const demo = startDemo();
    demo.say('form');
    const ask = await demo.ask();
    expect(ask.request).toMatchObject({ subtype: 'elicitation', mcp_server_name: 'demo', mode: 'form' });
    demo.respond(ask, { action: 'accept', content: { name: 'x', port: 80, https: false, tier: 'small' } });
    expect((await demo.result()).result).toContain(
      '{"action":"accept","content":{"name":"x","port":80,"https":false,"tier":"small"}}',
    );
    demo.say('form');
    demo.respond(await demo.ask(), { action: 'decline' });
    expect((await demo.result()).result).toContain('{"action":"decline"}');
  });

  it('subagent: its lines belong to the call, and its ask names it', async () => {
    const demo = startDemo();
    demo.say('use a subagent');
    const ask = await demo.ask();
    const started = demo.lines.find((line) => line.subtype === 'task_started');
    const call = demo.lines.flatMap(contentOf).find((block) => block.name === 'Agent');
    expect(ask.request.agent_id).toBe(started?.task_id);
    expect(started?.tool_use_id).toBe(call?.id);
    demo.allow(ask);
    expect((await demo.result()).result).toMatch(/The sub-agent reports: There are \d+ files/);
    const inner = demo.lines.filter((line) => line.parent_tool_use_id === call?.id);
    expect(inner.map((line) => contentOf(line)[0]?.type)).toEqual([
      'text',
      'text',
      'tool_use',
      'tool_result',
      'text',
    ]);
    const notified = demo.lines.find((line) => line.subtype === 'task_notification');
    expect(notified).toMatchObject({ task_id: started?.task_id, status: 'completed' });
  });

  it('subagent: an interrupt withdraws its ask and ends it', async () => {
    const demo = startDemo();
    demo.say('subagent');
    const ask = await demo.ask();
    demo.request('i', { subtype: 'interrupt' });
    const result = await demo.result();
    const after = demo.lines.slice(demo.lines.indexOf(ask) + 1);
    expect(after[0]?.type).toBe('control_cancel_request');
    const ended = after.find((line) => line.subtype === 'task_notification');
    expect(ended).toMatchObject({ status: 'stopped' });
    expect(result.terminal_reason).toBe('aborted_tools');
  });

  it('write: leaves a file of the person alone', async () => {
    const demo = startDemo({ args: ['--permission-mode', 'acceptEdits'] });
    writeFileSync(join(demo.cwd, 'README.md'), 'mine');
    demo.say('edit README.md');
    expect((await demo.result()).result).toContain('demo-README.md');
    expect(readFileSync(join(demo.cwd, 'README.md'), 'utf8')).toBe('mine');
    expect(readFileSync(join(demo.cwd, 'demo-README.md'), 'utf8')).toContain('reviewed by a person');
  });

  it('run: does not wait for what the command left behind', async () => {
    const demo = startDemo({ args: ['--permission-mode', 'bypassPermissions'] });
    demo.say('run sleep 1000 & echo $!');
    const { result = '' } = await demo.result();
    expect(isRunning(adopt(Number(/^(\d+)$/m.exec(result)?.[1])))).toBe(true);
  });

  it('todo: ticks off its steps', async () => {
    const demo = startDemo();
    demo.say('todo');
    expect((await demo.result()).result).toContain('All 3 steps are done.');
    const lists = demo.lines.flatMap(contentOf).filter((block) => block.name === 'TodoWrite');
    expect(lists).toHaveLength(4);
    expect(JSON.stringify(lists.at(-1)?.input)).not.toContain('pending');
  });

  it('think: thinks in a block of its own', async () => {
    const demo = startDemo();
    demo.say('think about it');
    await demo.result();
    const blocks = demo.lines
      .filter((line) => line.type === 'assistant')
      .map((line) => contentOf(line)[0]?.type);
    expect(blocks).toEqual(['thinking', 'text']);
  });

  it('image: counts what came', async () => {
    const demo = startDemo();
    const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const content = [
      { type: 'image', source },
      { type: 'text', text: 'look' },
      { type: 'image', source },
    ];
    demo.send({ type: 'user', message: { role: 'user', content } });
    expect((await demo.result()).result).toBe('I got 2 images: image/png, image/png.');
  });

  it('help: quotes what it was told, and lists what can be tried', async () => {
    const demo = startDemo();
    demo.say('Refactor the billing module');
    const { result } = await demo.result();
    expect(result).toContain('“Refactor the billing module”');
    expect(result).toMatch(/- `tour`: /);
    expect(result).toMatch(/- `write NAME`: /);
    expect(result?.match(/^- `.*`: /gm)).toHaveLength(17);
  });
});

function resultBlock(line: Line | undefined): Block | undefined {
  return contentOf(line)[0];
}

describe('what the demo agent asks', () => {
  it('writes the file only after the allow, and then asks for the edit', async () => {
    const demo = startDemo();
    const file = join(demo.cwd, 'notes.md');
    demo.say('write notes.md');
    const ask = await demo.ask();
    expect(ask.request).toMatchObject({
      subtype: 'can_use_tool',
      tool_name: 'Write',
      input: { file_path: file },
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
    expect((await demo.result()).result).toContain('not on a Sunday');
    expect(existsSync(join(demo.cwd, 'notes.md'))).toBe(false);
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
    const at = demo.lines.indexOf(result);
    expect(demo.lines.slice(at - 2, at).map(kindOf)).toEqual(['tool_result', 'text']);
    expect(contentOf(demo.lines[at - 1])[0]?.text).toBe('[Request interrupted by user for tool use]');
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
    expect((await demo.ask()).request.tool_name).toBe('AskUserQuestion');
  });
});
