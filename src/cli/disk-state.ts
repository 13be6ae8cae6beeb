import type { EventLog } from '../engine/ports/event-log.ts';
import type { StorageWatch } from '../engine/ports/storage-watch.ts';
import type { Room } from '../protocol/storage.ts';

/** How things stand with the disk: what the log says of it, and how much room agents have. */
export function diskState(log: EventLog): StorageWatch & { setRoom(room: Room): void } {
  const listeners = new Set<Parameters<StorageWatch['listen']>[0]>();
  let room: Room = 'enough';
  const current = () => (room === 'enough' ? log.storage : { ...log.storage, room });
  const tell = () => {
    for (const listener of listeners) listener(current());
  };
  log.onStorage(tell);
  return {
    current,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setRoom(changed) {
      room = changed;
      tell();
    },
  };
}
