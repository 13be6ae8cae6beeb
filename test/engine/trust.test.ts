import { describe, expect, it } from 'vitest';
import type { Grant } from '../../src/protocol/grant.ts';
import type { Interaction } from '../../src/protocol/interaction.ts';
import type { Session } from '../../src/protocol/session.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, person } from '../support/engine-room.ts';
import { bashAsk } from '../support/session-states.ts';
import { takeOver } from '../support/take-over.ts';

endRoomsAfterEach();

const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;

const trust = (room: EngineRoom, session: string, minutes = 15) => room.do('giveTrust', { session, minutes });
const trustOf = async (room: EngineRoom, session: string): Promise<Session['trust']> =>
  ((await room.do('getSession', { session })).body.session as Session).trust;
const isAllowed = async (room: EngineRoom, id: string, request: string, command = 'npm run x') =>
  (await room.asks(id, bashAsk(request, command))).status !== 'open';

describe('[POL10] a time of trust', () => {
  it('allows everything of its session until its end, and every use is on record as its own', async () => {
    const room = await openRoom();
    const [one, agent] = await room.running();
    const [two] = await room.running();
    const open = await room.asks(one, bashAsk('before', 'npm run x'));
    await trust(room, one);
    const given = room.all(one, 'grant.created')[0]?.grant;
    expect(given).toMatchObject({ subjectKind: 'any', scope: 'session', sessionId: one, by: person.actor });
    expect(await trustOf(room, one)).toEqual({
      grantId: given?.id,
      since: '2026-01-01T00:00:00.000Z',
      until: '2026-01-01T00:15:00.000Z',
      uses: 0,
    });
    expect(await isAllowed(room, one, 'r1')).toBe(true);
    expect(await isAllowed(room, one, 'r2', 'npm test && npm run build')).toBe(true);
    expect(await isAllowed(room, two, 'r1')).toBe(false);
    expect((await room.interaction(one, open.interactionId)).status).toBe('open');
    await room.until('both were told', () => agent.answers().length === 2);
    expect(room.all(one, 'interaction.decided').map(({ by }) => by)).toEqual([
      { kind: 'grant', grantId: given?.id, trust: true },
      { kind: 'grant', grantId: given?.id, trust: true },
    ]);
    const told = room.announcements('session-updated').filter(({ data }) => data.id === one);
    expect(told.at(-1)?.data).toMatchObject({ trust: { uses: 2 } });

    room.clock.pass(15 * MINUTE);
    await room.drained(one);
    expect(await isAllowed(room, one, 'r3')).toBe(false);
    expect(await trustOf(room, one)).toBeUndefined();
    expect(room.all(one, 'grant.ended')).toMatchObject([
      { grantId: given?.id, cause: 'expired', uses: 2, by: { kind: 'timer' } },
    ]);
    const { body } = await room.do('listGrantUses', { session: one, grantId: given?.id });
    expect((body.uses as Interaction[]).map(({ input }) => input)).toEqual([
      { command: 'npm test && npm run build' },
      { command: 'npm run x' },
    ]);
  });

  it('is ended at once by whoever ends it, and with the session', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await trust(room, id);
    expect(await isAllowed(room, id, 'r1')).toBe(true);
    await room.do('endTrust', { session: id });
    expect(await isAllowed(room, id, 'r2')).toBe(false);
    expect(room.all(id, 'grant.ended')).toMatchObject([{ cause: 'revoked', uses: 1, by: person.actor }]);
    // Nothing is left to end.
    await room.do('endTrust', { session: id });
    expect(room.all(id, 'grant.ended')).toHaveLength(1);

    await trust(room, id);
    const [grant] = (await room.do('listGrants')).body.grants as Grant[];
    await room.do('revokeGrant', { grantId: grant?.id });
    expect(await trustOf(room, id)).toBeUndefined();

    await trust(room, id);
    await room.do('stop', { session: id });
    expect(await trustOf(room, id)).toBeUndefined();
    expect(await room.refused('giveTrust', { session: id, minutes: 5 })).toMatchObject({
      code: 'session_stopped',
    });
  });

  it('given anew is one, from now on', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await trust(room, id, 60);
    room.clock.pass(MINUTE);
    await trust(room, id, 5);
    expect(await trustOf(room, id)).toMatchObject({ until: '2026-01-01T00:06:00.000Z' });
    expect(((await room.do('listGrants')).body.grants as Grant[]).length).toBe(1);
    room.clock.pass(5 * MINUTE);
    await room.drained(id);
    expect(await isAllowed(room, id, 'r1')).toBe(false);
  });

  it('says what a narrower grant allowed by its name', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const { interactionId } = await room.asks(id, bashAsk('r1', 'ls'));
    await room.do('approve', { session: id, requestId: interactionId, scope: 'session' });
    await trust(room, id);
    await room.asks(id, bashAsk('r2', 'ls'));
    expect(room.all(id, 'interaction.decided').at(-1)?.by).not.toHaveProperty('trust');
    expect(await trustOf(room, id)).toMatchObject({ uses: 0 });
  });

  it.each([0, 61, 1.5, -5])('is not given for %s minutes', async (minutes) => {
    const room = await openRoom();
    const [id] = await room.running();
    expect((await room.refused('giveTrust', { session: id, minutes })).details?.field).toBe('minutes');
  });
});

describe('[POL12] the end of a time of trust is kept by the server', () => {
  it('over a restart, with what is left of it', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await trust(room, id);
    expect(await isAllowed(room, id, 'r1')).toBe(true);
    room.clock.pass(10 * MINUTE);
    const second = await takeOver(room, [id]);
    expect(await trustOf(second, id)).toMatchObject({ until: '2026-01-01T00:15:00.000Z', uses: 1 });
    expect(await isAllowed(second, id, 'r2')).toBe(true);
    second.clock.pass(5 * MINUTE);
    await second.drained(id);
    expect(await isAllowed(second, id, 'r3')).toBe(false);
    // The first server of this test was not killed, and has a clock of its own.
    expect(second.all(id, 'grant.ended').at(-1)).toMatchObject({ cause: 'expired', uses: 2 });
  });

  it('with a clock that is set back, and one that was wrong for a moment', async () => {
    const room = await openRoom();
    const [one] = await room.running();
    await trust(room, one);
    room.clock.set(-YEAR);
    expect(await isAllowed(room, one, 'r1')).toBe(true);
    room.clock.pass(15 * MINUTE + 1);
    await room.drained(one);
    expect(await isAllowed(room, one, 'r2')).toBe(false);

    const [two] = await room.running();
    await trust(room, two);
    room.clock.set(2 * YEAR);
    expect(await isAllowed(room, two, 'r1')).toBe(false);
    room.clock.set(-2 * YEAR);
    expect(await isAllowed(room, two, 'r2')).toBe(false);
  });
});

describe('[SEC8] where only devices decide', () => {
  it('the token gives no trust, and can end it', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    const token = { ...person, mayDecide: false };
    expect(await room.engine.dispatch('giveTrust', { session: id, minutes: 5 }, token)).toMatchObject({
      ok: false,
      refusal: { code: 'device_required' },
    });
    await trust(room, id);
    expect(await room.engine.dispatch('endTrust', { session: id }, token)).toMatchObject({ ok: true });
    expect(await isAllowed(room, id, 'r1')).toBe(false);
  });
});

describe('[POL11] rules come before a time of trust', () => {
  it('what a rule denies is denied, and what one sends to a person is asked', async () => {
    const room = await openRoom();
    const [id] = await room.running();
    await room.do('addRule', {
      effect: 'deny',
      tool: 'Bash',
      pattern: 'npm run deploy',
      reason: 'Not from here.',
    });
    await room.do('addRule', { effect: 'ask', tool: 'Bash', pattern: 'npm run release' });
    await trust(room, id);
    expect(await isAllowed(room, id, 'r1', 'npm run build')).toBe(true);
    const denied = await room.asks(id, bashAsk('r2', 'npm run deploy'));
    expect(denied).toMatchObject({ outcome: 'denied', resolvedBy: { kind: 'rule' } });
    expect(await isAllowed(room, id, 'r3', 'npm run release')).toBe(false);
    expect(await trustOf(room, id)).toMatchObject({ uses: 1 });
  });
});
