import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { memoryLog } from './memory-log.ts';

const directories: string[] = [];
const logs: EventLog[] = [];

/** Each kind of log with a way to open it again, as after a kill: the first was never closed. */
export const reopenedLogs: Record<string, () => { log: EventLog; again: () => EventLog }> = {
  memory: () => {
    const log = memoryLog();
    return { log, again: () => log };
  },
  sqlite: () => {
    const directory = mkdtempSync(join(tmpdir(), 'beckon-reopened-'));
    directories.push(directory);
    const open = () => {
      const log = openSqliteLog({ path: join(directory, 'events.db') });
      logs.push(log);
      return log;
    };
    return { log: open(), again: open };
  },
};

/** To be called before whatever must end ahead of the logs: hooks run last in, first out. */
export function closeReopenedLogsAfterEach(): void {
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
}
