import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import type { NewEvent } from '../../src/protocol/event.ts';
import { InteractionId, SessionId } from '../../src/protocol/ids.ts';
import type { Insights } from '../../src/protocol/insights.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import type { Session } from '../../src/protocol/session.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const insights = async (room: EngineRoom, query: object = {}): Promise<Insights> =>
  (await room.do('readInsights', { ...query })).body as unknown as Insights;
const answer = async (room: EngineRoom, session: string, { interactionId }: Interaction, how: object = {}) =>
  room.do('approve', { session, requestId: interactionId, decision: 'allow', ...how });

describe('[INS1] how long agents waited for a person', () => {
  it('is told as median, 90th percentile and sum, in all, by kind, hour and day; what a grant answered waited for nobody', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    for (const [request, minutes] of [
      ['r1', 1],
      ['r2', 3],
      ['r3', 10],
    ] as const) {
      const ask = await room.asks(id, bashAsk(request, `npm run ${request}`));
      room.clock.pass(minutes * MINUTE);
      await answer(room, id, ask, request === 'r3' ? { scope: 'session' } : {});
    }
    await room.asks(id, bashAsk('r4', 'npm run r3'));
    room.clock.pass(25 * HOUR);
    const question = await room.asks(id, {
      ...bashAsk('q', ''),
      kind: 'question',
      toolName: 'AskUserQuestion',
      questions: [{ question: 'Which?', options: [{ label: 'A' }], multiSelect: false }],
    });
    room.clock.pass(20_000);
    await room.do('answer', {
      session: id,
      requestId: question.interactionId,
      answers: [{ selected: ['A'] }],
    });
    await room.asks(id, bashAsk('open', 'npm run open'));

    const told = await insights(room, { days: 3 });
    expect(told).toMatchObject({
      from: '2025-12-31',
      to: '2026-01-02',
      timeZone: 'UTC',
      asked: 6,
      open: 1,
      waits: { count: 4, medianMs: MINUTE, p90Ms: 10 * MINUTE, totalMs: 14 * MINUTE + 20_000 },
    });
    expect(told.byKind).toMatchObject([
      { kind: 'approval', count: 3, medianMs: 3 * MINUTE },
      { kind: 'question', count: 1, medianMs: 20_000 },
      { kind: 'form', count: 0, medianMs: null, totalMs: 0 },
    ]);
    expect(told.byHour.filter(({ count }) => count > 0)).toMatchObject([
      { hour: 0, count: 3 },
      { hour: 1, count: 1 },
    ]);
    expect(told.byDay.map(({ day, asked, count }) => [day, asked, count])).toEqual([
      ['2025-12-31', 0, 0],
      ['2026-01-01', 4, 3],
      ['2026-01-02', 2, 1],
    ]);
    const there = await insights(room, { days: 3, timeZone: 'Asia/Kathmandu' });
    expect(there.byHour.filter(({ count }) => count > 0)).toMatchObject([
      { hour: 5, count: 3 },
      { hour: 6, count: 1 },
    ]);
    expect(await room.refused('readInsights', { timeZone: 'Nowhere' })).toMatchObject({
      code: 'invalid_value',
      details: { field: 'timeZone' },
    });
    expect((await insights(room, { days: 1 })).asked).toBe(2);
  });

  it('with a clock that was set back, nothing waited for less than no time', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const ask = await room.asks(id, bashAsk('r1', 'ls'));
    room.clock.set(-2 * HOUR);
    await answer(room, id, ask);
    expect((await insights(room, { days: 3 })).waits).toMatchObject({ count: 1, totalMs: 0 });
  });
});

describe('[INS2] what was asked most, and who decided', () => {
  it('is counted by tool and pattern, and by what is known of who decided; of one project alone where that is wanted', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const [other] = await room.running({ cwd: '/' });
    for (const request of ['c1', 'c2'])
      await answer(room, id, await room.asks(id, bashAsk(request, `git commit -m ${request}`)));
    await answer(room, id, await room.asks(id, bashAsk('c3', 'git commit -m c3')), { decision: 'deny' });
    await room.do('giveTrust', { session: id, minutes: 5 });
    await room.asks(id, bashAsk('t', 'git commit -m trusted'));
    await answer(room, other, await room.asks(other, bashAsk('x', 'npm test')));
    const told = await insights(room);
    expect(told.askedMost).toEqual([
      { toolName: 'Bash', pattern: 'git commit *', count: 4, allowed: 3, denied: 1, byItself: 1 },
      { toolName: 'Bash', pattern: 'npm test', count: 1, allowed: 1, denied: 0, byItself: 0 },
    ]);
    expect(told.decidedBy).toEqual([
      { who: 'device', name: person.actor.where, count: 4 },
      { who: 'trust', count: 1 },
    ]);
    const { cwd } = (await room.do('getSession', { session: id })).body.session as Session;
    expect(told.projects).toEqual(['/', cwd].sort());
    expect(await insights(room, { project: '/' })).toMatchObject({ asked: 1, projects: told.projects });
  });
});

describe('[INS3] a long history', () => {
  const folder = mkdtempSync(join(tmpdir(), 'beckon-insights-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is read in small steps between which others have their turn', async () => {
    const log = openSqliteLog({ path: join(folder, 'beckon.db') });
    const room = await openRoom({ log });
    const [id] = await room.running();
    const asks = 1500;
    const events = Array.from({ length: asks }, (_, at): NewEvent[] => {
      const interactionId = InteractionId.parse(`int_${at}`);
      const ask = bashAsk(`r${at}`, `npm run task-${at % 50}`);
      const said = { type: 'agent.text', agentMessageId: 'm', block: 0, text: 'x'.repeat(300) } as const;
      return [
        { type: 'interaction.requested', interactionId, turnId: null, processId: 'p', ask },
        {
          type: 'interaction.decided',
          interactionId,
          outcome: 'allowed',
          decision: { type: 'allow', scope: 'once' },
          by: { kind: 'person', where: 'test' },
        },
        ...Array.from({ length: 8 }, () => said),
      ];
    }).flat();
    const { lastSeq } = (await room.do('getSession', { session: id })).body.session as Session;
    expect(lastSeq).toBeGreaterThan(0);
    await room.end();
    await log.append({ parts: [{ stream: SessionId.parse(id), at: room.clock.now(), events }] });
    const next = await openRoom({ log, clock: room.clock, run: 'next' });
    let turns = 0;
    let isDone = false;
    const others = (): void => {
      turns += 1;
      if (!isDone) setImmediate(others);
    };
    setImmediate(others);
    const told = await insights(next);
    isDone = true;
    expect(told.asked).toBe(asks);
    expect(told.waits.count).toBe(asks);
    expect(turns).toBeGreaterThanOrEqual(Math.floor((asks * 10) / 2000));
    await next.end();
    await log.close();
  });
});
