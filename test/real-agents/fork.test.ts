import { describe, expect, it } from 'vitest';
import { watchSession } from '../support/watch.ts';
import { acpClaudeConfig } from './acp-claude.ts';
import { claudePrograms } from './claude-program.ts';
import { gate, type ModelRequest, text, toolUse } from './model-stand-in.ts';
import type { RealSession } from './real-session.ts';
import { freshRoom, type Room } from './room.ts';

describe.each(claudePrograms())('a conversation with Claude Code $version', (program) => {
  describe('by its own driver', () => {
    forksBeforeATurn(freshRoom({ server: () => ({ args: ['--claude', program.path] }) }));
  });
  describe('by the Agent SDK', () => {
    forksBeforeATurn(
      freshRoom({
        agent: 'claude-sdk',
        server: () => ({ args: ['--claude', program.path], cwd: import.meta.dirname }),
      }),
    );
  });
});

function forksBeforeATurn(room: Room): void {
  it('[CHG38] is forked before a turn: the copy knows what was said until then, the original all of it', async () => {
    const held = gate();
    room.model
      .on('first', [toolUse('Bash', { command: 'touch made.txt' }, [text('One.')])])
      .on('second', [text('Two ', held.opened)])
      .on('third', [text('Three.')])
      .on('elsewhere', [text('Four.')])
      .on('go on', [text('Five.')]);
    const session = await room.start('first');
    const { interactionId } = await session.nextAsk();
    await session.post('approve', { requestId: interactionId });
    await session.watch.event('turn.ended');
    // Cut short: what is in the conversation of it is gone on with, too.
    await session.post('message', { message: 'second' });
    await session.saying('Two ');
    await session.post('interrupt');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'interrupted' });
    await say(room, session, 'third');
    const turns = await turnsOf(session);

    const before = await fork(room, session, { turnId: turns[2]?.turnId });
    const request = await say(room, before, 'elsewhere');
    expect(saidIn(request)).toMatchObject(['first', 'second', 'elsewhere']);
    const earlier = await fork(room, session, { turnId: turns[1]?.turnId });
    expect(saidIn(await say(room, earlier, 'elsewhere'))).toEqual(['first', 'elsewhere']);
    const all = await fork(room, session, {});
    expect(saidIn(await say(room, all, 'elsewhere'))).toEqual(['first', 'second', 'third', 'elsewhere']);
    const nothing = await fork(room, session, { turnId: turns[0]?.turnId });
    expect(saidIn(await say(room, nothing, 'elsewhere'))).toEqual(['elsewhere']);

    expect(saidIn(await say(room, session, 'go on'))).toEqual(['first', 'second', 'third', 'go on']);
    expect(saidIn(await say(room, earlier, 'go on'))).toEqual(['first', 'elsewhere', 'go on']);
    const ids = await Promise.all([session, before, earlier, all, nothing].map(agentSessionOf));
    expect(new Set(ids).size).toBe(5);
  });
}

describe('a conversation with Claude Code by the Agent Client Protocol', () => {
  const room = freshRoom({
    agent: 'claude-acp',
    server: async (folder) => ({ args: ['--config', await acpClaudeConfig(folder)] }),
  });

  it('[CHG38] is forked as a whole, and not before an earlier turn', async () => {
    room.model
      .on('first', [text('One.')])
      .on('second', [text('Two.')])
      .on('elsewhere', [text('Three.')]);
    const session = await room.start('first');
    await session.watch.event('turn.ended');
    await say(room, session, 'second');
    const [, second] = await turnsOf(session);
    const refused = await session.post('fork', { turnId: second?.turnId });
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'cannot_fork' } } });
    expect(refused.body.error.message).toContain('only as a whole');

    const all = await fork(room, session, {});
    expect(saidIn(await say(room, all, 'elsewhere'))).toEqual(['first', 'second', 'elsewhere']);
    const { body } = await all.get('events');
    const words = body.events.flatMap((event: { type: string; text?: string }) =>
      event.type === 'agent.text' ? [event.text] : [],
    );
    expect(words).toEqual(['Three.']);
  });
});

async function fork(room: Room, session: RealSession, body: object): Promise<RealSession> {
  const reply = await session.post('fork', body);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  const { id, forkedFrom } = reply.body.session;
  expect(forkedFrom.sessionId).toBe(session.id);
  const path = `/api/sessions/${id}`;
  return {
    ...session,
    id,
    watch: await watchSession(room.beckon, id),
    post: (what, sent = {}) => room.beckon.api('POST', `${path}/${what}`, sent),
    get: (what) => room.beckon.api('GET', what === undefined ? path : `${path}/${what}`),
  };
}

/** Says it, and gives what the model was asked then. */
async function say(room: Room, session: RealSession, message: string): Promise<ModelRequest> {
  const known = room.model.requests.length;
  await session.post('message', { message });
  expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
  const request = room.model.requests
    .slice(known)
    .find(({ prompt, tools }) => prompt === message && tools.length > 0);
  if (request === undefined) throw new Error(`The model was not asked "${message}"`);
  return request;
}

const known = ['first', 'second', 'third', 'elsewhere', 'go on'];

/** What the person said, in the conversation that the model was shown. */
function saidIn({ body }: ModelRequest): string[] {
  const messages = body.messages as readonly {
    role: string;
    content: string | readonly { text?: string }[];
  }[];
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.map((part) => part.text ?? ''),
    )
    .map((words) => words.trim())
    .filter((words) => known.includes(words));
}

async function turnsOf(session: RealSession): Promise<readonly { readonly turnId: string }[]> {
  const { body } = await session.get('events?limit=1000');
  return body.events.filter(({ type }: { type: string }) => type === 'turn.started');
}

const agentSessionOf = async (session: RealSession): Promise<string> =>
  (await session.get()).body.session.agentSessionId;
