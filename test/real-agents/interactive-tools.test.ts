import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventOf } from '../../src/protocol/event.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, type Frame, type Watch, watch, watchSession } from '../support/watch.ts';
import { claudeEnvironment, claudePrograms } from './claude-program.ts';
import { type ModelStandIn, startModelStandIn, text, toolUse } from './model-stand-in.ts';

const root = resolve(import.meta.dirname, '../..');
const example = (name: string): string => join(root, 'examples/tools', name);
const drills = join(root, 'test/fixtures/tools/drills.ts');

const ours = (tool: string): string => `mcp__beckon__${tool}`;
const call = (tool: string, input: object = {}) => [toolUse(ours(tool), { ...input }, [text('Noted.')])];

describe.each(claudePrograms())('interactive tools with Claude Code $version', (program) => {
  let folder: string;
  let model: ModelStandIn;
  let beckon: Beckon;
  let ownTools: string;

  const serve = (dataDir?: string, port = '0'): Promise<Beckon> =>
    startBeckon({
      ...(dataDir === undefined ? {} : { dataDir }),
      args: [
        '--port',
        port,
        '--claude',
        program.path,
        '--tools',
        example('approval-gate.ts'),
        example('email-field.ts'),
        drills,
        ownTools,
      ],
    });

  beforeEach(async () => {
    folder = await temporaryDirectory();
    ownTools = join(folder, 'own.ts');
    await writeFile(ownTools, toolFile('early', 'the first word'));
    model = await startModelStandIn();
    beckon = await serve();
    await watch(beckon);
  });

  afterEach(async () => {
    endWatches();
    await endBeckons();
    await model.close();
  });

  interface Started {
    readonly id: string;
    readonly watch: Watch;
  }

  async function start(prompt: string): Promise<Started> {
    const cwd = join(folder, 'work');
    const home = join(folder, 'home');
    await mkdir(cwd, { recursive: true });
    await mkdir(home, { recursive: true });
    const env = claudeEnvironment({ baseUrl: model.url, home });
    const session = { agent: 'claude', cwd, env, prompt };
    const { status, body } = await beckon.api('POST', '/api/sessions', session);
    expect(status, JSON.stringify(body)).toBe(201);
    return { id: body.session.id, watch: await watchSession(beckon, body.session.id) };
  }

  const post = (session: Started, path: string, body: object = {}) =>
    beckon.api('POST', `/api/sessions/${session.id}/${path}`, body);

  const nextAsk = ({ watch: watching }: Started): Promise<EventOf<'interaction.requested'>> =>
    watching.event('interaction.requested');

  const submit = (session: Started, { interactionId }: { interactionId: string }, input: object) =>
    post(session, 'respond', { interactionId, action: 'submit', input });

  /** The result of our tool as the model saw it. */
  const seenByModel = async (tool: string) => {
    const request = await model.nextRequest(({ toolResults }) =>
      toolResults.some(({ toolName }) => toolName === ours(tool)),
    );
    return request.toolResults.find(({ toolName }) => toolName === ours(tool));
  };

  /** The agent takes a new list of tools when it gets to it; until then its calls fail. */
  async function askOnceKnown(session: Started, message: string): Promise<EventOf<'interaction.requested'>> {
    const isOver = ({ data }: Frame) => ['interaction.requested', 'turn.ended'].includes(data.type);
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) {
      await post(session, 'message', { message });
      const { data } = await session.watch.until('an ask or an end', isOver);
      if (data.type === 'interaction.requested') return data;
    }
    throw new Error('The agent never learned of the tool.');
  }

  it('[TOOL12] [TOOL11] ask_user: a person answers, and the model reads it', async () => {
    model.on('ask', call('ask_user', { question: 'Which port?', inputType: 'text' }));
    const session = await start('ask');
    const asked = await nextAsk(session);
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
    model.on(
      ({ prompt }) => prompt?.startsWith('deploy') ?? false,
      () => call('deploy', deploy),
    );
    const approve = (session: Started, { interactionId }: { interactionId: string }, approvalScope: string) =>
      post(session, 'respond', { interactionId, action: 'approve', approvalScope });
    const session = await start('deploy');
    await approve(session, await nextAsk(session), 'once');
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    await session.watch.event('turn.ended');

    await post(session, 'message', { message: 'deploy again' });
    await approve(session, await nextAsk(session), 'session');
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    await session.watch.event('turn.ended');
    await post(session, 'message', { message: 'deploy a third time' });
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    await session.watch.event('turn.ended');

    const second = await start('deploy');
    await approve(second, await nextAsk(second), 'always');
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    const third = await start('deploy');
    expect((await seenByModel('deploy'))?.text).toContain('"deployed":true');
    await third.watch.event('turn.ended');
    const { body } = await beckon.api('GET', '/api/grants');
    expect(body.grants.map(({ scope }: { scope: string }) => scope).sort()).toEqual(['always', 'session']);
    expect((await beckon.api('GET', '/api/pending')).body.pending).toEqual([]);
  });

  it('[TOOL7] a no reaches the model with its reason', async () => {
    model.on('deploy', call('deploy', { branch: 'main', environment: 'production' }));
    const session = await start('deploy');
    const { interactionId } = await nextAsk(session);
    await post(session, 'respond', { interactionId, action: 'deny', reason: 'Not on a Friday.' });
    expect((await seenByModel('deploy'))?.text).toContain('Not on a Friday.');
  });

  it('[TOOL5] the model sees the last answer only, not the one that would not do', async () => {
    model.on('ask', call('ask_email', { purpose: 'For the bill.', domain: 'example.com' }));
    const session = await start('ask');
    await submit(session, await nextAsk(session), { email: 'ada@elsewhere.org' });
    const again = await nextAsk(session);
    expect(again.ask.form?.error).toContain('ada@elsewhere.org');
    await submit(session, again, { email: 'ada@example.com' });
    const seen = await seenByModel('ask_email');
    expect(seen?.text).toContain('ada@example.com');
    expect(seen?.text).not.toContain('elsewhere');
  });

  it('[TOOL6] a late answer is a message in a new turn', async () => {
    model.on('ask', call('later', { ms: 100 }));
    const session = await start('ask');
    const asked = await nextAsk(session);
    expect(await seenByModel('later')).toMatchObject({ isError: false });
    await session.watch.event('turn.ended');
    await session.watch.event('interaction.left-open');
    await submit(session, asked, { word: 'plum' });
    const request = await model.nextRequest(({ prompt }) => prompt?.includes('The word is plum.') ?? false);
    expect(request.toolResults).toEqual([]);
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  it('[TOOL8] [TOOL9] an error and a time limit are told to the model in plain words', async () => {
    model.on('break', call('break_down'));
    model.on('hurry', call('hurry', { ms: 100 }));
    const session = await start('break');
    const broken = await seenByModel('break_down');
    expect(broken).toMatchObject({ isError: true, text: expect.stringContaining('The mill is broken.') });
    await session.watch.event('turn.ended');
    await post(session, 'message', { message: 'hurry' });
    const late = await seenByModel('hurry');
    expect(late).toMatchObject({ isError: true, text: expect.stringContaining('interaction_expired') });
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ outcome: 'expired' });
  });

  it('[TOOL9] [SES5] an interrupt while a tool waits ends the ask; the next call works', async () => {
    model.on('wait', call('wait_for_word'));
    model.on('again', call('wait_for_word'));
    const session = await start('wait');
    await nextAsk(session);
    expect(await post(session, 'interrupt')).toMatchObject({ status: 200 });
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ outcome: 'interrupted' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    await post(session, 'message', { message: 'again' });
    await submit(session, await nextAsk(session), { word: 'pear' });
    const request = await model.nextRequest(({ toolResults }) =>
      toolResults.some((result) => result.text.includes('The word is pear.')),
    );
    expect(request.toolResults.at(-1)).toMatchObject({ isError: false });
  });

  it('[TOOL9] [SES6] stop while a tool waits ends the ask, and the key goes with the agent', async () => {
    model.on('wait', call('wait_for_word'));
    const session = await start('wait');
    await nextAsk(session);
    const keys = join(beckon.dataDir, 'mcp');
    expect(await readdir(keys)).toHaveLength(1);
    await post(session, 'stop');
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ outcome: 'interrupted' });
    await expect.poll(() => readdir(keys)).toEqual([]);
  });

  it('[TOOL11] [ASK10] the agent asks before a tool that wants it', async () => {
    model.on('careful', call('careful'));
    const session = await start('careful');
    const { interactionId, ask } = await nextAsk(session);
    expect(ask).toMatchObject({ kind: 'approval', toolName: ours('careful') });
    expect(ask.tool).toBeUndefined();
    await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    expect((await seenByModel('careful'))?.text).toContain('done with care');
  });

  it('[SEC3] the key is in a file of mode 0600, and in no argument, no output and no log', async () => {
    model.on('ask', call('ask_user', { question: 'Why?' }));
    const session = await start('ask');
    const asked = await nextAsk(session);
    const keys = join(beckon.dataDir, 'mcp');
    const [name = ''] = await readdir(keys);
    expect((await stat(join(keys, name))).mode & 0o777).toBe(0o600);
    const config = JSON.parse(await readFile(join(keys, name), 'utf8'));
    const key = config.mcpServers.beckon.headers.Authorization.slice('Bearer '.length);
    const seen = (await processesSeen()).join('\n');
    expect(seen).toContain(`--mcp-config=${join(keys, name)}`);
    await submit(session, asked, { answer: 'Because.' });
    await session.watch.event('turn.ended');
    const raw = await fetch(`${beckon.url}/api/sessions/${session.id}/raw`, {
      headers: { authorization: `Bearer ${beckon.token}` },
    });
    const all = [seen, await raw.text(), beckon.stderr(), JSON.stringify(session.watch.frames)].join('\n');
    expect(all).not.toContain(key);
  });

  it('[TOOL6] [ASK2] kill -9 while a tool waits: the agent is told how the answer comes, and gets it', async () => {
    model.on('wait', call('wait_for_word'));
    model.on('again', call('wait_for_word'));
    const session = await start('wait');
    const asked = await nextAsk(session);
    const { dataDir, url } = beckon;
    await beckon.kill9();

    beckon = await serve(dataDir, new URL(url).port);
    await watch(beckon);
    const { body } = await beckon.api('GET', '/api/pending');
    expect(body.pending).toMatchObject([
      { interactionId: asked.interactionId, leftOpen: { cause: 'server-ended' } },
    ]);
    // Killed before the program had begun to listen, it does not take up the call again, and has its own words for that.
    const told = /will reach you as a message|connection closed before the tool call was answered/;
    expect((await seenByModel('wait_for_word'))?.text).toMatch(told);
    expect(await submit(session, asked, { word: 'fig' })).toMatchObject({ status: 200 });
    const request = await model.nextRequest(({ prompt }) => prompt?.includes('fig') ?? false);
    expect(JSON.stringify(request.body.messages)).toMatch(told);

    const again = await watchSession(beckon, session.id);
    await again.event('message.taken', (event) => event.text.includes('fig'));
    await post(session, 'message', { message: 'again' });
    const second = await again.event(
      'interaction.requested',
      (event) => event.interactionId !== asked.interactionId,
    );
    await submit(session, second, { word: 'pear' });
    await model.nextRequest(({ toolResults }) =>
      toolResults.some((one) => one.text.includes('The word is pear.')),
    );
  });

  it('[TOOL13] a tool that is written while the agent runs can be called', async () => {
    model.on('early', call('early'));
    model.on('late', call('late'));
    const session = await start('early');
    expect((await seenByModel('early'))?.text).toContain('the first word');
    await session.watch.event('turn.ended');
    await writeFile(ownTools, toolFile('late', 'the last word'));
    await expect
      .poll(async () => JSON.stringify((await beckon.api('GET', '/api/tools')).body.tools), {
        timeout: 10_000,
      })
      .toContain('"late"');
    const { interactionId, ask } = await askOnceKnown(session, 'late');
    // It was not there when the agent was started, so the agent asks for it as for any tool it does not know.
    expect(ask.toolName).toBe(ours('late'));
    await post(session, 'approve', { requestId: interactionId, decision: 'allow' });
    await model.nextRequest(({ toolResults }) =>
      toolResults.some((result) => result.text.includes('the last word')),
    );
  });
});

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

/** The arguments of every process, which everyone on this machine can see. */
async function processesSeen(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}
