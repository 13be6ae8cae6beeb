import { afterEach, describe, expect, it } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { RecordingAgent, writeRecordingProgram } from '../support/recording-agent.ts';
import { endWatches, watch } from '../support/watch.ts';

const SESSIONS = 200;

afterEach(async () => {
  endWatches();
  await endBeckons();
});

describe('two hundred agents at once', () => {
  it('[SES2] [ASK1] [MULTI5] each answer goes to the one that asked', async () => {
    const cwd = await temporaryDirectory();
    const beckon = await startBeckon({ args: ['--claude', await writeRecordingProgram(cwd)] });
    const stream = await watch(beckon);
    const start = async (index: number): Promise<{ id: string; agent: RecordingAgent }> => {
      // All use the same id for their request: only the session tells them apart.
      const ask = { requestId: 'r1', command: `echo ${index}`, after: 'waits' } as const;
      const agent = await RecordingAgent.play(cwd, `agent-${index}`, [ask]);
      const { status, body } = await beckon.api('POST', '/api/sessions', {
        agent: 'claude',
        cwd,
        key: `agent-${index}`,
        env: agent.env,
      });
      expect(status, JSON.stringify(body)).toBe(201);
      return { id: body.session.id, agent };
    };
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, (_, index) => start(index)));

    // All are open before the first is answered; then they are answered in another order than they came.
    const asked = [];
    while (asked.length < SESSIONS) {
      const { data } = await stream.until('an ask', ({ event }) => event === 'approval-requested');
      asked.push(data);
    }
    const { body } = await beckon.api('GET', '/api/pending');
    expect(body.pending).toHaveLength(SESSIONS);
    expect(new Set(asked.map((ask) => ask.sessionId))).toEqual(new Set(sessions.map(({ id }) => id)));
    const replies = await Promise.all(
      asked.reverse().map((ask) =>
        beckon.api('POST', `/api/sessions/${ask.sessionKey}/approve`, {
          requestId: ask.requestId,
          decision: 'allow',
          updatedInput: { command: `echo ${ask.sessionKey} answered` },
        }),
      ),
    );
    expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 200));
    await eventually('every agent has read', () => sessions.every(({ agent }) => agent.read().length > 0));
    expect(sessions.map(({ agent }) => agent.read())).toEqual(
      sessions.map((_, index) => [{ requestId: 'r1', command: `echo agent-${index} answered` }]),
    );
    expect(await beckon.stop()).toEqual({ code: 0, signal: null });
  });
});
