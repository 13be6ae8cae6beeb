import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Beckon,
  type BeckonOptions,
  endBeckons,
  startBeckon,
  temporaryDirectory,
} from '../support/beckon-process.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { asked, begin, resume } from '../support/tool-session.ts';
import { endWatches, watch, watchSession } from '../support/watch.ts';

const examples = resolve(import.meta.dirname, '../../examples/tools');
const drills = resolve(import.meta.dirname, '../fixtures/tools/drills.ts');
const allTools = [drills, ...['approval-gate.ts', 'email-field.ts'].map((name) => join(examples, name))];

afterEach(async () => {
  endWatches();
  await endBeckons();
});

const start = (options: BeckonOptions = {}): Promise<Beckon> =>
  startBeckon({ args: ['--tools', ...allTools], env: { BECKON_DEMO_PACE: '0' }, ...options });

describe('interactive tools with the demo agent', () => {
  it('[TOOL12] [TOOL11] ask_user: what a person says over HTTP is what the agent gets', async () => {
    const session = await begin(await start(), 'ask');
    const { interactionId, ask } = await asked(session);
    expect(ask).toMatchObject({
      kind: 'form',
      toolName: 'mcp__beckon__ask_user',
      tool: { name: 'ask_user', attempt: 1 },
      form: {
        fields: [{ type: 'select', options: [{ value: 'Ada' }, { value: 'Grace' }, { value: 'Nobody' }] }],
      },
    });
    const called = await session.watching.event('tool.called');
    expect(ask.toolCallId).toBe(called.toolCallId);
    const wrong = await session.respond({ interactionId, action: 'submit', input: { answer: 'Bob' } });
    expect(wrong).toMatchObject({ status: 422, body: { error: { details: { field: expect.any(String) } } } });
    const right = await session.respond({ interactionId, action: 'submit', input: { answer: 'Ada' } });
    expect(right).toMatchObject({ status: 200, body: { interaction: { outcome: 'submitted' } } });
    expect(await session.result()).toEqual({ isError: false, text: '{"ok":true,"answer":"Ada"}' });
    await session.watching.event('agent.text', ({ text }) => text.includes('**Ada** it is'));
    expect(await session.watching.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  });

  it('[TOOL7] an approval is asked for once per session when that was its scope, and listed among the grants', async () => {
    const session = await begin(await start(), 'call deploy {"branch":"main","environment":"staging"}');
    const { interactionId, ask } = await asked(session);
    expect(ask).toMatchObject({ kind: 'approval', approvalScopes: ['once', 'session', 'always'] });
    await session.respond({ interactionId, action: 'approve', approvalScope: 'session' });
    expect((await session.result()).text).toContain('"deployed":true');
    await session.watching.event('turn.ended');
    const { body } = await session.beckon.api('GET', '/api/grants');
    expect(body.grants).toMatchObject([{ toolName: 'deploy', pattern: 'deploy:staging', scope: 'session' }]);

    await session.say('call deploy {"branch":"next","environment":"staging"}');
    expect((await session.result()).text).toContain('"branch":"next"');
    expect((await session.beckon.api('GET', '/api/pending')).body.pending).toEqual([]);
  });

  it('[TOOL5] what will not do is asked again, with the reason and what was typed', async () => {
    const session = await begin(
      await start(),
      'call ask_email {"purpose":"For the bill.","domain":"example.com"}',
    );
    const first = await asked(session);
    const input = { email: 'ada@elsewhere.org', name: 'Ada' };
    await session.respond({ interactionId: first.interactionId, action: 'submit', input });
    const second = await asked(session);
    expect(second.ask).toMatchObject({
      tool: { attempt: 2, replaces: first.interactionId },
      form: { error: 'ada@elsewhere.org is not an address at example.com.', initialValues: input },
    });
    const better = { email: 'ada@example.com' };
    await session.respond({ interactionId: second.interactionId, action: 'submit', input: better });
    expect((await session.result()).text).toContain('"email":"ada@example.com"');
  });

  it('[TOOL8] [TOOL9] an error, a time limit and arguments that do not fit are told in plain words', async () => {
    const session = await begin(await start(), 'call break_down');
    expect(await session.result()).toMatchObject({
      isError: true,
      text: expect.stringContaining('The mill is broken.'),
    });
    await session.say('call hurry {"ms":50}');
    expect(await session.result()).toMatchObject({ isError: true });
    const ended = await session.watching.event('interaction.resolved');
    expect(ended).toMatchObject({ outcome: 'expired' });
    await session.say('call hurry {"ms":"soon"}');
    const wrong = await session.result();
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('ms') });
    await session.say('call nothing_like_it');
    expect(await session.result()).toMatchObject({ isError: true });
  });

  it('[TOOL6] a late answer reaches the agent as one message in a turn of its own', async () => {
    const session = await begin(await start(), 'call later {"ms":50}');
    const { interactionId } = await asked(session);
    expect(await session.result()).toMatchObject({ isError: false, text: expect.stringContaining('later') });
    await session.watching.event('turn.ended');
    await session.watching.event('interaction.left-open');
    await session.respond({ interactionId, action: 'submit', input: { word: 'plum' } });
    const taken = await session.watching.event('message.taken', ({ text }) =>
      text.includes('The word is plum.'),
    );
    expect(taken.text).toContain('plum');
    await session.watching.event('turn.ended');
  });

  it('[TOOL9] an interrupt ends what a tool asks, and the next call works', async () => {
    const session = await begin(await start(), 'call wait_for_word');
    await asked(session);
    await session.beckon.api('POST', `/api/sessions/${session.id}/interrupt`);
    expect(await session.watching.event('interaction.resolved')).toMatchObject({ outcome: 'interrupted' });
    expect(await session.watching.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    await session.say('call wait_for_word');
    const { interactionId } = await asked(session);
    await session.respond({ interactionId, action: 'submit', input: { word: 'pear' } });
    await session.watching.event('tool.result', ({ text }) => text.includes('The word is pear.'));
  });

  it('[TOOL9] [SES6] stop ends what a tool asks', async () => {
    const session = await begin(await start(), 'call wait_for_word');
    await asked(session);
    await session.beckon.api('POST', `/api/sessions/${session.id}/stop`);
    expect(await session.watching.event('interaction.resolved')).toMatchObject({ outcome: 'interrupted' });
    expect((await session.beckon.api('GET', '/api/pending')).body.pending).toEqual([]);
  });

  it('[TOOL10] without anyone who can answer, the agent is told so', async () => {
    const beckon = await start();
    const { body } = await beckon.api('POST', '/api/sessions', {
      agent: 'demo',
      prompt: 'call wait_for_word',
    });
    const watching = await watchSession(beckon, body.session.id);
    const result = await watching.event('tool.result');
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining('interaction_unavailable'),
    });
  });

  it('[TOOL11] a tool that wants it is asked for by the agent first; the others are not', async () => {
    const session = await begin(await start(), 'call careful');
    const { interactionId, ask } = await asked(session);
    expect(ask).toMatchObject({ kind: 'approval', toolName: 'mcp__beckon__careful' });
    expect(ask.tool).toBeUndefined();
    await session.beckon.api('POST', `/api/sessions/${session.id}/approve`, {
      requestId: interactionId,
      decision: 'allow',
    });
    expect(await session.result()).toEqual({ isError: false, text: 'done with care' });
  });

  it('[TOOL6] [ASK2] a server that is ended while a tool asks leaves the question to the next one', async () => {
    const dataDir = await temporaryDirectory();
    const first = await begin(await start({ dataDir }), 'call wait_for_word');
    const { interactionId } = await asked(first);
    await first.beckon.stop();

    const beckon = await start({ dataDir });
    await watch(beckon);
    const second = await resume(beckon, first.id);
    const { body } = await beckon.api('GET', '/api/pending');
    expect(body.pending).toMatchObject([{ interactionId, leftOpen: { cause: 'server-ended' } }]);
    await second.respond({ interactionId, action: 'submit', input: { word: 'fig' } });
    await second.watching.event('message.taken', ({ text }) => text.includes('fig'));
  });

  const seed = testSeed();
  it(`[TOOL6] [TOOL11] [ASK2] agents that outlive a killed server hear the answer once, whenever it is given (seed ${seed})`, async () => {
    const dataDir = await temporaryDirectory();
    const server = await start({ dataDir });
    const random = seededRandom(seed);
    const words = ['quince', 'medlar', 'sloe', 'rowan'].sort(() => random() - 0.5);
    const before = await Promise.all(words.map(() => begin(server, 'call wait_for_word')));
    const asks = await Promise.all(before.map(asked));
    await server.kill9();

    const beckon = await start({ dataDir });
    await watch(beckon);
    const after = await Promise.all(before.map(({ id }) => resume(beckon, id)));
    const told = after.map(({ watching }) => watching.event('tool.result'));
    const queued = after.map(({ watching }) => watching.event('message.queued', ({ answers }) => answers));
    // What each answer waits for: nothing, that another is on its way, that a call is told of the restart, that its own is.
    const moments = [undefined, queued[0], Promise.race(told), told[3]];
    await Promise.all(
      after.map(async (session, index) => {
        await moments[index];
        const input = { word: words[index] };
        const { interactionId } = asks[index];
        expect((await session.respond({ interactionId, action: 'submit', input })).status).toBe(200);
        const result = await told[index];
        expect(result).toMatchObject({ isError: false, text: expect.stringContaining('as a message') });
        expect(result.text).not.toMatch(/lost|do its work/);
        const taken = await session.watching.event('message.taken', ({ text }) => text.includes(input.word));
        await session.watching.event('turn.ended', ({ seq }) => seq > taken.seq);
        const heard = session.watching.frames.filter(
          ({ data }) =>
            ['tool.result', 'message.taken'].includes(data.type) && data.text.includes(input.word),
        );
        expect(heard).toHaveLength(1);
      }),
    );
    const [again] = after;
    await again?.say('call break_down');
    await again?.watching.event('tool.result', ({ text }) => text.includes('The mill is broken.'));
  });

  it('[SEC3] the key is in a file of mode 0600 while the agent lives, and nowhere else', async () => {
    const session = await begin(await start(), 'ask');
    const { interactionId } = await asked(session);
    const { beckon, id } = session;
    const folder = join(beckon.dataDir, 'mcp');
    const [name = ''] = await readdir(folder);
    const file = join(folder, name);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(join(beckon.dataDir, 'tool-secret'))).mode & 0o777).toBe(0o600);
    const { mcpServers } = JSON.parse(await readFile(file, 'utf8'));
    expect(mcpServers.beckon).toMatchObject({ type: 'http', url: `${beckon.url}/mcp/${id}` });
    const key = mcpServers.beckon.headers.Authorization.slice('Bearer '.length);
    const secret = (await readFile(join(beckon.dataDir, 'tool-secret'), 'utf8')).trim();

    await session.respond({ interactionId, action: 'submit', input: { answer: 'Ada' } });
    await session.watching.event('turn.ended');
    const raw = await fetch(`${beckon.url}/api/sessions/${id}/raw`, {
      headers: { authorization: `Bearer ${beckon.token}` },
    });
    const seen = [
      ...(await commandLines()),
      await raw.text(),
      beckon.stderr(),
      beckon.stdout(),
      JSON.stringify(session.watching.frames),
    ].join('\n');
    expect(seen).toContain(name);
    for (const hidden of [key, secret]) expect(seen).not.toContain(hidden);

    await beckon.api('POST', `/api/sessions/${id}/stop`);
    await expect.poll(() => readdir(folder)).toEqual([]);
  });

  it('[SEC3] what a killed server left of keys is removed by the next one', async () => {
    const dataDir = await temporaryDirectory();
    const first = await begin(await start({ dataDir }), 'hello');
    await first.watching.event('turn.ended');
    await writeFile(join(dataDir, 'mcp', 'run_of-long-ago.json'), '{}');
    await first.beckon.kill9();
    const beckon = await start({ dataDir });
    expect(await readdir(join(dataDir, 'mcp'))).not.toContain('run_of-long-ago.json');
    await beckon.api('POST', `/api/sessions/${first.id}/stop`);
    await expect.poll(() => readdir(join(dataDir, 'mcp'))).toEqual([]);
  });

  it('[TOOL13] a file that cannot be loaded is named with its error, and the rest works', async () => {
    const folder = await temporaryDirectory();
    const bad = join(folder, 'bad.ts');
    const gone = join(folder, 'gone.ts');
    await writeFile(bad, 'export default nothing;\n');
    await writeFile(join(folder, 'config.json'), JSON.stringify({ tools: ['bad.ts', 'gone.ts', drills] }));
    const beckon = await startBeckon({
      args: ['--config', join(folder, 'config.json')],
      env: { BECKON_DEMO_PACE: '0' },
    });
    const { body } = await beckon.api('GET', '/api/tools');
    expect(body.tools).toContainEqual(
      expect.objectContaining({ name: 'later', source: drills, askFirst: false }),
    );
    expect(body.tools).toContainEqual(expect.objectContaining({ name: 'careful', askFirst: true }));
    expect(body.tools).toContainEqual(expect.objectContaining({ name: 'ask_user', source: 'built-in' }));
    expect(body.problems.map(({ file }: { file: string }) => file).sort()).toEqual([bad, gone]);
    expect(beckon.stderr()).toContain(gone);
    const listed = await beckon.run(['tools']);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain('ask_user');
    expect(listed.stdout).toContain(`${bad}:1: `);
    const session = await begin(beckon, 'call break_down');
    expect(await session.result()).toMatchObject({ isError: true });
  });

  it('[TOOL11] [ASK11] any client of the protocol uses the tools with the key, and gets 401 without', async () => {
    const session = await begin(await start());
    const { beckon, id } = session;
    await session.watching.event('process.ready');
    const [name = ''] = await readdir(join(beckon.dataDir, 'mcp'));
    const config = JSON.parse(await readFile(join(beckon.dataDir, 'mcp', name), 'utf8')).mcpServers.beckon;
    const url = new URL(config.url);
    const client = new Client({ name: 'generic', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: config.headers } }),
    );
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(expect.arrayContaining(['ask_user', 'deploy', 'later']));
    const called = client.callTool({ name: 'ask_user', arguments: { question: 'Why?' } });
    const { interactionId } = await asked(session);
    await session.respond({ interactionId, action: 'submit', input: { answer: 'Because.' } });
    expect(await called).toMatchObject({ content: [{ text: '{"ok":true,"answer":"Because."}' }] });
    await client.close();

    const stranger = new Client({ name: 'stranger', version: '1' });
    await expect(stranger.connect(new StreamableHTTPClientTransport(url))).rejects.toThrow(
      /401|Unauthorized/i,
    );
    await beckon.api('POST', `/api/sessions/${id}/stop`);
    const late = await fetch(url, { method: 'POST', headers: config.headers, body: '{}' });
    expect(late.status).toBe(401);
  });
});

/** What everyone on this machine can see of the processes: their arguments. */
async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}
