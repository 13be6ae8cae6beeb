import type { SessionId } from '../../protocol/ids.ts';

/** Environment variables a session was given. They may hold secrets, so they are kept apart from the log and never shown. */
export interface SessionEnv {
  save(sessionId: SessionId, env: Readonly<Record<string, string>>): Promise<void>;
  load(sessionId: SessionId): Readonly<Record<string, string>>;
  remove(sessionId: SessionId): Promise<void>;
}
