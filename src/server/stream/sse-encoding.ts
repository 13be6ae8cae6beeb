import type { SessionId } from '../../protocol/ids.ts';
import type { Encoding } from './batch.ts';
import { cursorEntry, emptyCursor } from './cursor.ts';
import { type Frame, jsonOf, jsonWithSession } from './frame.ts';

/** One message of a stream of server-sent events. JSON has no line breaks, so it is always one line of data. */
export const sseMessage = (type: string, json: string, id?: string): string =>
  id === undefined ? `event: ${type}\ndata: ${json}\n\n` : `id: ${id}\nevent: ${type}\ndata: ${json}\n\n`;

/** News with ids as the stream at hand has them: only events move a client's position, so only they carry one. */
export function sseNews(
  sessionId: SessionId,
  frames: readonly Frame[],
  idOf: (seq: number) => string,
): string {
  let text = '';
  for (const frame of frames) {
    if (frame.kind === 'event')
      text += sseMessage('event', jsonWithSession(frame, sessionId), idOf(frame.event.seq));
    else if (frame.kind === 'delta') text += sseMessage('delta', jsonWithSession(frame, sessionId));
  }
  return text;
}

/** The stream of one session: its news and its announcements, in the order they happened. */
export const ownStream: Encoding = {
  news(sessionId, frames) {
    let text = '';
    for (const frame of frames) {
      if (frame.kind === 'announcement') text += sseMessage(frame.announcement.type, jsonOf(frame));
      else text += sseNews(sessionId, [frame], String);
    }
    return Buffer.from(text);
  },
  announcements: () => Buffer.alloc(0),
};

/** The stream of all sessions, for clients that follow exactly one. */
export const followingOne: Encoding = {
  news: (sessionId, frames) => Buffer.from(sseNews(sessionId, frames, (seq) => cursorEntry(sessionId, seq))),
  announcements: (frames) =>
    Buffer.from(frames.map((frame) => sseMessage(frame.announcement.type, jsonOf(frame))).join('')),
};

/** The stream of all sessions, for clients that follow none: their position never changes. */
export const followingNone: Encoding = {
  news: () => Buffer.alloc(0),
  announcements: (frames) =>
    Buffer.from(
      frames.map((frame) => sseMessage(frame.announcement.type, jsonOf(frame), emptyCursor)).join(''),
    ),
};
