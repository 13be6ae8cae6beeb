import type { Announcement } from '../../protocol/announcement.ts';
import type { Delta, Event } from '../../protocol/event.ts';
import type { SessionId } from '../../protocol/ids.ts';

/** One thing that clients are told. Its JSON is made once, whoever and how many they are. */
export type Frame =
  | { readonly kind: 'event'; readonly event: Event; json?: string }
  | { readonly kind: 'delta'; delta: Delta; json?: string }
  | { readonly kind: 'announcement'; readonly announcement: Announcement; json?: string };

export type AnnouncementFrame = Extract<Frame, { kind: 'announcement' }>;

/** The frame's payload as it was published. */
export function jsonOf(frame: Frame): string {
  frame.json ??= JSON.stringify(payloadOf(frame));
  return frame.json;
}

/** The payload with its session named, for streams that carry several. */
export function jsonWithSession(frame: Frame, sessionId: SessionId): string {
  const json = jsonOf(frame);
  if (frame.kind === 'event' && 'sessionId' in frame.event) return json;
  return `{"sessionId":${JSON.stringify(sessionId)},${json.slice(1)}`;
}

export function sessionOf({ data }: Announcement): SessionId | undefined {
  return 'sessionId' in data ? data.sessionId : undefined;
}

/** Where a fragment belongs: the event that ends a block has the same place as the block's deltas. */
export const placeOfDelta = (delta: Delta): string => `${delta.messageId}/${delta.block}`;

export const placeOfEvent = (event: Event): string | undefined =>
  'agentMessageId' in event ? `${event.agentMessageId}/${event.block}` : undefined;

function payloadOf(frame: Frame): unknown {
  switch (frame.kind) {
    case 'event':
      return frame.event;
    case 'delta':
      return frame.delta;
    case 'announcement':
      return frame.announcement.data;
  }
}
