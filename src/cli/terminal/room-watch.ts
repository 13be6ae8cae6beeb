import type { Transport } from '../../client/transport.ts';
import type { Announcement } from '../../protocol/announcement.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import type { Session } from '../../protocol/session.ts';

/** What is open and which sessions there are, as long as it is watched. */
export interface RoomWatch {
  /** Oldest first. */
  pending(): readonly Interaction[];
  /** Those whose status changed last first. */
  sessions(): readonly Session[];
  isConnected(): boolean;
  close(): void;
}

export function watchRoom(
  transport: Pick<Transport, 'subscribe'>,
  { onChange, onFailure }: { readonly onChange: () => void; readonly onFailure: (error: Error) => void },
): RoomWatch {
  const asks = new Map<string, Interaction>();
  const known = new Map<string, Session>();
  let isConnected = false;
  const close = transport.subscribe({
    onSnapshot({ pending, sessions }) {
      asks.clear();
      known.clear();
      for (const ask of pending) asks.set(ask.interactionId, ask);
      for (const session of sessions) known.set(session.id, session);
      isConnected = true;
      onChange();
    },
    onAnnouncement(announcement) {
      take(announcement);
      onChange();
    },
    onConnection(connection) {
      if (connection.state === 'closed' && connection.error !== undefined) onFailure(connection.error);
      if (connection.state !== 'lost') return;
      isConnected = false;
      onChange();
    },
  });
  return {
    pending: () => [...asks.values()].toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)),
    sessions: () => [...known.values()].toSorted((a, b) => b.since.localeCompare(a.since)),
    isConnected: () => isConnected,
    close,
  };

  function take({ type, data }: Announcement): void {
    switch (type) {
      case 'session-started':
      case 'session-updated':
      case 'session-ended':
        known.set(data.id, data);
        return;
      case 'session-removed':
        known.delete(data.sessionId);
        return;
      case 'approval-requested':
      case 'question-requested':
      case 'form-requested':
      case 'approval-parked':
      case 'approval-updated':
        asks.set(data.interactionId, data);
        return;
      case 'approval-cancelled':
        asks.delete(data.interactionId);
        return;
      case 'approval-resolved':
        asks.delete(data.requestId);
        return;
      case 'message-queued':
      case 'message-updated':
      case 'message-removed':
      case 'message-sent':
      case 'storage-changed':
      case 'unlocks-changed':
        return;
    }
  }
}
