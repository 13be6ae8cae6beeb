import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, watch } from '../support/watch.ts';

const SESSIONS = 200;

afterEach(async () => {
  endWatches();
  await endBeckons();
});

describe('two hundred agents at once', () => {
  it('[SES2] [ASK1] [MULTI5] each answer goes to the one that asked', { timeout: 300_000 }, async () => {
    const cwd = await temporaryDirectory();
    const beckon = await startBeckon();
    const stream = await watch(beckon);
    const ids = await Promise.all(Array.from({ length: SESSIONS }, (_, index) => start(beckon, cwd, index)));

    // All are open before the first is answered; then they are answered in another order than they came.
    const asked = [];
    while (asked.length < SESSIONS) {
      const { data } = await stream.until('an ask', ({ event }) => event === 'approval-requested');
      asked.push(data);
    }
    const { body } = await beckon.api('GET', '/api/pending');
    expect(body.pending).toHaveLength(SESSIONS);
    expect(new Set(asked.map((ask) => ask.sessionId))).toEqual(new Set(ids));
    const replies = await Promise.all(
      asked.reverse().map((ask) => {
        const index = Number(ask.sessionKey.slice('agent-'.length));
        const command = `echo ${index} answered > answer-${index}.txt`;
        return beckon.api('POST', `/api/sessions/${ask.sessionKey}/approve`, {
          requestId: ask.requestId,
          decision: 'allow',
          updatedInput: { ...ask.input, command },
        });
      }),
    );
    expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 200));
    for (let ended = 0; ended < SESSIONS; ended += 1) {
      await stream.until(
        'a session at rest',
        ({ event, data }) => event === 'session-updated' && data.status === 'idle' && data.usage.turns === 1,
      );
    }
    for (let index = 0; index < SESSIONS; index += 1) {
      expect(await readFile(join(cwd, `answer-${index}.txt`), 'utf8')).toBe(`${index} answered\n`);
    }
    expect(await beckon.stop()).toEqual({ code: 0, signal: null });
  });
});

async function start(beckon: Beckon, cwd: string, index: number): Promise<string> {
  const { status, body } = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd,
    key: `agent-${index}`,
    prompt: `run echo ${index}`,
  });
  expect(status).toBe(201);
  return body.session.id;
}
