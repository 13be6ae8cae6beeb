import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { EventLog } from '../../src/engine/ports/event-log.ts';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { memoryLog } from './memory-log.ts';

const directories: string[] = [];
const logs: EventLog[] = [];

/** Each kind of log with a way to open it again, as after a kill: the first was never closed, and writes nothing more. */
export const reopenedLogs: Record<string, () => { log: EventLog; again: () => Promise<EventLog> }> = {
  memory: () => {
    const log = memoryLog();
    return { log, again: async () => log };
  },
  sqlite: () => {
    const directory = mkdtempSync(join(tmpdir(), 'beckon-reopened-'));
    directories.push(directory);
    const open = () => {
      const log = openSqliteLog({ path: join(directory, 'events.db') });
      logs.push(log);
      return killable(log);
    };
    let last = open();
    const again = async () => {
      await last.kill();
      last = open();
      return last.log;
    };
    return { log: last.log, again };
  },
};

/** The engine of a dead process does not go on writing: two writers of one database are kept apart by a lock, which tests do not take. */
function killable(log: EventLog): { readonly log: EventLog; kill(): Promise<unknown> } {
  const underWay = new Set<Promise<unknown>>();
  let isDead = false;
  const writing = <T>(write: () => Promise<T>): Promise<T> => {
    if (isDead) return new Promise(() => {});
    const written = write();
    underWay.add(written);
    void written.catch(() => {}).finally(() => underWay.delete(written));
    return written;
  };
  const watched = new Proxy(log, {
    get(target, name) {
      if (name === 'append') return (batch: never) => writing(() => target.append(batch));
      if (name === 'remove') return (stream: never, how: never) => writing(() => target.remove(stream, how));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    log: watched,
    kill() {
      isDead = true;
      return Promise.allSettled(underWay);
    },
  };
}

/** To be called before whatever must end ahead of the logs: hooks run last in, first out. */
export function closeReopenedLogsAfterEach(): void {
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
}
