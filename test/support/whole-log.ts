import type { Event } from '../../src/protocol/event.ts';
import type { Beckon } from './beckon-process.ts';

export async function wholeLog(beckon: Beckon, sessionId: string): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const page = `/api/sessions/${sessionId}/events?after=${events.length}&limit=1000`;
    const { body } = await beckon.api('GET', page);
    events.push(...body.events);
    if (!body.hasMore) return events;
  }
}

/** Undefined when the server died in the middle of it. */
export async function unlessKilled<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof TypeError || (error instanceof Error && error.message.includes('did not come')))
      return undefined;
    throw error;
  }
}
