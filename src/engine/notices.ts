import { type NoticeSources, noticedEvents, noticeOf } from '../model/notice.ts';
import { interactionOf } from '../model/status.ts';
import { interactionFromLog } from '../model/views.ts';
import { isByItself } from '../model/who.ts';
import type { Event } from '../protocol/event.ts';
import type { SessionId } from '../protocol/ids.ts';
import type { Session } from '../protocol/session.ts';
import type { Announcements } from './announcements.ts';
import type { News } from './ports/control-room.ts';
import type { EventLog, LogEntry } from './ports/event-log.ts';
import type { NoticeFeed } from './ports/notice-feed.ts';
import type { SessionRegistry } from './session-registry.ts';

/** Makes notices of what is stored. Nothing is kept for it: a reader that was away reads the same again from the log. */
export function createNoticeFeed({
  log,
  announcements,
  registry,
  listen,
}: {
  readonly log: EventLog;
  readonly announcements: Announcements;
  readonly registry: SessionRegistry;
  readonly listen: (listener: (news: News) => void) => () => void;
}): NoticeFeed {
  return {
    cursor: () => announcements.cursor,
    after(cursor, events) {
      const page = announcements.entriesAfter(cursor, events);
      if (page === undefined) return undefined;
      const notices = page.entries.flatMap((entry) => {
        const notice = noticeOfEntry(entry);
        return notice === undefined ? [] : [{ notice, cursor: page.cursorBehind(entry) }];
      });
      return { notices, cursor: page.cursor, isAll: page.isAll };
    },
    onMore: (listener) =>
      listen((news) => {
        if (news.kind === 'session' && news.news.type === 'event' && noticedEvents.has(news.news.event.type))
          listener();
      }),
    isOpen(sessionId, interactionId) {
      const state = registry.get(sessionId)?.state;
      const live = state && interactionOf(state, interactionId);
      return live !== undefined && live.decided === null && live.resolved === null;
    },
    session: (id) => registry.view(id),
  };

  function noticeOfEntry(entry: LogEntry) {
    if ('removed' in entry || entry.stream === 'global' || !noticedEvents.has(entry.event.type))
      return undefined;
    const session = registry.view(entry.stream);
    // One that leaves nothing behind is gone with its log.
    return session && noticeOf(entry.event, sourcesIn(entry.stream, session));
  }

  function sourcesIn(stream: SessionId, session: Session): NoticeSources {
    const next = (event: Event): Event | undefined =>
      log.page(stream, { after: event.seq, limit: 1 }).events.at(0);
    return {
      session,
      interaction: (event) =>
        interactionFromLog(
          session,
          log.findByReference(stream, event.interactionId).filter(({ seq }) => seq <= event.seq),
        ),
      isAskedOfNobody(interactionId) {
        const events = log.findByReference(stream, interactionId);
        const requested = events.find(({ type }) => type === 'interaction.requested');
        const after = events.find(({ seq }) => seq === (requested?.seq ?? 0) + 1);
        if (after?.type === 'interaction.decided') return isByItself(after.by);
        // What ended with its agent later was asked; what was too much was not.
        return (
          after?.type === 'interaction.resolved' && after.by.kind === 'server' && after.at === requested?.at
        );
      },
      isBegunByPerson(turnId) {
        const started = log.findByReference(stream, turnId).find((event) => event.type === 'turn.started');
        // Logs of earlier versions do not find it: rather told once too often than not at all.
        if (started === undefined || started.messageId !== null) return true;
        const before = log.page(stream, { after: started.seq - 2, limit: 1 }).events.at(0);
        return before?.type === 'interaction.raised';
      },
      isFollowedByFailure: (event) => next(event)?.type === 'session.failed',
    };
  }
}
