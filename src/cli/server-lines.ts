import { z } from 'zod';
import type { ChannelState } from '../protocol/channel.ts';
import { missingInWords, roomReasons, type StorageState } from '../protocol/storage.ts';
import type { Logger } from './logger.ts';
import { age } from './render/measures.ts';
import { oneLine } from './render/safe-text.ts';

/** How a server runs its agents; `refused`: not at all, since walls are required and there are none. */
export const IsolationReport = z.object({
  agents: z.enum(['behind-walls', 'without-walls', 'refused']),
  /** Why there are none. */
  reason: z.string().optional(),
});
export type IsolationReport = z.infer<typeof IsolationReport>;

export function isolationLine({ agents, reason = 'unknown' }: IsolationReport): string {
  switch (agents) {
    case 'behind-walls':
      return 'Agents run behind walls';
    case 'without-walls':
      return `Agents run without walls: ${reason}`;
    case 'refused':
      return `No agent can be started: isolation is required, and ${reason}`;
  }
}

/** Behind an agent's name: how it is started where a session does not say it. A mode may make it ask for less than people expect. */
export const modeWords = (permissionMode: string): string => `starts in the mode "${permissionMode}"`;

export const modeLine = (agent: string, permissionMode: string): string =>
  `${agent} ${modeWords(permissionMode)} unless a session says another`;

/** How things stand with a webhook, a topic or the pushed notices. */
export function channelLine(channel: ChannelState, now: number): string {
  const { label, lastSuccess, lastError, waiting, dropped, disabled } = channel;
  const parts = [
    ...(disabled ? ['left alone until the next start'] : []),
    ...(lastError === null
      ? []
      : [`${lowerFirst(lastError.reason.replace(/\.$/, ''))} (${age(lastError.at, now)} ago)`]),
    ...(lastError === null && lastSuccess !== null ? [`last told ${age(lastSuccess, now)} ago`] : []),
    ...(lastError === null && lastSuccess === null ? ['not told anything yet'] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
    ...(dropped > 0 ? [`${dropped} given up`] : []),
  ];
  return oneLine(`${label}: ${parts.join(', ')}`);
}

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
