import { expect, it } from 'vitest';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { endRoomsAfterEach, openRoom } from '../support/engine-room.ts';
import { closeReopenedLogsAfterEach, reopenedLogs } from '../support/reopened-logs.ts';

closeReopenedLogsAfterEach();
endRoomsAfterEach();

/** The log, and how many events a start has read from it. */
function counting(log: EventLog): { readonly log: EventLog; read(): number } {
  let read = 0;
  function* streams() {
    for (const start of log.streams()) {
      yield {
        ...start,
        *eventsAfter(seq: number) {
          for (const event of start.eventsAfter(seq)) {
            read += 1;
            yield event;
          }
        },
      };
    }
  }
  const counted: EventLog = new Proxy(log, {
    get: (target, name) => {
      if (name === 'streams') return streams;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { log: counted, read: () => read };
}

it.each(Object.entries(reopenedLogs))(
  '[STORE1] [SES10] many short lives write a snapshot, too: no start reads all there ever was (%s)',
  async (_name, make) => {
    const { log, again } = make();
    let room = await openRoom({ log });
    const { id } = await room.create({ title: 'first' });
    const before = await room.session(id);
    let most = 0;
    for (let life = 1; life <= 30; life += 1) {
      for (let count = 0; count < 20; count += 1) {
        await room.do('patchSession', { session: id, title: `title ${life}.${count}` });
      }
      room.abandon();
      const counted = counting(await again());
      room = await openRoom({ log: counted.log, run: `life-${life}` });
      most = Math.max(most, counted.read());
      expect((await room.session(id)).title).toBe(`title ${life}.19`);
    }
    expect((await room.session(id)).lastSeq).toBeGreaterThan(before.lastSeq + 600);
    expect(most).toBeLessThanOrEqual(250 + 30);
  },
);
