import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { valueAt } from '../../src/model/json-pointer.ts';
import { gate, text, toolUse } from '../real-agents/model-stand-in.ts';
import { watch } from '../support/watch.ts';
import { capability } from './capabilities.ts';
import { codex } from './codex.ts';
import { roomWith } from './real-agent.ts';

const asking = { permissionMode: 'read-only' };

describe('Codex', () => {
  const room = roomWith(codex);
  const can = (what: Parameters<typeof capability>[0], proof: () => Promise<void>) =>
    capability(what, 'codex', proof);
  const allow = (requestId: string, more: object = {}) => ({ requestId, decision: 'allow', ...more });

  can('shown-before-allow', async () => {
    room.model.on('touch it', [escalated('touch made.txt', 'Touched.')]);
    const session = await room.start('touch it', asking);
    const { interactionId, ask } = await session.nextAsk();
    expect(ask.call?.is === 'command' && valueAt(ask.input, ask.call.command)).toBe('touch made.txt');
    expect(existsSync(join(room.cwd, 'made.txt'))).toBe(false);
    await session.post('approve', allow(interactionId));
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(room.cwd, 'made.txt'))).toBe(true);
    const { body } = await session.get('events?limit=500');
    const called = body.events.find(({ type }: { type: string }) => type === 'tool.called');
    expect(called).toMatchObject({ name: 'Bash', input: { command: 'touch made.txt' } });
  });

  can('output-and-exit', async () => {
    room.model.on('fail', [escalated('echo hello; exit 3', 'It failed.')]);
    const session = await room.start('fail', asking);
    const { interactionId } = await session.nextAsk();
    await session.post('approve', allow(interactionId));
    expect(await session.watch.event('tool.result')).toMatchObject({
      text: 'hello\n',
      isError: true,
      output: { exitCode: 3 },
    });
  });

  can('file-created', async () => {
    room.model.on('create it', [patch('*** Add File: new.txt\n+hello')]);
    const session = await room.start('create it', asking);
    const { interactionId, ask } = await session.nextAsk();
    const path = join(room.cwd, 'new.txt');
    expect(ask).toMatchObject({ toolName: 'Write', subject: { kind: 'path', value: path } });
    expect(existsSync(path)).toBe(false);
    await session.post('approve', allow(interactionId));
    await session.watch.event('turn.ended');
    expect(await readFile(path, 'utf8')).toBe('hello\n');
  });

  can('file-edited', async () => {
    const path = join(room.cwd, 'a.txt');
    await writeFile(path, 'one\ntwo\nthree\n');
    room.model.on('edit it', [patch('*** Update File: a.txt\n@@\n one\n-two\n+2\n three')]);
    const session = await room.start('edit it', asking);
    const { interactionId, ask } = await session.nextAsk();
    const edit = ask.call?.is === 'change' ? ask.call.edits[0] : undefined;
    expect(edit && valueAt(ask.input, edit.after)).toBe('one\n2\nthree\n');
    await session.post('approve', allow(interactionId));
    expect(await session.watch.event('tool.result')).toMatchObject({
      output: { changed: { added: 1, removed: 1 } },
    });
    await session.watch.event('turn.ended');
    expect(await readFile(path, 'utf8')).toBe('one\n2\nthree\n');
  });

  can('deny-with-reason', async () => {
    room.model.on('touch it', [escalated('touch made.txt', 'Touched.')]);
    const session = await room.start('touch it', asking);
    const { interactionId } = await session.nextAsk();
    const denial = { requestId: interactionId, decision: 'deny', message: 'Not on a Friday' };
    expect(await session.post('approve', denial)).toMatchObject({ status: 200 });
    const told = await room.model.nextRequest(({ prompt }) => prompt?.includes('Not on a Friday') === true);
    expect(told.prompt).toContain('Not on a Friday');
    expect(existsSync(join(room.cwd, 'made.txt'))).toBe(false);
  });

  can('allow-for-session', async () => {
    room.model.on('one', [escalated('touch a.txt', '1')]).on('two', [escalated('touch a.txt', '2')]);
    const session = await room.start('one', asking);
    const { interactionId } = await session.nextAsk();
    await session.post('approve', allow(interactionId, { scope: 'session' }));
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'two' });
    await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  can('allow-by-pattern', async () => {
    room.model.on('one', [escalated('touch a.txt', '1')]).on('two', [escalated('touch b.txt', '2')]);
    const session = await room.start('one', asking);
    const { interactionId } = await session.nextAsk();
    const grant = { scope: 'session', pattern: 'touch *' };
    expect(await session.post('approve', allow(interactionId, grant))).toMatchObject({ status: 200 });
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'two' });
    await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(room.cwd, 'b.txt'))).toBe(true);
  });

  can('own-tools', async () => {
    await watch(room.beckon);
    room.model.on('ask me', [askUser]);
    const session = await room.start('ask me', asking);
    const { interactionId, ask } = await session.nextAsk();
    expect(ask).toMatchObject({ kind: 'form', tool: { name: 'ask_user' } });
    await session.post('respond', { interactionId, action: 'submit', input: { answer: 'Green' } });
    const { toolResults } = await room.model.nextRequest((request) => request.toolResults.length > 0);
    expect(toolResults[0]?.text).toContain('Green');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  can('steer', async () => {
    room.model.on('touch it', [escalated('touch made.txt', 'Touched.')]).on('hurry', [text('I hurry.')]);
    const session = await room.start('touch it', asking);
    const { interactionId } = await session.nextAsk();
    const steered = await session.post('message', { message: 'hurry', disposition: 'steer' });
    expect(steered).toMatchObject({ status: 202, body: { applied: 'steer' } });
    await session.post('approve', allow(interactionId));
    const request = await room.model.nextRequest(({ prompt }) => prompt === 'hurry');
    expect(request.toolResults).toHaveLength(1);
    await session.watch.event('turn.ended');
    const { body } = await session.get('events?limit=500');
    const count = (type: string) =>
      body.events.filter((event: { type: string }) => event.type === type).length;
    expect([count('turn.started'), count('message.taken')]).toEqual([1, 2]);
  });

  can('interrupt', async () => {
    const held = gate();
    room.model.on('begin', [text('I begin', held.opened, ' and go on')]).on('and then', [text('And then.')]);
    const session = await room.start('begin', asking);
    await session.saying('I begin');
    expect(await session.post('interrupt')).toMatchObject({ status: 200 });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    held.open();
    await session.post('message', { message: 'and then' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  can('resume', async () => {
    room.model.on('remember plum', [text('I will.')]).on('which word', [text('Plum.')]);
    const session = await room.start('remember plum', asking);
    await session.watch.event('turn.ended');
    expect(await room.beckon.stop()).toMatchObject({ code: 0 });
    await room.serveAgain();
    await session.post('message', { message: 'which word' });
    const request = await room.model.nextRequest(({ prompt }) => prompt === 'which word');
    expect(JSON.stringify(request.body.input)).toContain('I will.');
    const again = await session.seenAnew();
    await again.watch.event('agent.text', ({ text: words }) => words === 'Plum.');
    const { body } = await session.get('events?limit=500');
    const said = body.events.filter(({ type }: { type: string }) => type === 'agent.text');
    expect(said.map(({ text: words }: { text: string }) => words)).toEqual(['I will.', 'Plum.']);
  });
});

describe('Codex, as if it gave up on tools after some seconds', () => {
  const room = roomWith({ ...codex, agent: { ...codex.agent, toolLimitMs: 5_000 } });

  capability('time-limit', 'codex', async () => {
    await watch(room.beckon);
    room.model
      .on('ask me', [askUser])
      .on(({ prompt }) => prompt?.includes('Green') === true, [text('Green it is.')]);
    const session = await room.start('ask me', asking);
    const { interactionId } = await session.nextAsk();
    const { toolResults } = await room.model.nextRequest((request) => request.toolResults.length > 0);
    expect(toolResults[0]?.text).toContain('stays open');
    await session.watch.event('turn.ended');
    const answer = { interactionId, action: 'submit', input: { answer: 'Green' } };
    expect(await session.post('respond', answer)).toMatchObject({ status: 200 });
    await session.watch.event('agent.text', ({ text: words }) => words === 'Green it is.');
  });
});

const askUser = toolUse('mcp__beckon.ask_user', { question: 'Which colour?' }, [text('Thank you.')]);

function escalated(cmd: string, after: string) {
  const input = { cmd, sandbox_permissions: 'require_escalated', justification: 'It must' };
  return toolUse('exec_command', input, [text(after)]);
}

function patch(lines: string) {
  const words = `*** Begin Patch\n${lines}\n*** End Patch\n`;
  return toolUse('apply_patch', { words }, [text('Finished.')]);
}
