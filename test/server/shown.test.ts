import { describe, expect, it } from 'vitest';
import { shownDigest } from '../../src/model/shown-digest.ts';
import type { Ask, Interaction } from '../../src/protocol/interaction.ts';
import { startServer, token } from './running-server.ts';
import { WsClient } from './ws-client.ts';

const headers = { authorization: `Bearer ${token}` };
const other = shownDigest({ kind: 'approval', toolName: 'Bash', input: { command: 'something else' } });

const approval: Partial<Ask> = { toolName: 'Bash', toolCallId: 'call', input: { command: 'ls' } };
const question: Partial<Ask> = {
  kind: 'question',
  toolCallId: 'call',
  questions: [{ question: 'Which?', options: [{ label: 'Red' }], multiSelect: false }],
};

/** The ways to answer, with what they take besides the name of the interaction. */
const routes: readonly [string, Partial<Ask>, (id: string) => object][] = [
  ['approve', approval, (requestId) => ({ requestId, decision: 'allow' })],
  ['deny', approval, (requestId) => ({ requestId })],
  [
    'answer',
    question,
    (requestId) => ({ requestId, answers: ['Red'].map((each) => ({ selected: [each] })) }),
  ],
  ['submit-answers', question, () => ({ toolCallId: 'call', answers: { 0: 'Red' } })],
  ['respond', approval, (interactionId) => ({ interactionId, action: 'approve' })],
];
const frames: readonly [string, Partial<Ask>, (id: string) => object][] = [
  ['approve_tool', approval, (requestId) => ({ requestId, decision: 'allow' })],
  ['answer_question', question, (requestId) => ({ requestId, answers: { 0: 'Red' } })],
  ['tool_interaction_response', approval, (interactionId) => ({ interactionId, action: 'approve' })],
];

describe('[ASK14] an answer that names what was shown', () => {
  it.each(routes)(
    '%s is refused for something else, before anything is recorded',
    async (route, ask, body) => {
      const { call, newSession } = await startServer();
      const session = await newSession();
      session.ask(ask);
      const { id } = session;
      const asked = await pendingOf(call, id);
      const path = `/api/sessions/${id}/${route}`;
      const refused = await call('POST', path, { ...body(asked.requestId), shown: other });
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'interaction_changed' } } });
      expect(session.decisions).toEqual([]);
      expect((await pendingOf(call, id)).status).toBe('open');
      const odd = await call('POST', path, { ...body(asked.requestId), shown: 'not a digest' });
      expect(odd).toMatchObject({ status: 422, body: { error: { code: 'invalid_value' } } });
      const shown = shownDigest(asked);
      expect(await call('POST', path, { ...body(asked.requestId), shown })).toMatchObject({ status: 200 });
      const late = await call('POST', path, { ...body(asked.requestId), shown: other });
      expect(late).toMatchObject({ body: { error: { code: 'interaction_already_resolved' } } });
    },
  );

  it.each(frames)('%s does the same over the WebSocket', async (type, ask, body) => {
    const { url, call, newSession } = await startServer();
    const session = await newSession();
    session.ask(ask);
    const asked = await pendingOf(call, session.id);
    const client = await WsClient.open(url, headers);
    const frame = { type, sessionId: session.id, ...body(asked.requestId) };
    client.send({ ...frame, id: 1, shown: other });
    expect(await client.reply(1)).toMatchObject({ type: 'error', error: { code: 'interaction_changed' } });
    expect(session.decisions).toEqual([]);
    client.send({ ...frame, id: 2, shown: shownDigest(asked) });
    expect(await client.reply(2)).toMatchObject({ type: 'ack', data: { status: 'ok' } });
  });
});

type Call = Awaited<ReturnType<typeof startServer>>['call'];

async function pendingOf(call: Call, session: string): Promise<Interaction> {
  for (;;) {
    const { body } = await call('GET', `/api/sessions/${session}/pending`);
    const [first] = body.pending as Interaction[];
    if (first !== undefined) return first;
  }
}
