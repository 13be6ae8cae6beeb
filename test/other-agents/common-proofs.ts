import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { valueAt } from '../../src/model/json-pointer.ts';
import { gate, type Reply, text } from '../real-agents/model-stand-in.ts';
import type { Room } from '../real-agents/room.ts';
import { watch } from '../support/watch.ts';
import { type Capability, capability } from './capabilities.ts';

/** How an agent's model does what every agent can. */
export interface Tricks {
  /** What a session is started with, so that it asks. */
  readonly settings: object;
  /** Runs a command, after leave is given, and says something after it. */
  run(command: string, after: string): Reply;
  /** Creates `new.txt` with the line `hello`. */
  create(cwd: string): Reply;
  /** Changes the second of three lines of `a.txt` from `two` to `2`. */
  edit(cwd: string): Reply;
  /** Calls our tool `ask_user`. */
  askUser(question: string): Reply;
}

/** What agents have in common, shown over the API of a real server. */
export function commonProofs(agent: string, room: Room, { settings, ...tricks }: Tricks): void {
  const can = (what: Capability, proof: () => Promise<void>): void => capability(what, agent, proof);
  grantAndTurnProofs(agent, room, { settings, run: tricks.run });

  can('shown-before-allow', async () => {
    room.model.on('touch it', tricks.run('touch made.txt', 'Touched.'));
    const session = await room.start('touch it', settings);
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
    room.model.on('fail', tricks.run('echo hello; exit 3', 'It failed.'));
    const session = await room.start('fail', settings);
    const { interactionId } = await session.nextAsk();
    await session.post('approve', allow(interactionId));
    const result = await session.watch.event('tool.result');
    expect(result).toMatchObject({ text: 'hello\n', output: { exitCode: 3 } });
  });

  can('file-created', async () => {
    room.model.on('create it', tricks.create(room.cwd));
    const session = await room.start('create it', settings);
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
    room.model.on('edit it', tricks.edit(room.cwd));
    const session = await room.start('edit it', settings);
    const { interactionId, ask } = await session.nextAsk();
    const edit = ask.call?.is === 'change' ? ask.call.edits[0] : undefined;
    expect(edit && valueAt(ask.input, edit.after)).toBe('one\n2\nthree\n');
    await session.post('approve', allow(interactionId));
    const result = await session.watch.event(
      'tool.result',
      ({ toolCallId }) => toolCallId === ask.toolCallId,
    );
    expect(result).toMatchObject({ output: { changed: { added: 1, removed: 1 } } });
    await session.watch.event('turn.ended');
    expect(await readFile(path, 'utf8')).toBe('one\n2\nthree\n');
  });

  can('deny-with-reason', async () => {
    room.model.on('touch it', tricks.run('touch made.txt', 'Touched.'));
    const session = await room.start('touch it', settings);
    const { interactionId } = await session.nextAsk();
    const denial = { requestId: interactionId, decision: 'deny', reason: 'Not on a Friday' };
    expect(await session.post('approve', denial)).toMatchObject({ status: 200 });
    const { prompt } = await room.model.nextRequest((request) => request.prompt?.includes('Friday') === true);
    expect(prompt).toContain('Not on a Friday');
    expect(existsSync(join(room.cwd, 'made.txt'))).toBe(false);
  });

  const askedByTool = async (): Promise<void> => {
    await watch(room.beckon);
    room.model.on('ask me', tricks.askUser('Which colour?'));
    const session = await room.start('ask me', settings);
    const { interactionId, ask } = await session.nextAsk();
    expect(ask).toMatchObject({ kind: 'form', tool: { name: 'ask_user' } });
    await session.post('respond', { interactionId, action: 'submit', input: { answer: 'Green' } });
    const { toolResults } = await room.model.nextRequest((request) => request.toolResults.length > 0);
    expect(toolResults[0]?.text).toContain('Green');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  };
  can('own-tools', askedByTool);
  can('ask-user', askedByTool);

  can('usage', async () => {
    room.model.on('one', [text('1')]).on('two', [text('2')]);
    const session = await room.start('one', settings);
    const once = await session.watch.event('turn.ended');
    expect(once).toMatchObject({ usage: { inputTokens: 11, outputTokens: 7 } });
    await session.post('message', { message: 'two' });
    await session.watch.event('turn.ended');
    const { usage } = (await session.get()).body.session;
    expect(usage).toMatchObject({ inputTokens: 22, outputTokens: 14, turns: 2 });
    expect(usage.costUsd).toBeCloseTo(2 * (once.costUsd ?? 0), 6);
  });

  can('context-use', async () => {
    const session = await room.start('hello', settings);
    const { context } = await session.watch.event('turn.ended');
    expect(context).toMatchObject({ used: expect.any(Number), size: expect.any(Number) });
    expect((await session.get()).body.session.context).toEqual(context);
  });

  can('resume', async () => {
    room.model.on('remember plum', [text('I will.')]).on('which word', [text('Plum.')]);
    const session = await room.start('remember plum', settings);
    await session.watch.event('turn.ended');
    const costBefore = (await session.get()).body.session.usage.costUsd;
    expect(await room.beckon.stop()).toMatchObject({ code: 0 });
    await room.serveAgain();
    await session.post('message', { message: 'which word' });
    const request = await room.model.nextRequest(({ prompt }) => prompt === 'which word');
    expect(JSON.stringify(request.body)).toContain('I will.');
    const again = await session.seenAnew();
    await again.watch.event('agent.text', ({ text: words }) => words === 'Plum.');
    const { body } = await session.get('events?limit=500');
    const of = (type: string) => body.events.filter((event: { type: string }) => event.type === type);
    expect(of('agent.text').map((said: { text: string }) => said.text)).toEqual(['I will.', 'Plum.']);
    // Both turns cost the same.
    await expect
      .poll(async () => (await session.get()).body.session.usage.costUsd)
      .toBeCloseTo(2 * costBefore, 6);
  });
}

/** What is granted is not asked again; a turn is interrupted, and a message waits for its end. */
export function grantAndTurnProofs(
  agent: string,
  room: Room,
  { settings, run }: Pick<Tricks, 'settings' | 'run'>,
): void {
  const can = (what: Capability, proof: () => Promise<void>): void => capability(what, agent, proof);

  can('allow-for-session', async () => {
    room.model.on('one', run('touch a.txt', '1')).on('two', run('touch a.txt', '2'));
    const session = await room.start('one', settings);
    const { interactionId } = await session.nextAsk();
    await session.post('approve', allow(interactionId, { scope: 'session' }));
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'two' });
    await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  can('allow-by-pattern', async () => {
    room.model.on('one', run('touch a.txt', '1')).on('two', run('touch b.txt', '2'));
    const session = await room.start('one', settings);
    const { interactionId } = await session.nextAsk();
    const grant = { scope: 'session', pattern: 'touch *' };
    expect(await session.post('approve', allow(interactionId, grant))).toMatchObject({ status: 200 });
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'two' });
    await session.watch.event('interaction.decided', (event) => event.by.kind === 'grant');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(room.cwd, 'b.txt'))).toBe(true);
  });

  can('interrupt', async () => {
    const held = gate();
    room.model.on('begin', [text('I begin', held.opened, ' and go on')]).on('and then', [text('And then.')]);
    const session = await room.start('begin', settings);
    await session.saying('I begin');
    expect(await session.post('interrupt')).toMatchObject({ status: 200 });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    held.open();
    await session.post('message', { message: 'and then' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  can('queue', async () => {
    const held = gate();
    room.model.on('begin', [text('I begin', held.opened, ' and go on')]).on('and then', [text('And then.')]);
    const session = await room.start('begin', settings);
    await session.saying('I begin');
    const queued = await session.post('message', { message: 'and then', disposition: 'queue' });
    expect(queued).toMatchObject({ status: 202, body: { status: 'queued' } });
    held.open();
    await session.watch.event('agent.text', ({ text: words }) => words === 'And then.');
  });
}

const allow = (requestId: string, more: object = {}) => ({ requestId, decision: 'allow', ...more });
