import { moreUrgent, type News } from './news.logic.ts';

export interface Pacer {
  take(news: News): void;
  close(): void;
}

const paceMs = 1000;

/** At most one a second for each session; what comes sooner waits, and of several only the most urgent is told. */
export function createPacer(tell: (news: News) => void, now: () => number = () => performance.now()): Pacer {
  const toldAt = new Map<string, number>();
  const held = new Map<string, { news: News; readonly timer: ReturnType<typeof setTimeout> }>();

  const tellNow = (news: News): void => {
    toldAt.set(news.sessionId, now());
    tell(news);
  };

  return {
    take(news) {
      const { sessionId } = news;
      const waiting = held.get(sessionId);
      if (waiting !== undefined) {
        waiting.news = moreUrgent(waiting.news, news);
        return;
      }
      const wait = (toldAt.get(sessionId) ?? Number.NEGATIVE_INFINITY) + paceMs - now();
      if (wait <= 0) return tellNow(news);
      const timer = setTimeout(() => {
        const latest = held.get(sessionId)?.news;
        held.delete(sessionId);
        if (latest !== undefined) tellNow(latest);
      }, wait);
      held.set(sessionId, { news, timer });
    },
    close() {
      for (const { timer } of held.values()) clearTimeout(timer);
      held.clear();
    },
  };
}
