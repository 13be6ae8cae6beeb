import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Event } from '../../src/protocol/event.ts';
import { wholeLog } from '../support/whole-log.ts';
import { gate, text, toolUse } from './model-stand-in.ts';
import { question } from './question.ts';
import type { RealSession } from './real-session.ts';
import type { Room } from './room.ts';

export const makeFile = toolUse('Bash', { command: 'echo made >> made.txt' }, [text('It is there.')]);

export async function killAndStart(room: Room, session: RealSession): Promise<RealSession> {
  await room.beckon.kill9();
  await room.serveAgain();
  return session.seenAnew();
}

/** One process, from the first to the last event. Gives what it said. */
export async function saidInOneRun(room: Room, session: RealSession): Promise<readonly string[]> {
  const log = await wholeLog(room.beckon, session.id);
  const ofType = (...types: Event['type'][]) => log.filter(({ type }) => types.includes(type));
  expect(ofType('process.starting')).toHaveLength(1);
  expect(ofType('process.exited', 'diagnostic')).toEqual([]);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  return log.flatMap((event) => (event.type === 'agent.text' ? [event.text] : []));
}

/** What every agent does that outlives its server. */
export function takeoverSuite(room: Room): void {
  it('[ASK2] [ASK5] an approval stays open over kill -9, and Allow runs the tool, once', async () => {
    room.model.on('make a file', [makeFile]);
    const before = await room.start('make a file');
    const { interactionId } = await before.nextAsk();
    const session = await killAndStart(room, before);
    const { body } = await room.beckon.api('GET', '/api/pending');
    expect(body.pending).toMatchObject([
      { requestId: interactionId, input: { command: 'echo made >> made.txt' }, status: 'open' },
    ]);
    expect((await session.get()).body.session).toMatchObject({ status: 'waiting', waitingOn: 'you' });
    const reply = await session.post('approve', { requestId: interactionId, decision: 'allow' });
    expect(reply).toMatchObject({ status: 200, body: { interaction: { outcome: 'allowed' } } });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(await readFile(join(session.cwd, 'made.txt'), 'utf8')).toBe('made\n');
    expect(await session.watch.event('interaction.resolved')).toMatchObject({ delivered: true });
    expect(room.model.requests.filter(({ prompt }) => prompt === 'make a file')).toHaveLength(1);
    expect(await saidInOneRun(room, session)).toEqual(['It is there.']);
  });

  it('[ASK2] [ASK9] a question stays open over kill -9, and its answer reaches the model', async () => {
    const questions = [question('Which DB?', ['Postgres', 'SQLite'])];
    room.model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('Thank you.')])]);
    const before = await room.start('ask me');
    const { interactionId } = await before.nextAsk();
    const session = await killAndStart(room, before);
    const answers = [{ selected: ['SQLite'] }];
    const reply = await session.post('answer', { requestId: interactionId, answers });
    expect(reply).toMatchObject({ status: 200 });
    const request = await room.model.nextRequest(({ toolResults }) => toolResults.length > 0);
    expect(request.toolResults[0]?.text).toContain('SQLite');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    await saidInOneRun(room, session);
  });

  it('[STORE2] [MSG3] killed in the middle of a text: it is complete, nothing is there twice, and what was queued follows', async () => {
    const [early, late] = [gate(), gate()];
    const pieces = ['I begin', early.opened, ', I go on', late.opened, ', and I end.'];
    room.model.on('tell me', [text(...pieces)]);
    room.model.on('and then', [text('That was all.')]);
    const before = await room.start('tell me');
    await before.saying('I begin');
    expect(await before.post('message', { message: 'and then' })).toMatchObject({ status: 202 });
    await room.beckon.kill9();
    early.open();
    await room.serveAgain();
    const session = await before.seenAnew();
    expect((await session.get('queue')).body.queue).toMatchObject([{ message: 'and then', position: 1 }]);
    late.open();
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    await session.watch.event('message.taken', (event) => event.text === 'and then');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    const said = await saidInOneRun(room, session);
    expect(said).toEqual(['I begin, I go on, and I end.', 'That was all.']);
    for (const prompt of ['tell me', 'and then'])
      expect(room.model.requests.filter((request) => request.prompt === prompt)).toHaveLength(1);
  });
}
