import { ClientId, type SessionId } from '../protocol/ids.ts';
import type { Clock } from './ports/clock.ts';
import type { Clients, ConnectedClient, InteractionMode } from './ports/control-room.ts';
import { PresenceBook } from './presence.ts';

/** Who is connected: pages and programs that see every session, terminals that see one. */
export function createClients(newId: () => string, clock: Clock): Clients {
  const presence = new PresenceBook(clock);
  const connected = new Map<string, { mode: InteractionMode; readonly session: SessionId | undefined }>();
  return {
    connect({ interaction, session }): ConnectedClient {
      const id = ClientId.parse(newId());
      const client = { mode: interaction, session };
      connected.set(id, client);
      return {
        id,
        setInteraction(mode) {
          client.mode = mode;
        },
        get interaction() {
          return connected.has(id) ? client.mode : { supported: false, enabled: false };
        },
        look: (at) => presence.look(id, connected.has(id) ? at : null),
        disconnect() {
          presence.lose(id);
          connected.delete(id);
        },
      };
    },
    setEnabled(clientId, enabled) {
      const client = connected.get(clientId);
      if (client === undefined) return false;
      client.mode = { ...client.mode, enabled };
      return true;
    },
    presence,
    mode: (clientId) => connected.get(clientId)?.mode,
    count(sessionId) {
      const modes = [...connected.values()].flatMap(({ mode, session }) =>
        mode.supported && (session ?? sessionId) === sessionId ? mode : [],
      );
      return { supported: modes.length, enabled: modes.filter(({ enabled }) => enabled).length };
    },
  };
}
