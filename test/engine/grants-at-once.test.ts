import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/protocol/event.ts';
import type { Grant } from '../../src/protocol/grant.ts';
import type { SessionId } from '../../src/protocol/ids.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom, other, person } from '../support/engine-room.ts';
import { failingLog } from '../support/failing-log.ts';
import { memoryLog } from '../support/memory-log.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';
import { bashAsk } from '../support/session-states.ts';

endRoomsAfterEach();

const HOUR = 3_600_000;
const seed = testSeed();

const listed = async (room: EngineRoom): Promise<Grant[]> =>
  (await room.do('listGrants')).body.grants as Grant[];

const global = (room: EngineRoom): readonly Event[] =>
  room.log.page('global', { after: 0, limit: 1000 }).events;

/** A log that takes as long as chance wants until what it has stored is known to be on the disk. */
function slowLog(random: () => number) {
  const log = failingLog(memoryLog());
  const append = log.append.bind(log);
  log.append = async (batch) => {
    const stored = await append(batch);
    for (let turns = Math.floor(random() * 4); turns > 0; turns -= 1) await nextTurn();
    return stored;
  };
  return log;
}

describe(`[GRANT10] grants for all sessions, changed from several sides at once, seed ${seed}`, () => {
  it('two answers, two revokes, a tool that keeps an approval and the clock: one after the other, each counts once', async () => {
    for (let round = 0; round < times(40); round += 1) {
      const random = seededRandom(seed + round);
      const room = await openRoom({ log: slowLog(random) });
      const [one] = await room.running();
      const [two] = await room.running();
      const limited = await room.asks(one, bashAsk('r0', 'pwd'));
      const expiresAt = new Date(Date.parse(room.clock.now()) + HOUR).toISOString();
      await allow(room, one, limited.requestId, { expiresAt });
      const [old] = await listed(room);
      const asks = [await room.asks(one, bashAsk('r1', 'ls')), await room.asks(two, bashAsk('r1', 'ls'))];
      const kept = { toolName: 'deploy', key: 'production', scope: 'always', by: person.actor } as const;

      const revoke = (caller: typeof person) =>
        room.engine.dispatch('revokeGrant', { grantId: old?.id }, caller);
      const revokes: Promise<{ ok: boolean }>[] = [];
      const others: Promise<unknown>[] = [];
      const moves = [
        () => others.push(allow(room, one, asks[0]?.requestId)),
        () => others.push(allow(room, two, asks[1]?.requestId)),
        () => others.push(room.engine.tools.setApproval(one as SessionId, kept)),
        () => others.push(room.engine.tools.setApproval(two as SessionId, kept)),
        () => revokes.push(revoke(person)),
        () => revokes.push(revoke(other)),
        () => room.clock.pass(HOUR),
      ];
      for (const move of shuffled(moves, random)) {
        move();
        if (random() < 0.5) await nextTurn();
      }
      const revoked = (await Promise.all(revokes)).filter(({ ok }) => ok).length;
      await Promise.all(others);
      // It waits for its turn like the others: whatever was to be recorded is so then.
      await room.refused('revokeGrant', { grantId: 'none' });

      const context = `round ${round} of seed ${seed}`;
      const ends = global(room).filter((event) => event.type === 'grant.ended');
      expect(ends, context).toMatchObject([
        { grantId: old?.id, cause: revoked === 0 ? 'expired' : 'revoked' },
      ]);
      expect(revoked, context).toBeLessThanOrEqual(1);
      const inForce = global(room).flatMap((event) =>
        event.type === 'grant.created' && event.grant.id !== old?.id ? [event.grant] : [],
      );
      expect(inForce.map(({ pattern }) => pattern).sort(), context).toEqual(['ls', 'production']);
      expect(await listed(room), context).toEqual(inForce);
      await room.end();
    }
  });
});

const allow = (room: EngineRoom, session: string, requestId: string | undefined, more = {}) =>
  room.do('approve', { session, requestId, decision: 'allow', scope: 'always', ...more });

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
