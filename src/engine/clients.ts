import { ClientId } from '../protocol/ids.ts';
import type { Clients, ConnectedClient, InteractionMode } from './ports/control-room.ts';

/** Who is connected. Every client sees every session, so the counts are the same for each. */
export function createClients(newId: () => string): Clients {
  const connected = new Map<string, InteractionMode>();
  return {
    connect({ interaction }): ConnectedClient {
      const id = ClientId.parse(newId());
      connected.set(id, interaction);
      return {
        id,
        setInteraction: (mode) => void (connected.has(id) && connected.set(id, mode)),
        get interaction() {
          return connected.get(id) ?? { supported: false, enabled: false };
        },
        disconnect: () => void connected.delete(id),
      };
    },
    setEnabled(clientId, enabled) {
      const mode = connected.get(clientId);
      if (mode === undefined) return false;
      connected.set(clientId, { ...mode, enabled });
      return true;
    },
    mode: (clientId) => connected.get(clientId),
    count() {
      const modes = [...connected.values()].filter((mode) => mode.supported);
      return { supported: modes.length, enabled: modes.filter((mode) => mode.enabled).length };
    },
  };
}
