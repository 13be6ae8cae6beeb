import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wireNames } from '../../src/protocol/announcement.ts';
import { deployAsk, emailForm } from '../support/session-states.ts';
import { startServer, token } from './running-server.ts';
import { SseReader } from './sse-reader.ts';
import { waitUntil } from './wait-until.ts';
import { WsClient } from './ws-client.ts';

const headers = { authorization: `Bearer ${token}` };
const page = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');

describe('the vocabulary of the streams', () => {
  it('[API8] the lists in docs/api.md are those of the table that the streams are written by', () => {
    const words = Object.values(wireNames);
    expect(namesIn('## Server-sent events', '| event |')).toEqual(
      words.flatMap(({ events }) => events ?? []).sort(),
    );
    const announced = words.flatMap(({ events, webSocket }) => (events?.includes('-') ? webSocket : []));
    expect([...namesIn('## WebSocket', '| frame from the server |'), ...announced].sort()).toEqual(
      words.map(({ webSocket }) => webSocket).sort(),
    );
    expect(announced.every((name) => /^[a-z]+_[a-z]+$/.test(name))).toBe(true);
  });

  it('[API8] every announcement of a session names it by id, key and stageId, on every stream', async () => {
    const { url, room, newSession, call } = await startServer();
    const events = await SseReader.open(`${url}/api/events`, headers);
    await events.first('snapshot');
    const socket = await WsClient.open(url, headers);
    await socket.first(({ type }) => type === 'init');
    const session = await newSession({ key: 'stage-7', askTimeout: { softSeconds: 0.001 } });
    const at = '/api/sessions/stage-7';
    await call('POST', `${at}/message`, { message: 'go' });
    session.ask({ agentRequestId: 'r1' });
    const { data: asked } = await events.first('approval-requested');
    await events.first('approval-parked');
    await call('POST', `${at}/approve`, { requestId: asked.requestId, decision: 'allow' });
    session.ask({ agentRequestId: 'r2', kind: 'question', questions: [question] });
    session.report([{ type: 'withdrawn', agentRequestId: 'r2' }]);
    const form = await room.tools.ask(
      session.id,
      deployAsk({ kind: 'form', form: emailForm }),
      async () => null,
    );
    if (!form.ok) throw new Error(form.refusal.message);
    await room.tools.leaveOpen(session.id, form.value, undefined);
    const { body } = await call('POST', `${at}/message`, { message: 'later', disposition: 'queue' });
    await call('PATCH', `${at}/queue/${body.messageId}`, { message: 'edited' });
    await call('DELETE', `${at}/queue/${body.messageId}`);
    await call('POST', `${at}/stop`);
    await call('DELETE', at);
    await events.first('session-removed');
    await waitUntil(() => socket.of('session_removed').length > 0);

    const ofSessions = Object.entries(wireNames).filter(([word]) =>
      /^(session|approval|question|form|message)-/.test(word),
    );
    const names = { sessionId: session.id, sessionKey: 'stage-7', stageId: 'stage-7' };
    for (const [word, { events: name, webSocket }] of ofSessions) {
      expect(events.of(name ?? '')[0]?.data, word).toMatchObject(names);
      expect(socket.of(webSocket)[0]?.data, word).toMatchObject(names);
    }
    for (const word of ['interaction_request', 'interaction_response'])
      expect(socket.of(word)[0], word).toMatchObject(names);
    expect(events.messages.every(({ event }) => event === 'snapshot' || event in wireNames)).toBe(true);
  });

  it('[API8] a session without a key is named by its id alone', async () => {
    const { url, newSession } = await startServer();
    const events = await SseReader.open(`${url}/api/events`, headers);
    await events.first('snapshot');
    const { id } = await newSession();
    const { data } = await events.first('session-started');
    expect(data).toMatchObject({ sessionId: id, sessionKey: null });
    expect(data).not.toHaveProperty('stageId');
  });
});

/** What stands in quotes in the first column of the table that begins so, in that chapter. */
function namesIn(chapter: string, head: string): string[] {
  const text = page.slice(page.indexOf(`\n${chapter}\n`));
  const [table = ''] = text.slice(text.indexOf(head)).split('\n\n', 1);
  const columns = table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|')[1] ?? '');
  return columns.flatMap((column) => [...column.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)).sort();
}

const question = {
  question: 'Which database?',
  header: 'DB',
  options: [{ label: 'Postgres' }, { label: 'SQLite' }],
  multiSelect: false,
};
