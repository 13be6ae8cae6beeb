import { expect, it } from 'vitest';
import type { Notice } from '../../src/model/notice.ts';
import type { Channel, Delivery } from '../../src/reach/channel.ts';
import type { DeliveryProgress, ProgressStore } from '../../src/reach/progress.ts';
import { type EngineRoom, endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { seededRandom, testSeed, times } from '../support/seeded-random.ts';
import { asking, endNotifiersAfterEach, notifying, passed, settled } from './notifying.ts';

endRoomsAfterEach();
endNotifiersAfterEach();

const seed = testSeed();
const kinds: Channel['kinds'] = new Set(['waits', 'answered', 'failed', 'done']);

/** One run of a server: when it is killed, it neither sends nor stores anything more. */
class Run implements Channel, ProgressStore {
  readonly name = 'program';
  readonly label = 'a program';
  readonly audience = 'programs';
  readonly kinds = kinds;
  readonly graceMs = 0;
  isKilled = false;
  readonly #disk: { progress?: DeliveryProgress };
  readonly #receive: (notice: Notice) => Delivery;

  constructor(disk: { progress?: DeliveryProgress }, receive: (notice: Notice) => Delivery) {
    this.#disk = disk;
    this.#receive = receive;
  }

  async send(notice: Notice): Promise<Delivery> {
    return this.isKilled ? { is: 'gone', reason: 'killed' } : this.#receive(notice);
  }

  async load(): Promise<DeliveryProgress | undefined> {
    return this.#disk.progress;
  }

  async save(_: string, progress: DeliveryProgress): Promise<void> {
    // As long as a disk may take.
    await new Promise((resolve) => setImmediate(resolve));
    if (!this.isKilled) this.#disk.progress = structuredClone(progress);
  }

  async keepOnly(): Promise<void> {}
}

/** All that the log has to tell, in its order. */
const allNotices = ({ engine }: EngineRoom, cursor: string): Notice[] =>
  (engine.notices.after(cursor, 100_000)?.notices ?? []).map(({ notice }) => notice);

it(`[REACH7] whatever fails and is killed when: each notice is taken, in the order of its session, and not sent again once that is stored (seed ${seed})`, async () => {
  for (let round = 0; round < times(6); round += 1) {
    const random = seededRandom(seed * 1_000 + round);
    const below = (most: number): number => Math.floor(random() * most);
    const room = await openRoom({ run: `r${round}` });
    const begin = room.engine.notices.cursor();
    const disk: { progress?: DeliveryProgress } = {};
    const sent: string[] = [];
    const taken: string[] = [];
    let failing = 0;
    const receive = (notice: Notice): Delivery => {
      sent.push(notice.id);
      if (random() < failing) return { is: 'later', reason: 'no' };
      taken.push(notice.id);
      return { is: 'taken' };
    };
    let run = new Run(disk, receive);
    await notifying(room, [run], { store: run });
    const sessions = [(await room.running())[0], (await room.running())[0], (await room.running())[0]];
    const open: { session: string; requestId: string }[] = [];
    const kept = new Set<string>();
    for (let step = 0; step < 60; step += 1) {
      const session = sessions[below(sessions.length)] ?? '';
      const chance = random();
      if (chance < 0.45) {
        const { interactionId } = await room.asks(session, asking(`q${step}`, `echo ${step}`));
        open.push({ session, requestId: interactionId });
      } else if (chance < 0.65 && open.length > 0) {
        const [answered] = open.splice(below(open.length), 1);
        await room.do('approve', { ...answered, decision: 'allow' });
      } else if (chance < 0.75) failing = random();
      else if (chance < 0.85) await passed(room, below(100_000));
      else if (chance < 0.92) for (let turn = below(6); turn > 0; turn -= 1) await new Promise(setImmediate);
      else {
        run.isKilled = true;
        const after = allNotices(room, disk.progress?.cursor ?? begin).map(({ id }) => id);
        const untaken = new Set(after.filter((id) => !disk.progress?.delivered.includes(id)));
        for (const { id } of allNotices(room, begin)) if (!untaken.has(id)) kept.add(id);
        const before = sent.length;
        run = new Run(disk, receive);
        await notifying(room, [run], { store: run });
        await settled();
        expect(sent.slice(before).filter((id) => kept.has(id))).toEqual([]);
      }
    }
    failing = 0;
    for (const { session, requestId } of open)
      await room.do('approve', { session, requestId, decision: 'allow' });
    for (const session of sessions)
      await room.until('the agent has every answer', () => {
        const asks = room.all(session, 'interaction.requested').length;
        return room.all(session, 'interaction.resolved').length === asks;
      });
    for (let hour = 0; hour < 5; hour += 1) await passed(room, 3_600_000);
    const all = allNotices(room, begin);
    for (const session of sessions) {
      const expected = all.filter((notice) => notice.session.id === session).map(({ id }) => id);
      const first = [...new Set(taken)].filter((id) => expected.includes(id));
      expect(first).toEqual(expected);
    }
    await room.end();
    room.abandon();
  }
});
