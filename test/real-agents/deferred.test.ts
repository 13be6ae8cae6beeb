import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { claudePrograms } from './claude-program.ts';
import { text, toolUse } from './model-stand-in.ts';
import { question } from './question.ts';
import type { RealSession } from './real-session.ts';
import { freshRoom } from './room.ts';

describe.each(claudePrograms())('a question that waits for long, with Claude Code $version', (program) => {
  const room = freshRoom({
    async server(folder) {
      const config = join(folder, 'config.json');
      await writeFile(config, JSON.stringify({ deferAsksMinutes: 0.001 }));
      return { args: ['--claude', program.path, '--config', config] };
    },
  });

  beforeEach(() => {
    const questions = [question('Which database?', ['Postgres', 'SQLite'])];
    room.model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('As you wish.')])]);
    room.model.on('and then', [text('Then this.')]);
  });

  async function askAndSleep(): Promise<{ session: RealSession; requestId: string }> {
    const session = await room.start('ask me');
    const { interactionId } = await session.nextAsk();
    await session.watch.event('interaction.deferred');
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'suspended' });
    expect(await session.watch.event('process.exited')).toMatchObject({ cause: 'asked', crashed: false });
    return { session, requestId: interactionId };
  }

  const answer = (session: RealSession, requestId: string) =>
    session.post('answer', { requestId, answers: [{ selected: ['SQLite'] }] });

  const resultsSeen = () => room.model.nextResults('AskUserQuestion');

  it('[ASK5] [SES11] the agent sleeps, the question stays, and its answer wakes the agent and reaches that very call', async () => {
    const { session, requestId } = await askAndSleep();
    const { body } = await session.get();
    expect(body.session).toMatchObject({ status: 'waiting', waitingOn: 'you', pendingCount: 1 });
    const open = await session.get('pending');
    expect(open.body.pending).toMatchObject([
      { requestId, deferred: true, questions: [{ question: 'Which database?' }] },
    ]);

    expect(await answer(session, requestId)).toMatchObject({ status: 200 });
    expect(await session.watch.event('process.starting', ({ cause }) => cause === 'answer')).toMatchObject({
      resume: expect.any(String),
    });
    expect(await resultsSeen()).toMatchObject([{ isError: false, text: expect.stringContaining('SQLite') }]);
    expect(await session.watch.event('interaction.resolved')).toMatchObject({
      interactionId: requestId,
      outcome: 'answered',
      delivered: true,
    });
    await session.watch.event('turn.ended', ({ outcome }) => outcome === 'completed');
    const page = await session.get('events?limit=1000');
    const types = page.body.events.map((event: { type: string }) => event.type);
    expect(types.filter((type: string) => type === 'interaction.requested')).toHaveLength(1);
    expect(types.filter((type: string) => type === 'tool.result')).toHaveLength(1);
  });

  it('[MSG4] a message wakes it without answering: the question is open again, and the message waits for its turn', async () => {
    const { session, requestId } = await askAndSleep();
    await session.post('message', { message: 'and then' });
    await session.watch.event('interaction.raised');
    const { body } = await session.get('queue');
    expect(body.queue).toMatchObject([{ message: 'and then', sending: false }]);

    expect(await answer(session, requestId)).toMatchObject({ status: 200 });
    expect(await resultsSeen()).toMatchObject([{ isError: false, text: expect.stringContaining('SQLite') }]);
    await session.watch.event('message.taken', ({ text: words }) => words === 'and then');
    await session.watch.event('agent.text', ({ text: words }) => words === 'Then this.');
  });

  it('[ASK2] it survives the end of the server, too', async () => {
    const { session, requestId } = await askAndSleep();
    await room.beckon.kill9();
    await room.serveAgain();
    const again = await session.seenAnew();
    expect(await answer(session, requestId)).toMatchObject({ status: 200 });
    expect(await resultsSeen()).toMatchObject([{ isError: false, text: expect.stringContaining('SQLite') }]);
    await again.watch.event('interaction.resolved', ({ delivered }) => delivered);
  });

  it('[ASK5] [SES10] an answer that was given just before the server was killed reaches that call, and is told so', async () => {
    const { session, requestId } = await askAndSleep();
    expect(await answer(session, requestId)).toMatchObject({ status: 200 });
    await session.watch.event('process.starting', ({ cause }) => cause === 'answer');
    await room.beckon.kill9();
    await room.serveAgain();
    const again = await session.seenAnew();
    expect(await resultsSeen()).toMatchObject([{ isError: false, text: expect.stringContaining('SQLite') }]);
    expect(await again.watch.event('interaction.resolved')).toMatchObject({
      interactionId: requestId,
      outcome: 'answered',
      delivered: true,
    });
    await again.watch.event('turn.ended', ({ outcome }) => outcome === 'completed');
    const { body } = await session.get('events?limit=1000');
    const asked = body.events.filter(({ type }: { type: string }) => type === 'interaction.requested');
    expect(asked).toHaveLength(1);
  });
});
