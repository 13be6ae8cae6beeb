import type { Event } from '../protocol/event.ts';
import type { Transport } from './transport.ts';

const pageSize = 1_000;

/** All events of a session up to the last that there is when it is asked for. */
export async function wholeLog(
  transport: Pick<Transport, 'events'>,
  session: string,
): Promise<readonly Event[]> {
  const events: Event[] = [];
  let end: number | undefined;
  for (;;) {
    const page = await transport.events(session, { after: events.at(-1)?.seq ?? 0, limit: pageSize });
    end ??= page.logLastSeq;
    for (const event of page.events) if (event.seq <= end) events.push(event);
    if (page.events.length === 0 || (events.at(-1)?.seq ?? 0) >= end) return events;
  }
}

/** The same from the last on, as far as it is read. */
export async function* wholeLogBackwards(
  transport: Pick<Transport, 'events'>,
  session: string,
): AsyncGenerator<Event> {
  let before: number | undefined;
  for (;;) {
    const page = await transport.events(session, {
      ...(before !== undefined && { before }),
      limit: pageSize,
    });
    yield* page.events.toReversed();
    before = page.events[0]?.seq;
    if (before === undefined || before <= 1) return;
  }
}
