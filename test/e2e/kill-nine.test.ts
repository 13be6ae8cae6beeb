import { afterEach, describe, expect, it } from 'vitest';
import type { Event } from '../../src/protocol/event.ts';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { agentProcesses } from '../support/marked-processes.ts';
import { seededRandom, testSeed } from '../support/seeded-random.ts';
import { endWatches, type Frame, watch } from '../support/watch.ts';
import { unlessKilled as attempt, wholeLog } from '../support/whole-log.ts';

const KILLS = 25;
const SESSIONS = 6;
const seed = testSeed();

afterEach(async () => {
  endWatches();
  await endBeckons();
});

/** Everything the server has acknowledged, over all its lives. */
interface Acknowledged {
  readonly messages: Map<string, { sessionId: string; text: string }>;
  readonly decisions: Map<string, { sessionId: string; outcome: string }>;
}

describe('a server whose agents end with it, and that is killed again and again', () => {
  it(`[STORE2] [SES7] [SES10] [ASK3] ${KILLS} kills at random moments under load: nothing acknowledged is missing, nothing ends twice, no agent is left (seed ${seed})`, {
    timeout: 600_000,
  }, async () => {
    const random = seededRandom(seed);
    const dataDir = await temporaryDirectory();
    const acknowledged: Acknowledged = { messages: new Map(), decisions: new Map() };
    const sessions: string[] = [];
    for (let life = 0; life <= KILLS; life += 1) {
      const early = agentProcesses(dataDir);
      const beckon = await startBeckon({ dataDir, args: ['--ephemeral'] });
      const left = agentProcesses(dataDir).filter(({ pid }) => early.some((one) => one.pid === pid));
      expect(left, 'agents of an earlier life').toEqual([]);
      await expectIntact(beckon, acknowledged);
      if (life === KILLS) break;
      while (sessions.length < SESSIONS) sessions.push(await newSession(beckon));
      await loadUntil(beckon, sessions, acknowledged, life, 1 + Math.floor(random() * 28));
      await beckon.kill9();
    }
    expect(acknowledged.messages.size).toBeGreaterThan(KILLS);
    expect(acknowledged.decisions.size).toBeGreaterThan(KILLS / 5);
  });
});

async function newSession(beckon: Beckon): Promise<string> {
  const { status, body } = await beckon.api('POST', '/api/sessions', { agent: 'demo', cwd: beckon.dataDir });
  expect(status).toBe(201);
  return body.session.id;
}

/** Sends and answers from many sides at once; resolves at the given acknowledgement, in the midst of the rest. */
async function loadUntil(
  beckon: Beckon,
  sessions: readonly string[],
  acknowledged: Acknowledged,
  life: number,
  acknowledgements: number,
): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let count = 0;
  const note = (): void => {
    count += 1;
    if (count >= acknowledgements) enough.resolve();
  };
  const stream = await watch(beckon);
  const answering = answerEverything(beckon, stream.until, acknowledged, note);
  const sending = sessions.map(async (sessionId, index) => {
    for (let turn = 0; turn < 3; turn += 1) {
      const message = ['!parallel', `run echo ${life}-${turn}`, 'question', 'slow 20'][(index + turn) % 4];
      const reply = await attempt(() =>
        beckon.api('POST', `/api/sessions/${sessionId}/message`, {
          message,
          clientMessageId: `${life}-${index}-${turn}`,
        }),
      );
      if (reply === undefined) return;
      expect([200, 202], JSON.stringify(reply.body)).toContain(reply.status);
      acknowledged.messages.set(reply.body.messageId, { sessionId, text: message ?? '' });
      note();
    }
  });
  for (const work of [...sending, answering]) work.catch(enough.reject);
  await enough.promise;
}

async function answerEverything(
  beckon: Beckon,
  until: (what: string, accepts: (frame: Frame) => boolean) => Promise<Frame>,
  acknowledged: Acknowledged,
  note: () => void,
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const asked = await attempt(() => until('an ask', ({ event }) => event.endsWith('-requested')));
    if (asked === undefined) return;
    const { sessionId, interactionId, kind, questions } = asked.data;
    const [path, body] =
      kind === 'question'
        ? [
            'answer',
            {
              answers: questions.map((one: { options: { label: string }[] }) => ({
                selected: [one.options[0]?.label],
              })),
            },
          ]
        : ['approve', { decision: turn % 3 === 0 ? 'deny' : 'allow' }];
    // Two at once, so that the race is part of every life.
    const replies = await Promise.all(
      [1, 2].map(() =>
        attempt(() =>
          beckon.api('POST', `/api/sessions/${sessionId}/${path}`, { requestId: interactionId, ...body }),
        ),
      ),
    );
    const won = replies.filter((reply) => reply?.status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const reply of won) {
      acknowledged.decisions.set(interactionId, { sessionId, outcome: reply?.body.interaction.outcome });
      note();
    }
  }
}

async function expectIntact(beckon: Beckon, acknowledged: Acknowledged): Promise<void> {
  const logs = new Map<string, Event[]>();
  const { body } = await beckon.api('GET', '/api/sessions');
  for (const session of body.sessions) {
    // One whose start was on record and was cut off is started again.
    expect(['asleep', 'starting', 'idle', 'running', 'waiting'], `status of ${session.id}`).toContain(
      session.status,
    );
    logs.set(session.id, await wholeLog(beckon, session.id));
  }
  for (const [messageId, { sessionId, text }] of acknowledged.messages) {
    const queued = logs
      .get(sessionId)
      ?.filter((event) => event.type === 'message.queued' && event.messageId === messageId);
    expect(queued, `message ${messageId}`).toMatchObject([{ text }]);
  }
  for (const [interactionId, { sessionId, outcome }] of acknowledged.decisions) {
    const decided = logs
      .get(sessionId)
      ?.filter((event) => event.type === 'interaction.decided' && event.interactionId === interactionId);
    expect(decided, `decision on ${interactionId}`).toMatchObject([{ outcome }]);
  }
  for (const log of logs.values()) expectSound(log);
}

/** Every interaction whose process is over has exactly one outcome, and the one that was decided unless it was lost on the way. */
function expectSound(log: readonly Event[]): void {
  expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
  for (const event of log) {
    if (event.type !== 'interaction.requested') continue;
    const ends = log.filter(
      (one) => one.type === 'interaction.resolved' && one.interactionId === event.interactionId,
    );
    const decisions = log.filter(
      (one) => one.type === 'interaction.decided' && one.interactionId === event.interactionId,
    );
    const isOver = log.some((one) => one.type === 'process.exited' && one.processId === event.processId);
    expect(ends.length, `ends of ${event.interactionId}`).toBeLessThanOrEqual(1);
    if (isOver) expect(ends, `ends of ${event.interactionId}`).toHaveLength(1);
    expect(decisions.length).toBeLessThanOrEqual(1);
  }
}
