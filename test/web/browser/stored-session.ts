import { join } from 'node:path';
import { openSqliteLog } from '../../../src/log/sqlite-log.ts';
import type { NewEvent } from '../../../src/protocol/event.ts';
import { SessionId } from '../../../src/protocol/ids.ts';

const began = Date.parse('2026-01-05T09:00:00.000Z');
const eventsAtOnce = 2_000;

export interface StoredSession {
  readonly id: string;
  readonly title: string;
  readonly agent?: 'demo' | 'claude';
  readonly events: Iterable<NewEvent>;
}

/** Writes sessions into the data directory of a server that is not running yet, as if they had been there before. */
export async function storeSession(
  dataDir: string,
  { id, title, agent = 'demo', events }: StoredSession,
  cwd = '/work/shop',
): Promise<string> {
  const log = openSqliteLog({ path: join(dataDir, 'beckon.db') });
  const stream = SessionId.parse(id);
  let batch: NewEvent[] = [created(stream, { title, agent, cwd })];
  let second = 0;
  const write = async (): Promise<void> => {
    second += 30;
    await log.append({
      parts: [{ stream, at: new Date(began + second * 1000).toISOString(), events: batch }],
    });
    batch = [];
  };
  for (const event of events) {
    batch.push(event);
    if (batch.length >= eventsAtOnce) await write();
  }
  if (batch.length > 0) await write();
  await log.close();
  return id;
}

const created = (
  sessionId: SessionId,
  { title, agent, cwd }: { readonly title: string; readonly agent: string; readonly cwd: string },
): NewEvent => ({
  type: 'session.created',
  sessionId,
  agent,
  cwd,
  title,
  key: null,
  permissionMode: null,
  model: null,
  labels: ['shop'],
  askTimeout: null,
  ephemeral: false,
  closeAfterTurn: false,
  by: { kind: 'person' },
});
