import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/protocol/event.ts';
import { type Frame, watch } from '../support/watch.ts';
import { claudePrograms } from './claude-program.ts';
import { commandLines } from './command-lines.ts';
import { text, toolUse } from './model-stand-in.ts';
import { hasReadAll, type RealSession } from './real-session.ts';
import { freshRoom } from './room.ts';
import { cutOff, drills, example, ours } from './tool-files.ts';

const call = (tool: string, input: object = {}) => [toolUse(ours(tool), { ...input }, [text('Noted.')])];

describe.each(claudePrograms())('interactive tools with Claude Code $version', (program) => {
  const room = freshRoom({
    async server(folder) {
      await writeFile(ownTools(folder), toolFile('early', 'the first word'));
      const tools = [example('approval-gate.ts'), example('email-field.ts'), drills, ownTools(folder)];
      return { args: ['--claude', program.path, '--tools', ...tools] };
    },
  });

  // A tool asks only where someone is there to answer.
  beforeEach(() => watch(room.beckon));

  const submit = (session: RealSession, { interactionId }: { interactionId: string }, input: object) =>
    session.post('respond', { interactionId, action: 'submit', input });

  /** The result of our tool as the model saw it. */
  const seenByModel = async (tool: string) => (await room.model.nextResults(ours(tool)))[0];

  /** The agent takes a new list of tools when it gets to it; until then its calls fail. */
  async function askOnceKnown(
    session: RealSession,
    message: string,
  ): Promise<EventOf<'interaction.requested'>> {
    const isOver = ({ data }: Frame) => ['interaction.requested', 'turn.ended'].includes(data.type);
    const deadline = Date.now() + 60_000;
    while (Date.now() < deadline) {
      await session.post('message', { message });
      const { data } = await session.watch.until('an ask or an end', isOver);
      if (data.type === 'interaction.requested') return data;
    }
    throw new Error('The agent never learned of the tool.');
  }

  it('[TOOL12] [TOOL11] ask_user: a person answers, and the model reads it', async () => {
    room.model.on('ask', call('ask_user', { question: 'Which port?', inputType: 'text' }));
    const session = await room.start('ask');
    const asked = await session.nextAsk();
    const called = await session.watch.event('tool.called');
    expect(called).toMatchObject({ name: ours('ask_user') });
    expect(asked.ask).toMatchObject({
      kind: 'form',
      toolName: ours('ask_user'),
      toolCallId: called.toolCallId,
      tool: { name: 'ask_user', callId: called.toolCallId },
    });
    expect(await submit(session, asked, { answer: '8080' })).toMatchObject({ status: 200 });
    expect(await seenByModel('ask_user')).toMatchObject({
      isError: false,
      text: '{"ok":true,"answer":"8080"}',
    });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  it('[TOOL7] the gate: once is asked again, session and always are not', async () => {
    const deploy = { branch: 'main', environment: 'staging' };
    room.model.on(
      ({ prompt }) => prompt?.startsWith('deploy') ?? false,
      () => call('deploy', deploy),
    );
    const approve = (
      session: RealSession,
      { interactionId }: { interactionId: string },
      approvalScope: string,
    ) => session.post('respond', { interactionId, action: 'approve', approvalScope });
    const session = await room.start('deploy');
    await approve(session, await session.nextAsk(), 'once');
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    await session.watch.event('turn.ended');

    await session.post('message', { message: 'deploy again' });
    await approve(session, await session.nextAsk(), 'session');
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'deploy a third time' });
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    await session.watch.event('turn.ended');

    const second = await room.start('deploy');
    await approve(second, await second.nextAsk(), 'always');
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    const third = await room.start('deploy');
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    await third.watch.event('turn.ended');
    const { body } = await room.beckon.api('GET', '/api/grants');
    expect(body.grants.map(({ scope }: { scope: string }) => scope).sort()).toEqual(['always', 'session']);
    expect((await room.beckon.api('GET', '/api/pending')).body.pending).toEqual([]);
  });

  it('[TOOL7] a no reaches the model with its reason', async () => {
    room.model.on('deploy', call('deploy', { branch: 'main', environment: 'production' }));
    const session = await room.start('deploy');
    const { interactionId } = await session.nextAsk();
    await session.post('respond', { interactionId, action: 'deny', reason: 'Not on a Friday.' });
    expect((await seenByModel('deploy'))?.text).toContain('Not on a Friday.');
  });

  it('[TOOL5] the model sees the last answer only, not the one that would not do', async () => {
    room.model.on('ask', call('ask_email', { purpose: 'For the bill.', domain: 'example.com' }));
    const session = await room.start('ask');
    await submit(session, await session.nextAsk(), { email: 'ada@elsewhere.org' });
    const again = await session.nextAsk();
    expect(again.ask.form?.error).toContain('ada@elsewhere.org');
    await submit(session, again, { email: 'ada@example.com' });
    const seen = await seenByModel('ask_email');
    expect(seen?.text).toContain('ada@example.com');
    expect(seen?.text).not.toContain('elsewhere');
  });

  it('[TOOL6] a late answer is a message in a new turn', async () => {
    room.model.on('ask', call('later', { ms: 100 }));
    const session = await room.start('ask');
    const asked = await session.nextAsk();
    expect(await seenByModel('later')).toMatchObject({ isError: false });
    await session.watch.event('turn.ended');
    await session.watch.event('interaction.left-open');
    await submit(session, asked, { word: 'plum' });
    const request = await room.model.nextRequest(
      ({ prompt }) => prompt?.includes('The word is plum.') ?? false,
    );
    expect(request.toolResults).toEqual([]);
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  it('[TOOL8] [TOOL9] an error and a time limit are told to the model in plain words', async () => {
    room.model.on('break', call('break_down'));
    room.model.on('hurry', call('hurry', { ms: 100 }));
    const session = await room.start('break');
    const broken = await seenByModel('break_down');
    expect(broken).toMatchObject({ isError: true, text: expect.stringContaining('The mill is broken.') });
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'hurry' });
    const late = await seenByModel('hurry');
    expect(late).toMatchObject({ isError: true, text: expect.stringContaining('interaction_expired') });
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ outcome: 'expired' });
  });

  it('[TOOL9] [SES5] an interrupt while a tool waits ends the ask; the next call works', async () => {
    room.model.on('wait', call('wait_for_word'));
    room.model.on('again', call('wait_for_word'));
    const session = await room.start('wait');
    await session.nextAsk();
    expect(await session.post('interrupt')).toMatchObject({ status: 200 });
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ outcome: 'interrupted' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    await session.post('message', { message: 'again' });
    await submit(session, await session.nextAsk(), { word: 'pear' });
    const request = await room.model.nextRequest(({ toolResults }) =>
      toolResults.some((result) => result.text.includes('The word is pear.')),
    );
    expect(request.toolResults.at(-1)).toMatchObject({ isError: false });
  });

  it('[TOOL9] [SES6] stop while a tool waits ends the ask, and the key goes with the agent', async () => {
    room.model.on('wait', call('wait_for_word'));
    const session = await room.start('wait');
    await session.nextAsk();
    const keys = join(room.beckon.dataDir, 'mcp');
    expect(await readdir(keys)).toHaveLength(1);
    await session.post('stop');
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ outcome: 'interrupted' });
    await expect.poll(() => readdir(keys)).toEqual([]);
  });

  it('[TOOL11] [ASK10] the agent asks before a tool that wants it', async () => {
    room.model.on('careful', call('careful'));
    const session = await room.start('careful');
    const { interactionId, ask } = await session.nextAsk();
    expect(ask).toMatchObject({ kind: 'approval', toolName: ours('careful') });
    expect(ask.tool).toBeUndefined();
    await session.post('approve', { requestId: interactionId, decision: 'allow' });
    expect((await seenByModel('careful'))?.text).toContain('done with care');
  });

  it('[SEC3] the key is in a file of mode 0600, and in no argument, no output and no log', async () => {
    room.model.on('ask', call('ask_user', { question: 'Why?' }));
    const session = await room.start('ask');
    const asked = await session.nextAsk();
    const keys = join(room.beckon.dataDir, 'mcp');
    const [name = ''] = await readdir(keys);
    expect((await stat(join(keys, name))).mode & 0o777).toBe(0o600);
    const config = JSON.parse(await readFile(join(keys, name), 'utf8'));
    const key = config.mcpServers.beckon.headers.Authorization.slice('Bearer '.length);
    const seen = (await commandLines()).join('\n');
    expect(seen).toContain(`--mcp-config=${join(keys, name)}`);
    await submit(session, asked, { answer: 'Because.' });
    await session.watch.event('turn.ended');
    const all = [seen, await session.raw(), room.beckon.stderr(), JSON.stringify(session.watch.frames)].join(
      '\n',
    );
    expect(all).not.toContain(key);
  });

  it('[TOOL6] [ASK2] kill -9 while a tool waits: the agent is told how the answer comes, and gets it', async () => {
    room.model.on('wait', call('wait_for_word'));
    room.model.on('again', call('wait_for_word'));
    const session = await room.start('wait');
    const asked = await session.nextAsk();
    const { port } = new URL(room.beckon.url);
    await hasReadAll(room.beckon, session.id);
    await room.beckon.kill9();

    await room.serveAgain('--port', port);
    await watch(room.beckon);
    const { body } = await room.beckon.api('GET', '/api/pending');
    expect(body.pending).toMatchObject([
      { interactionId: asked.interactionId, leftOpen: { cause: 'server-ended' } },
    ]);
    expect((await seenByModel('wait_for_word'))?.text).toMatch(cutOff);
    expect(await submit(session, asked, { word: 'fig' })).toMatchObject({ status: 200 });
    const request = await room.model.nextRequest(({ prompt }) => prompt?.includes('fig') ?? false);
    expect(JSON.stringify(request.body.messages)).toMatch(cutOff);

    const again = await session.seenAnew();
    await again.watch.event('message.taken', (event) => event.text.includes('fig'));
    await session.post('message', { message: 'again' });
    const second = await again.watch.event(
      'interaction.requested',
      (event) => event.interactionId !== asked.interactionId,
    );
    await submit(session, second, { word: 'pear' });
    await room.model.nextRequest(({ toolResults }) =>
      toolResults.some((one) => one.text.includes('The word is pear.')),
    );
  });

  it('[TOOL6] kill -9 while a tool waits, answered before the agent has come back: it hears the answer once, and of no loss', async () => {
    room.model.on('wait', call('wait_for_word'));
    const session = await room.start('wait');
    const asked = await session.nextAsk();
    const { port } = new URL(room.beckon.url);
    await hasReadAll(room.beckon, session.id);
    await room.beckon.kill9();

    await room.serveAgain('--port', port);
    expect(await submit(session, asked, { word: 'fig' })).toMatchObject({ status: 200 });
    const told = (await seenByModel('wait_for_word'))?.text;
    expect(told).toMatch(cutOff);
    expect(told).not.toContain('connection to Beckon was lost');
    const hasFig = ({ prompt }: { prompt?: string | undefined }) => prompt?.includes('fig') ?? false;
    await room.model.nextRequest(hasFig);
    expect(room.model.requests.filter(hasFig)).toHaveLength(1);
  });

  it('[TOOL13] a tool that is written while the agent runs can be called', async () => {
    room.model.on('early', call('early'));
    room.model.on('late', call('late'));
    const session = await room.start('early');
    expect((await seenByModel('early'))?.text).toContain('the first word');
    await session.watch.event('turn.ended');
    await writeFile(ownTools(room.folder), toolFile('late', 'the last word'));
    await expect
      .poll(async () => JSON.stringify((await room.beckon.api('GET', '/api/tools')).body.tools))
      .toContain('"late"');
    const { interactionId, ask } = await askOnceKnown(session, 'late');
    // It was not there when the agent was started, so the agent asks for it as for any tool it does not know.
    expect(ask.toolName).toBe(ours('late'));
    await session.post('approve', { requestId: interactionId, decision: 'allow' });
    await room.model.nextRequest(({ toolResults }) =>
      toolResults.some((result) => result.text.includes('the last word')),
    );
  });
});

const ownTools = (folder: string): string => join(folder, 'own.ts');

const toolFile = (name: string, result: string): string => `
import { defineTool } from 'beckon/tools';
import { z } from 'zod';
export default defineTool({
  name: '${name}',
  description: 'Says ${result}.',
  input: z.object({}),
  handler: () => '${result}',
});
`;
