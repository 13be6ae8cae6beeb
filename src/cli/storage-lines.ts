import { missingInWords, roomReasons, type StorageState } from '../protocol/storage.ts';
import type { Logger } from './logger.ts';

/** How things stand with the disk, where that is worth a word; in sentences that begin small, to be put behind a name. */
export const storageLines = ({ ok, reason, missing, room }: StorageState): string[] => [
  ...(ok ? [] : [`nothing can be stored: ${lowerFirst((reason ?? 'unknown.').replace(/\.$/, ''))}`]),
  ...(room === undefined ? [] : [lowerFirst(roomReasons[room].replace(/\.$/, ''))]),
  ...missing.map((one) => lowerFirst(missingInWords(one))),
];

/** Writes each change into the server's log. */
export function storageLogger(logger: Logger): (storage: StorageState) => void {
  let before: StorageState = { ok: true, missing: [] };
  return (storage) => {
    for (const one of storage.missing)
      if (!before.missing.some(({ foundAt }) => foundAt === one.foundAt)) logger.error(missingInWords(one));
    if (!storage.ok && storage.problem !== before.problem)
      logger.error(
        `Nothing can be stored: ${storage.reason} What agents say waits, and all else is refused, until it can be.`,
      );
    if (storage.ok && !before.ok) logger.info('Things are stored again');
    if (storage.room !== before.room)
      if (storage.room === undefined) logger.info('There is room on the disk again: agents go on');
      else logger.warn(roomReasons[storage.room]);
    before = storage;
  };
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
